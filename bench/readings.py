"""What the readings of the referral program cost as a store grows, on both engines, as CPU and as time.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.readings`. Each reading is measured as its endpoint does
it, without HTTP, so that nothing constant hides growth; on PostgreSQL the server's CPU counts too. Both sizes take
turns in one process. Ends with status 1 when a reading costs more than its target.
"""

import argparse
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import uvloop
from rich.console import Console
from rich.table import Table
from sqlalchemy import func, select

from bench import data
from bench.people import RARE, code
from bench.subjects import own_seconds
from lootkeep.domain.referrals import SETTINGS, ReferralSettings
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.storage import settings as settings_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Engine, Transaction
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.referrals import lists as referral_lists_db
from lootkeep.storage.totals import counters as counters_db

# Times the cost in the small store: of figures and first pages.
TARGET = 2.0
# Of a page far down, of a filter whose matches are counted, and of the checks of whole months, in the large store.
MAX_DEEP_US = 150_000
_DEEP = ("middle page", "filtered by", "dashboard")
SIZES = (10_000, 1_000_000)
ENGINES = ("sqlite", "postgresql")
PER_PAGE = 15

Reading = Callable[[Transaction], Awaitable[Any]]
Call = Callable[[], Awaitable[Any]]


@dataclass(frozen=True)
class OpenStore:
    """A built store that is open, and the process that serves it besides this one."""

    size: int
    engine: Engine
    backend: int | None


@dataclass(frozen=True)
class Cost:
    """Microseconds of one reading."""

    cpu_us: float
    wall_us: float


@dataclass(frozen=True)
class GrowthResult:
    """A reading in the small and the large store, and the medians over the rounds of large to small."""

    engine: str
    reading: str
    small: Cost
    large: Cost
    cpu_ratio: float
    wall_ratio: float


def main() -> int:
    options = parse_options()
    results: list[GrowthResult] = []
    for engine in options.engine or ENGINES:
        locations = [built(engine, data.REFERRALS, size) for size in options.size or SIZES]
        results += uvloop.run(compare(engine, options.size or SIZES, locations, options))
    Console(width=120).print(as_table(results))
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    return int(not all(map(is_met, results)))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.readings")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    parser.add_argument("--size", type=int, nargs=2, metavar=("SMALL", "LARGE"), help="referrals [10000 1000000]")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures to this file")
    return parser.parse_args()


def built(engine: str, plan: data.DataPlan, size: int) -> str:
    started = time.monotonic()
    location = str(data.sqlite(plan, size)) if engine == "sqlite" else data.postgres(plan, size)
    print(f"{engine} with {size:,} {plan.name} is there after {time.monotonic() - started:.0f} s", file=sys.stderr)
    return location


async def compare(
    engine: str, sizes: Sequence[int], locations: list[str], options: argparse.Namespace
) -> list[GrowthResult]:
    stores = [await opened(engine, size, location) for size, location in zip(sizes, locations, strict=True)]
    calls = [as_calls(store, await readings_of(store)) for store in stores]
    results = [
        await measure(engine, name, stores, [calls_of_store[name] for calls_of_store in calls], options.rounds)
        for name in calls[0]
    ]
    for store in stores:
        await store.engine.close()
    return results


async def opened(engine: str, size: int, location: str) -> OpenStore:
    if engine == "sqlite":
        return OpenStore(size, SqliteDatabase(Path(location)), None)
    database = await PostgresDatabase.open(location, 1)
    async with database.read() as tx:
        row = await tx.one(Query(select(func.pg_backend_pid())))
    return OpenStore(size, database, row[0] if row else None)


