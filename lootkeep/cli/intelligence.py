"""`lootkeep fraud lists`: shows the IP lists and e-mail domain lists in use, and downloads public ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import typer
from rich.markup import escape

from lootkeep import settings, wiring
from lootkeep.cli.output import JsonFlag, out, print_json, print_table, run, waiting
from lootkeep.engines.intelligence import fetching
from lootkeep.engines.intelligence.advice import advice, age_of, days_old
from lootkeep.engines.intelligence.sources import Source, SourceKind
from lootkeep.kernel.clock import Instant, SystemClock, iso

app = typer.Typer(help="Show the lists in use, and download public ones.", no_args_is_help=True)


@app.command()
def status(json: JsonFlag = False) -> None:
    """Show the source of each kind of data, its age, and what to do if there is none."""
    config = settings.load()
    intelligence = wiring.intelligence(config)
    needs, rejections = intelligence.status(), intelligence.rejections()
    folder = str(config.data_dir)
    now = SystemClock().now()
    if json:
        listed = [_json(need, sources, now, folder) for need, sources in needs.items()]
        print_json({"folder": folder, "needs": listed, "rejected": rejections})
        return
    rows = [row for need, sources in needs.items() for row in _rows(need, sources, now)]
    print_table(("Kind", "Source", "Entries", "Age", "SHA-256"), rows)
    for need, sources in needs.items():
        if todo := advice(need, sources, now, folder):
            out.print(f"[bold]{need}:[/] {escape(todo)}")
    for rejection in rejections:
        out.print(f"[bold red]Not used:[/] {escape(rejection.file)} {escape(rejection.sentence)}")


@app.command()
def refresh(json: JsonFlag = False) -> None:
    """Download the public lists, verify them, and put them in place. Exits with 1 if a download fails."""
    config = settings.load()
    with waiting("Downloading the public lists"):
        outcomes = run(fetching.refresh(config.data_dir, SystemClock()))
    if json:
        print_json([outcome._asdict() for outcome in outcomes])
    else:
        for outcome in outcomes:
            mark = "[green]ok  [/]" if outcome.is_good else "[bold red]bad [/]"
            out.print(f"{mark}  {outcome.file:<28} {escape(outcome.sentence)}")
    if not all(outcome.is_good for outcome in outcomes):
        sys.exit(1)


def _rows(need: SourceKind, sources: list[Source], now: Instant) -> Iterator[tuple[str, ...]]:
    if not sources:
        yield need, "no list loaded", "–", "–", "–"
    for source in sources:
        count = source.entries[need]
        entries = "–" if count is None else f"{count:,}"
        if source.skipped:
            entries += f" ({source.skipped:,} lines skipped)"
        yield need, source.name, entries, age_of(source, now) or "–", (source.checksum or "–")[:12]


def _json(need: SourceKind, sources: list[Source], now: Instant, folder: str) -> dict[str, object]:
    listed = [
        {
            "source": source.name,
            "entries": source.entries[need],
            "skipped_lines": source.skipped,
            "dated": None if source.dated is None else iso(source.dated),
            "age_days": days_old(source, now),
            "sha256": source.checksum,
        }
        for source in sources
    ]
    return {"need": need, "sources": listed, "advice": advice(need, sources, now, folder)}
