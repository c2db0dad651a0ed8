"""A report as text tables, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Sequence

from lootkeep.toolbox.backtest.report import Report

_MISSING = "–"


Section = tuple[str, Sequence[str], list[Sequence[str]]]


def sections(report: Report) -> list[Section]:
    """Every table: its title, the names of its columns, its rows as text."""
    return [_levels(report), *_amounts(report), _thresholds(report), _signals(report)]


def silences(report: Report) -> list[str]:
    """What the tables cannot show, and why."""
    quiet = [row.name for row in report.signals if not row.fired]
    silent = []
    if quiet:
        silent.append(f"Signals that never fired: {', '.join(quiet)}.")
    if report.missing_columns:
        silent.append(f"Columns that are missing in the file: {', '.join(report.missing_columns)}.")
    return [*silent, *report.list_warnings]


def percent(share: float | None) -> str:
    return _MISSING if share is None else f"{share * 100:.1f} %"


def decimal(number: float | None) -> str:
    return _MISSING if number is None else f"{number:.4f}"


def _levels(report: Report) -> Section:
    columns = ["Sensitivity", "From", "Blocked", "Flagged", "Allowed", "Frauds blocked", "Precision", "Recall"]
    rows: list[Sequence[str]] = [
        [
            row.level,
            *map(_count, (row.threshold, row.blocked, row.flagged, row.allowed, row.frauds_blocked)),
            *map(percent, (row.precision, row.recall)),
        ]
        for row in report.sensitivity
    ]
    return "What each sensitivity would have done", columns, rows


def _amounts(report: Report) -> list[Section]:
    """Only if the file has totals."""
    rows: list[Sequence[str]] = [
        [row.level, _money(row.fraud_total_blocked), _money(row.good_total_blocked)]
        for row in report.sensitivity
        if row.fraud_total_blocked is not None and row.good_total_blocked is not None
    ]
    return [("The amounts it would have blocked", ["Sensitivity", "Fraud", "Good orders"], rows)] if rows else []


def _thresholds(report: Report) -> Section:
    columns = ["Score from", "Orders", "Frauds", "Precision", "Recall", "Mistakes"]
    rows: list[Sequence[str]] = [
        [
            *map(_count, (row.score, row.flagged, row.frauds)),
            *map(percent, (row.precision, row.recall, row.false_positive_rate)),
        ]
        for row in report.thresholds
    ]
    return "What would be caught at each score", columns, rows


def _signals(report: Report) -> Section:
    columns = ["Signal", "Orders", "Frauds", "Precision", "Recall", "Points", "AUC gain"]
    rows: list[Sequence[str]] = [
        [
            row.name,
            _count(row.fired),
            _count(row.frauds),
            percent(row.precision),
            percent(row.recall),
            _MISSING if row.average_points is None else f"{row.average_points:.1f}",
            _MISSING if row.auc_gain is None else f"{row.auc_gain:+.4f}",
        ]
        for row in report.signals
        if row.fired
    ]
    return "Signals, by what the ranking would lose without them", columns, rows


def _count(number: int) -> str:
    return f"{number:,}"


def _money(amount: str) -> str:
    whole, _, hundredths = amount.partition(".")
    return f"{int(whole):,}.{hundredths}"
