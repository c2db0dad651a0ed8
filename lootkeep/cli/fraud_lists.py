"""`lootkeep fraud lists`: which lists of addresses and mail domains are in use, and fetching public ones anew."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import typer
from rich.markup import escape

from lootkeep import settings, wiring
from lootkeep.cli.output import Json, out, print_json, print_table, run, waiting
from lootkeep.domain.fraud.signals.network import TOR_LIST_DAYS
from lootkeep.engines.intelligence import NeedStatus, Served, fetching
from lootkeep.engines.intelligence.sources import Need
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
def status(json: Json = False) -> None:
    """Show which list serves each need, how old it is, and what to do where none does."""
    config = settings.load()
    intelligence = wiring.intelligence(config)
    needs, rejections = intelligence.status(), intelligence.rejections()
    folder = str(config.data_dir)
    now = SystemClock().now()
    if json:
        print_json({"folder": folder, "needs": [_json(need, now, folder) for need in needs], "rejected": rejections})
        return
    print_table(("Need", "Source", "Entries", "Age", "SHA-256"), [row for need in needs for row in _rows(need, now)])
    for need in needs:
        if todo := advice(need, now, folder):
            out.print(f"[bold]{need.need}:[/] {escape(todo)}")
    for rejection in rejections:
        out.print(f"[bold red]Not used:[/] {escape(rejection.file)} {escape(rejection.sentence)}")


@app.command()
def refresh(json: Json = False) -> None:
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


def advice(need: NeedStatus, now: Instant, folder: str) -> str | None:
    """What to do about a need; None when it is well served."""
    if not need.served_by:
        return f"No list loaded: {_ADVICE[need.need].format(folder=folder)}."
    ages = [age for served in need.served_by if (age := _days(served, now)) is not None]
    if need.need == "tor" and ages and min(ages) > TOR_LIST_DAYS:
        return f"Older than {TOR_LIST_DAYS} days, it counts for less: run `lootkeep fraud lists refresh`."
    return None


def described(served: Served, now: Instant) -> str:
    """A source in words, such as `tor-exits.txt (1,204 entries, 2 days old)`."""
    age = _age(served, now)
    known = [f"{served.entries:,} entries" if served.entries is not None else "", f"{age} old" if age else ""]
    words = ", ".join(word for word in known if word)
    return f"{served.source} ({words})" if words else served.source


def _rows(need: NeedStatus, now: Instant) -> Iterator[tuple[str, ...]]:
    if not need.served_by:
        yield need.need, "no list loaded", "–", "–", "–"
    for served in need.served_by:
        entries = "–" if served.entries is None else f"{served.entries:,}"
        if served.skipped:
            entries += f" ({served.skipped:,} lines skipped)"
        yield need.need, served.source, entries, _age(served, now) or "–", (served.checksum or "–")[:12]


def _json(need: NeedStatus, now: Instant, folder: str) -> dict[str, object]:
    sources = [
        {
            "source": served.source,
            "entries": served.entries,
            "skipped_lines": served.skipped,
            "dated": None if served.dated is None else iso(served.dated),
            "age_days": _days(served, now),
            "sha256": served.checksum,
        }
        for served in need.served_by
    ]
    return {"need": need.need, "sources": sources, "advice": advice(need, now, folder)}


def _days(served: Served, now: Instant) -> int | None:
    return None if served.dated is None else max(0, now - served.dated) // DAY


def _age(served: Served, now: Instant) -> str:
    days = _days(served, now)
    if days is None:
        return ""
    return "1 day" if days == 1 else f"{days} days"