async def readings_of(store: OpenStore) -> dict[str, Reading]:
    """The readings that the issue names, each as its endpoint does it."""
    async with store.engine.read() as tx:
        totals = await counters_db.totals(tx, "referrals.")
    middle = {status: total // 2 // PER_PAGE for status, total in totals.items()}

    def listed(number: int, **filters: str) -> Reading:
        return lambda tx: referral_lists_db.REFERRALS.page(tx, ListRequest(PageRequest(number, PER_PAGE), filters))

    return {
        "statistics": statistics,
        "leaderboard": leaderboard,
        "top referrers": lambda tx: referral_lists_db.top_referrers(tx, 10),
        "code validation": validation(store.size),
        "first page": listed(1),
        "middle page": listed(sum(totals.values()) // 2 // PER_PAGE),
        "status, first page": listed(1, status="successful"),
        "status, middle page": listed(middle["successful"], status="successful"),
        "search, three letters": listed(1, search=RARE),
        "search within a status": listed(1, search=RARE, status="pending"),
    }


async def statistics(tx: Transaction) -> None:
    for prefix in ("referrals.", "claims.", "coupon_discounts."):
        await counters_db.totals(tx, prefix)


async def leaderboard(tx: Transaction) -> None:
    event = (await settings_db.get(tx, SETTINGS, ReferralSettings)).referral_reward_event
    await referral_lists_db.leaderboard(tx, event, 10)


def validation(size: int) -> Reading:
    """Another code each time: the pages that lead to one stay at hand, those that lead to all do not."""
    number = 0

    async def validate(tx: Transaction) -> None:
        nonlocal number
        number = (number + size // 97) % size
        await settings_db.get(tx, SETTINGS, ReferralSettings)
        assert await customers_db.ROWS.find_one(tx, referral_code=code(number + 1))

    return validate


def as_calls(store: OpenStore, readings: Mapping[str, Reading]) -> dict[str, Call]:
    """Each reading in a transaction of its own."""

    async def read(reading: Reading) -> None:
        async with store.engine.read() as tx:
            await reading(tx)

    return {name: partial(read, reading) for name, reading in readings.items()}


async def measure(engine: str, name: str, stores: list[OpenStore], calls: list[Call], rounds: int) -> GrowthResult:
    pairs = list(zip(stores, calls, strict=True))
    # The slower of the two decides, so that a round takes about a tenth of a second.
    slowest = max([(await cost(*pair, 5)).wall_us for pair in pairs])
    count = max(5, min(300, int(100_000 / slowest)))
    costs: dict[int, list[Cost]] = {store.size: [] for store in stores}
    for _ in range(rounds):
        for store, call in pairs:
            costs[store.size].append(await cost(store, call, count))
        pairs.reverse()
    small, large = (costs[store.size] for store in stores)
    both = list(zip(large, small, strict=True))
    return GrowthResult(
        engine,
        name,
        middle_of(small),
        middle_of(large),
        median(ours.cpu_us / theirs.cpu_us for ours, theirs in both),
        median(ours.wall_us / theirs.wall_us for ours, theirs in both),
    )


async def cost(store: OpenStore, call: Call, count: int) -> Cost:
    def cpu() -> float:
        return time.process_time() + (own_seconds(store.backend) if store.backend else 0.0)

    before, started = cpu(), time.perf_counter()
    for _ in range(count):
        await call()
    wall, spent = time.perf_counter() - started, cpu() - before
    return Cost(spent * 1e6 / count, wall * 1e6 / count)


def middle_of(costs: list[Cost]) -> Cost:
    return Cost(median(measured.cpu_us for measured in costs), median(measured.wall_us for measured in costs))


def is_met(result: GrowthResult) -> bool:
    if any(word in result.reading for word in _DEEP):
        return result.large.cpu_us <= MAX_DEEP_US
    return max(result.cpu_ratio, result.wall_ratio) <= TARGET


def as_table(results: list[GrowthResult]) -> Table:
    title = f"Large store to small store: at most {TARGET:.1f}, or deep and at most {MAX_DEEP_US:,} us of CPU"
    table = Table(title=title, title_justify="left")
    for name in ("engine", "reading"):
        table.add_column(name)
    for name in ("CPU small us", "CPU large us", "ratio", "time small us", "time large us", "ratio"):
        table.add_column(name, justify="right")
    for result in results:
        table.add_row(result.engine, result.reading, *cells(result))
    return table


def cells(result: GrowthResult) -> list[str]:
    texts = []
    for small, large, ratio in (
        (result.small.cpu_us, result.large.cpu_us, result.cpu_ratio),
        (result.small.wall_us, result.large.wall_us, result.wall_ratio),
    ):
        colour = "green" if is_met(result) else "red"
        texts += [f"{small:,.0f}", f"{large:,.0f}", f"[{colour}]{ratio:.2f}[/]"]
    return texts


if __name__ == "__main__":
    sys.exit(main())
