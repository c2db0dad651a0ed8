"""What judging an order and reading fraud checks cost as a store grows, on both engines, as CPU and as time.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.fraud`. Everything is measured as the checkout and the
endpoints do it, without HTTP, with the lists that come with the installation; on PostgreSQL the server's CPU counts
too. Both sizes take turns in one process. Ends with status 1 when a target is missed.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles

import uvloop
from rich.console import Console
from rich.table import Table

from bench import data
from bench.buyers import YEAR
from bench.checkout import Spent, judge, placing, spent, visits_of
from bench.growth import ENGINES, SIZES, TARGET, Reading, Result, Store, as_table, built, measure, opened
from bench.people import END
from lootkeep.engines.intelligence import Intelligence
from lootkeep.kernel.clock import DAY, Instant, SystemClock, instant, utc
from lootkeep.kernel.paging import Page
from lootkeep.storage import fraud_lists
from lootkeep.storage.database import Transaction
from lootkeep.storage.fraud_lists import Filters

PER_PAGE = 20
# CPU of one judgement with its facts, on SQLite: the middle one, the slowest of a hundred, and large store to small.
MOST_US = 1000.0
MOST_US_P99 = 3000.0
MOST_GROWTH = 1.5
# CPU of placing an order as a whole, on either engine.
MOST_PLACING_US = 2500.0

_MIDDLE = Instant(END - YEAR // 2 - (END - YEAR // 2) % DAY)
FILTERS: dict[str, Filters] = {
    "all checks": Filters(),
    "level low": Filters(risk_level="low"),
    "level critical": Filters(risk_level="critical"),
    "action flagged": Filters(action_taken="flagged"),
    "open": Filters(is_reviewed=False),
    "reviewed": Filters(is_reviewed=True),
    "half a year": Filters(start=_MIDDLE),
    "until half a year ago": Filters(end=_MIDDLE),
    "a month": Filters(start=_MIDDLE, end=Instant(_MIDDLE + 30 * DAY)),
    "low, allowed, open": Filters("low", "allowed", False),
    "blocked and open": Filters(action_taken="blocked", is_reviewed=False),
    "open in half a year": Filters(is_reviewed=False, start=_MIDDLE),
    "high, reviewed, a month": Filters("high", is_reviewed=True, start=_MIDDLE, end=Instant(_MIDDLE + 30 * DAY)),
}


@dataclass(frozen=True)
class Judging:
    """CPU microseconds of one call in the small and the large store."""

    engine: str
    what: str
    small_us: float | None
    large_us: float
    p99_us: float
    wall_us: float

    @property
    def growth(self) -> float | None:
        return self.large_us / self.small_us if self.small_us else None

    @property
    def is_met(self) -> bool:
        if self.small_us is None:
            return self.large_us <= MOST_PLACING_US
        if self.engine != "sqlite":
            return True
        return self.large_us < MOST_US and self.p99_us < MOST_US_P99 and (self.growth or 0) <= MOST_GROWTH


def main() -> int:
    options = parse_options()
    intelligence = Intelligence(None, SystemClock())
    judged: list[Judging] = []
    listed: list[Result] = []
    for engine in options.engine or ENGINES:
        sizes = options.size or SIZES
        addresses = [built(engine, data.ORDERS, size) for size in sizes]
        judging, lists = uvloop.run(compare(engine, sizes, addresses, intelligence, options))
        judged += judging
        listed += lists
        placed = uvloop.run(placing(engine, sizes[-1], addresses[-1], intelligence))
        judged.append(summed(engine, "an order placed", None, placed))
    console = Console(width=120)
    console.print(judging_table(judged))
    console.print(as_table(listed))
    if options.json:
        options.json.write_text(json.dumps([*map(asdict, judged), *map(asdict, listed)], indent=2) + "\n")
    is_flat = all(max(one.cpu_ratio, one.wall_ratio) <= TARGET for one in listed)
    return int(not (is_flat and all(one.is_met for one in judged)))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.fraud")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    parser.add_argument("--size", type=int, nargs=2, metavar=("SMALL", "LARGE"), help="orders [10000 1000000]")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures to this file")
    return parser.parse_args()


async def compare(
    engine: str, sizes: Sequence[int], addresses: list[str], intelligence: Intelligence, options: argparse.Namespace
) -> tuple[list[Judging], list[Result]]:
    stores = [await opened(engine, size, address) for size, address in zip(sizes, addresses, strict=True)]
    judging = await judgements(engine, stores, intelligence, options.rounds)
    readings = [await readings_of(store) for store in stores]
    lists = [
        await measure(engine, name, stores, [found[name] for found in readings], options.rounds) for name in readings[0]
    ]
    for store in stores:
        await store.engine.close()
    return judging, lists


async def judgements(engine: str, stores: list[Store], intelligence: Intelligence, rounds: int) -> list[Judging]:
    visits = {store.size: await visits_of(store) for store in stores}
    costs = {(store.size, kind): Spent([], []) for store in stores for kind in visits[store.size]}
    # The first round is for warming up.
    for number in range(rounds + 1):
        for kind in next(iter(visits.values())):
            for store in stores if number % 2 else reversed(stores):
                found = await spent(store, lambda visit: judge(store, intelligence, visit), visits[store.size][kind])  # noqa: B023
                if number:
                    costs[store.size, kind].cpu_us.extend(found.cpu_us)
                    costs[store.size, kind].wall_us.extend(found.wall_us)
    small, large = (store.size for store in stores)
    kinds = [kind for size, kind in costs if size == small]
    return [summed(engine, f"judged, {kind}", costs[small, kind], costs[large, kind]) for kind in kinds]


def summed(engine: str, what: str, small: Spent | None, large: Spent) -> Judging:
    slowest = quantiles(large.cpu_us, n=100)[-1]
    return Judging(
        engine,
        what,
        median(small.cpu_us) if small else None,
        median(large.cpu_us),
        slowest,
        median(large.wall_us),
    )


async def readings_of(store: Store) -> dict[str, Reading]:
    """The list with its filters and the dashboard, each as its endpoint does it."""
    found: dict[str, Reading] = {"dashboard": dashboard}
    async with store.engine.read() as tx:
        for name, filters in FILTERS.items():
            _, total = await fraud_lists.page(tx, Page(1, PER_PAGE), filters)
            found[f"{name}, first page"] = _listed(1, filters)
            found[f"{name}, middle page"] = _listed(max(1, total // 2 // PER_PAGE), filters)
    return found


def _listed(number: int, filters: Filters) -> Reading:
    return lambda tx: fraud_lists.page(tx, Page(number, PER_PAGE), filters)


async def dashboard(tx: Transaction) -> None:
    today = utc(Instant(END - DAY)).replace(hour=0, minute=0, second=0, microsecond=0)
    tomorrow = instant(today + timedelta(days=1))
    for first in (today, today - timedelta(days=today.weekday()), today.replace(day=1)):
        await fraud_lists.made_between(tx, instant(first), tomorrow)
    await fraud_lists.pending_review(tx)


def judging_table(results: list[Judging]) -> Table:
    table = Table(title="A checkout's CPU, microseconds", title_justify="left")
    for name in ("engine", "what"):
        table.add_column(name)
    for name in ("small", "large", "growth", "p99, large", "time, large", "target"):
        table.add_column(name, justify="right")
    for one in results:
        table.add_row(
            one.engine,
            one.what,
            f"{one.small_us:,.0f}" if one.small_us else "",
            f"{one.large_us:,.0f}",
            f"{one.growth:.2f}" if one.growth else "",
            f"{one.p99_us:,.0f}",
            f"{one.wall_us:,.0f}",
            "[green]met[/]" if one.is_met else "[red]missed[/]",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
