"""What a section of the benchmark found, as it is stored in results.json and shown in RESULTS.md."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any, TypeAlias

from bench import plots
from bench.options import ENGINES
from bench.plots import Plot

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results.json"
PAGE = FOLDER / "RESULTS.md"
PLOTS = FOLDER / "plots"
MET, MISSED = "met", "**MISSED**"

Cell: TypeAlias = str | float | int | None

INTRODUCTION = """# Benchmark

Written by `make bench` from `bench/results.json`; do not edit it. README and the guides quote their figures from
here, and a test compares them.

All figures come from the machine named below, shared by client, service and database. They compare one solution with
another, or a small store with a large one, in turns within one run. They do not say what your machine will do. CPU
counts every process of a side, its database server included; PostgreSQL does not wait for a disk, SQLite does.
"""


@dataclass(frozen=True)
class Table:
    """Numbers are stored as measured and rounded when they are shown."""

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    note: str = ""
    # If it is of an earlier run than the others of its section, which measured another engine.
    run: dict[str, str] | None = None


@dataclass(frozen=True)
class SectionResult:
    """The tables and plots of a section."""

    tables: list[Table]
    plots: list[Plot] = field(default_factory=list)

    @property
    def missed(self) -> int:
        return sum(row[-1] == MISSED for table in self.tables for row in table.rows)


@dataclass(frozen=True)
class Ratio:
    """How many times ours theirs costs: the median of the rounds, and the range of half of them."""

    median: float
    low: float
    high: float

    @property
    def cells(self) -> list[Cell]:
        return [self.median, self.low, self.high]


def ratio(theirs: list[float], ours: list[float]) -> Ratio:
    """Round by round: what disturbs the machine mostly disturbs both turns of a round."""
    ratios = [their / our for their, our in zip(theirs, ours, strict=True)]
    low, _, high = quantiles(ratios, method="inclusive") if len(ratios) > 1 else ratios * 3
    return Ratio(median(ratios), low, high)


def verdict(*, is_met: bool) -> str:
    return MET if is_met else MISSED


def read() -> dict[str, Any]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def store(name: str, result: SectionResult, run: dict[str, str], engines: Sequence[str]) -> None:
    """Replaces the section in the file and leaves the others."""
    sections = read()
    sections[name] = section_with(result, run, engines, sections.get(name))
    RESULTS.write_text(json.dumps(sections, indent=1, ensure_ascii=False) + "\n")


def section_with(
    result: SectionResult, run: dict[str, str], engines: Sequence[str], before: dict[str, Any] | None
) -> dict[str, Any]:
    """A section as it is stored. Tables and plots of an engine that was not measured now stay, and name their run."""
    section = {"run": run, **asdict(result)}
    if before and (others := tuple(engine for engine in ENGINES if engine not in engines)):
        stays = [table for table in before["tables"] if table["title"].startswith(others)]
        section["tables"] += [{**table, "run": table.get("run") or before["run"]} for table in stays]
        section["tables"].sort(key=lambda table: table["title"].startswith(ENGINES[-1]))
        names = {plot["name"] for plot in section["plots"]}
        section["plots"] += [plot for plot in before["plots"] if plot["name"] not in names]
    return section


def pages(results: dict[str, Any], sections: dict[str, tuple[str, str]]) -> dict[Path, str]:
    """RESULTS.md and every plot, from the stored results; sections by name, each with a title and what it says."""
    written = {}
    parts = [INTRODUCTION]
    for name, (title, text) in sections.items():
        parts.append(f"## {title}\n\n{text}\n")
        if name not in results:
            parts.append("This section has not been run.\n")
            continue
        section = results[name]
        parts.append(_run(section["run"]))
        parts += [_table(Table(**table)) for table in section["tables"]]
        for plot in (Plot(**plot) for plot in section["plots"]):
            parts.append(f"![{plot.title}](plots/{plot.name}.svg)\n")
            written[PLOTS / f"{plot.name}.svg"] = plots.svg(plot)
    return {PAGE: "\n".join(parts)} | written


def write(sections: dict[str, tuple[str, str]]) -> None:
    PLOTS.mkdir(exist_ok=True)
    for old in PLOTS.glob("*.svg"):
        old.unlink()
    for path, text in pages(read(), sections).items():
        path.write_text(text)


def _run(run: dict[str, str]) -> str:
    return (
        f"`{run['command']}`, {run['measured']}. "
        + " ".join(f"{label}: {value}." for label, value in run.items() if label not in ("command", "measured"))
        + "\n"
    )


def _table(table: Table) -> str:
    aligned = ["---" if isinstance(cell, str) else "---:" for cell in table.rows[0]]
    lines = [table.columns, aligned, *([shown(cell) for cell in row] for row in table.rows)]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = [table.note] if table.note else []
    notes += [_run(table.run)] if table.run else []
    return "\n\n".join([f"**{table.title}**", text, *notes]).rstrip() + "\n"


def shown(value: Cell) -> str:
    """Three digits say enough."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
