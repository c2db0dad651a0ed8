"""The report as one self-contained page: no script, no font, no external image."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lootkeep import __version__
from lootkeep.toolbox.backtest import charts, tables
from lootkeep.toolbox.backtest.report import Report

_HERE = Path(__file__).parent


def render(report: Report, name: str) -> str:
    """`name` is the name of the file with the orders."""
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html").render(
        report=report,
        name=name,
        version=__version__,
        figures=_figures(report),
        roc=charts.roc(report),
        histogram=charts.histogram(report),
        sections=tables.sections(report),
        silences=tables.silences(report),
    )


def _figures(report: Report) -> list[tuple[str, str]]:
    """The most important numbers."""
    return [
        ("orders", f"{report.orders:,}"),
        ("frauds", f"{report.frauds:,} ({tables.percent(report.frauds / report.orders)})"),
        ("AUC", tables.decimal(report.auc)),
        ("frauds caught at 1 % mistakes", tables.percent(report.tpr_at_1pct_fpr)),
    ]
