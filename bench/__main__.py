"""The benchmark: `make bench` runs every section, stores what it found and writes bench/RESULTS.md.

`--section api` runs one of them, `--write` only writes the page again. Ends with status 1 when a target is missed.
"""

import argparse
import os
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from bench import (
    api_peer,
    facts,
    footprint,
    goods,
    growth,
    machine,
    medusa,
    report,
    sale,
    ten_million,
    vendure,
    webhooks,
)
from bench.options import ENGINES, Options, progress
from bench.report import SectionResult
from bench.subjects import LOAD_CORES


@dataclass(frozen=True)
class Section:
    """A part of the benchmark, what the page says about it, and the peers whose versions it names."""

    title: str
    text: str
    measure: Callable[[Options], SectionResult]
    python_peers: tuple[str, ...] = ()
    node_peers: tuple[str, ...] = ()


SECTIONS = {
    "api": Section(
        "The API", api_peer.TEXT, api_peer.measure, ("fastapi", "pydantic", "sqlalchemy", "uvicorn", "uvloop")
    ),
    "vendure": Section("Vendure", vendure.TEXT, vendure.measure, node_peers=("vendure",)),
    "medusa": Section("Medusa", medusa.TEXT, medusa.measure, node_peers=("medusa",)),
    "webhooks": Section("Webhooks", webhooks.TEXT, webhooks.measure, ("django-webhook", "celery"), ("bullmq",)),
    "growth": Section("Growth", growth.TEXT, growth.measure),
    "sale": Section("A sale", sale.TEXT, sale.measure),
    "ten_million": Section("Ten million orders", ten_million.TEXT, ten_million.measure),
    "ten_million_backup": Section("Backup of ten million orders", ten_million.TEXT_BACKUP, ten_million.measure_backup),
    "goods": Section("Goods", goods.TEXT, goods.measure),
    "facts": Section("Facts", facts.TEXT, facts.measure),
    "footprint": Section("Start and footprint", footprint.TEXT, footprint.measure),
}
PAGE_SECTIONS = {name: (section.title, section.text) for name, section in SECTIONS.items()}


def main() -> int:
    arguments = parse()
    if arguments.write:
        report.write(PAGE_SECTIONS)
        return 0
    if LOAD_CORES:
        os.sched_setaffinity(0, LOAD_CORES)
    rows = tuple(arguments.rows) if arguments.rows else None
    options = Options(arguments.quick, tuple(arguments.engine or ENGINES), arguments.rounds, rows)
    results = [run(name, options) for name in arguments.section or SECTIONS]
    return int(any(result.missed for result in results))


def run(name: str, options: Options) -> SectionResult:
    section = SECTIONS[name]
    command = shlex.join(["python", "-m", "bench", *sys.argv[1:]])
    about = machine.about(command, section.python_peers, section.node_peers)
    started = time.monotonic()
    progress(f"{section.title} begins")
    result = section.measure(options)
    about["Took"] = f"{(time.monotonic() - started) / 60:.0f} minutes"
    for table in result.tables:
        show(table)
    if not options.is_quick:
        report.store(name, result, about, options.engines)
        report.write(PAGE_SECTIONS)
    return result


def show(table: report.Table) -> None:
    drawn = Table(*table.columns, title=table.title, title_justify="left")
    for row in table.rows:
        drawn.add_row(*map(report.shown, row), style="red" if row[-1] == report.MISSED else None)
    Console(width=140).print(drawn)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--section", action="append", choices=SECTIONS, help="only this one")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    parser.add_argument("--rounds", type=int, help="of each comparison")
    parser.add_argument("--rows", type=int, action="append", help="sizes of the stores that are compared")
    parser.add_argument("--quick", action="store_true", help="shows that everything works, and stores nothing")
    parser.add_argument("--write", action="store_true", help="only write RESULTS.md and the plots again")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
