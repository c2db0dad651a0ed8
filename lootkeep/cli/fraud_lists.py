"""`lootkeep fraud lists`: which lists of addresses and mail domains are in use, and fetching public ones again."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import typer
from rich.markup import escape

from lootkeep import settings, wiring
from lootkeep.cli.output import JsonFlag, out, print_json, print_table, run, waiting
from lootkeep.domain.fraud.signals.network import TOR_LIST_DAYS
from lootkeep.engines.intelligence import fetching
from lootkeep.engines.intelligence.sources import Need, Source
from lootkeep.kernel.clock import DAY, Instant, SystemClock, iso

app = typer.Typer(help="Show the lists in use, and fetch public ones.", no_args_is_help=True)

_FETCH = "run `lootkeep fraud lists refresh`, or put {file} into {folder}"
_ADVICE: dict[Need, str] = {
    "country": "install the package iptocc, or put an MMDB file into {folder}",
    "city": "put an MMDB file with cities into {folder}, if you want to see them",
    "asn": "install the package whereip-network, or put an MMDB file or iptoasn's TSV into {folder}",
    "datacenter": _FETCH.replace("{file}", "datacenter.txt"),
    "vpn": _FETCH.replace("{file}", "vpn.txt"),
    "proxy": _FETCH.replace("{file}", "proxy.txt"),
    "tor": _FETCH.replace("{file}", "tor.txt"),
    "disposable": _FETCH.replace("{file}", "disposable.txt"),
}


@app.command()
def status(json: JsonFlag = False) -> None:
    """Show which list serves each need, how old it is, and what to do where none does."""
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
    print_table(("Need", "Source", "Entries", "Age", "SHA-256"), rows)
    for need, sources in needs.items():
        if todo := advice(need, sources, now, folder):
            out.print(f"[bold]{need}:[/] {escape(todo)}")
    for rejection in rejections:
        out.print(f"[bold red]Not used:[/] {escape(rejection.file)} {escape(rejection.sentence)}")


@app.command()
def refresh(json: JsonFlag = False) -> None:
    """Fetch the public lists, verify them, and put them in place. Exits with 1 when one could not be had."""
    config = settings.load()
    with waiting("Fetching the public lists"):
        outcomes = run(fetching.refresh(config.data_dir, SystemClock()))
    if json:
        print_json([outcome._asdict() for outcome in outcomes])
    else:
        for outcome in outcomes:
            mark = "[green]ok  [/]" if outcome.is_good else "[bold red]bad [/]"
            out.print(f"{mark}  {outcome.file:<28} {escape(outcome.sentence)}")
    if not all(outcome.is_good for outcome in outcomes):
        sys.exit(1)


def advice(need: Need, sources: list[Source], now: Instant, folder: str) -> str | None:
    """What to do about a need; None when it is well served."""
    if not sources:
        return f"No list loaded: {_ADVICE[need].format(folder=folder)}."
    ages = [age for source in sources if (age := _days(source, now)) is not None]
    if need == "tor" and ages and min(ages) > TOR_LIST_DAYS:
        return f"Older than {TOR_LIST_DAYS} days, it counts for less: run `lootkeep fraud lists refresh`."
    return None


def described(source: Source, need: Need, now: Instant) -> str:
    """A source as text, such as `tor-exits.txt (1,204 entries, 2 days old)`."""
    entries, age = source.entries[need], _age(source, now)
    details = [f"{entries:,} entries" if entries is not None else "", f"{age} old" if age else ""]
    words = ", ".join(word for word in details if word)
    return f"{source.name} ({words})" if words else source.name


def _rows(need: Need, sources: list[Source], now: Instant) -> Iterator[tuple[str, ...]]:
    if not sources:
        yield need, "no list loaded", "–", "–", "–"
    for source in sources:
        count = source.entries[need]
        entries = "–" if count is None else f"{count:,}"
        if source.skipped:
            entries += f" ({source.skipped:,} lines skipped)"
        yield need, source.name, entries, _age(source, now) or "–", (source.checksum or "–")[:12]


def _json(need: Need, sources: list[Source], now: Instant, folder: str) -> dict[str, object]:
    listed = [
        {
            "source": source.name,
            "entries": source.entries[need],
            "skipped_lines": source.skipped,
            "dated": None if source.dated is None else iso(source.dated),
            "age_days": _days(source, now),
            "sha256": source.checksum,
        }
        for source in sources
    ]
    return {"need": need, "sources": listed, "advice": advice(need, sources, now, folder)}


def _days(source: Source, now: Instant) -> int | None:
    return None if source.dated is None else max(0, now - source.dated) // DAY


def _age(source: Source, now: Instant) -> str:
    days = _days(source, now)
    if days is None:
        return ""
    return "1 day" if days == 1 else f"{days} days"
