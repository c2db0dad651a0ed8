"""CPU per query through the database layer, compared with the same SQL and the same records by hand on the raw driver.

`.venv/bin/python -m bench.database` needs LOOTKEEP_TEST_POSTGRES_URL (tests/servers.py gives it). Both ways take
turns in one process on one connection each. Ends with status 1 when the layer costs more than its target.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import apsw
import asyncpg
import uvloop
from rich.console import Console
from rich.table import Table
from sqlalchemy import bindparam, insert, select

from bench import subjects
from lootkeep.domain.referrals import Tier
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import referral_tiers as tiers

# Times the CPU of the raw driver.
TARGET = 1.25
ROWS = 15
ENGINES = ("sqlite", "postgresql")

_TIER = [tiers.c[name] for name in Tier.__struct_fields__]
_ORDER = tiers.c.sort_order, tiers.c.referrals_required, tiers.c.id
LIST = Query(select(*_TIER).order_by(*_ORDER), Tier)
LOOK_UP = Query(select(*_TIER).where(tiers.c.id == bindparam("tier_id")), Tier)
ADD = Query(insert(tiers).values({name: bindparam(name) for name in Tier.__struct_fields__}))

SAMPLE = {
    "description": "Invite your friends and take a reward off your next order.",
    "referrals_required": 5,
    "reward_type": "percentage_discount",
    "reward_value": 12_50,
    "reward_currency": None,
    "coupon_validity_days": 60,
    "is_active": True,
    "claims_count": 0,
    "created_at": time.time_ns() // 1000,
    "updated_at": time.time_ns() // 1000,
}

QueryFunction = Callable[[], Awaitable[list[Tier]]]


@dataclass(frozen=True)
class QueryComparison:
    """One query done both ways."""

    engine: str
    query: str
    layer: QueryFunction
    by_hand: QueryFunction


@dataclass(frozen=True)
class QueryResult:
    """CPU microseconds of a query, and the median over the rounds of layer to raw driver."""

    engine: str
    query: str
    layer_us: float
    by_hand_us: float
    ratio: float


async def main() -> int:
    options = parse_options()
    results = []
    for engine in options.engine or ENGINES:
        async with subjects.database(engine) as database:
            open_contests = sqlite_contests if engine == "sqlite" else postgres_contests
            async with open_contests(database.url) as contests:
                results += [await measure(contest, options) for contest in contests]
    Console(width=110).print(as_table(results))
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    return int(any(result.ratio > TARGET for result in results))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.database")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    parser.add_argument("--queries", type=int, default=500, help="in a round")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures to this file")
    return parser.parse_args()


async def measure(contest: QueryComparison, options: argparse.Namespace) -> QueryResult:
    if await contest.layer() != await contest.by_hand():
        raise SystemExit(f"Both ways must find the same: {contest.engine}, {contest.query}.")
    functions = [contest.layer, contest.by_hand]
    microseconds: dict[QueryFunction, list[float]] = {function: [] for function in functions}
    for _ in range(options.rounds):
        for function in functions:
            microseconds[function].append(await cpu_us(function, options.queries))
        functions.reverse()
    layer, by_hand = microseconds[contest.layer], microseconds[contest.by_hand]
    ratio = median(ours / raw for ours, raw in zip(layer, by_hand, strict=True))
    return QueryResult(contest.engine, contest.query, median(layer), median(by_hand), ratio)


async def cpu_us(function: QueryFunction, count: int) -> float:
    started = time.process_time()
    for _ in range(count):
        await function()
    return (time.process_time() - started) * 1e6 / count


@asynccontextmanager
async def sqlite_contests(url: str) -> AsyncIterator[list[QueryComparison]]:
    path = url.removeprefix("sqlite:///")
    engine = SqliteDatabase(Path(path))
    tier_id = await fill(engine)
    connection = apsw.Connection(path)
    list_sql, look_up_sql = LIST.sqlite.sql, LOOK_UP.sqlite.sql

    async def list_by_hand() -> list[Tier]:
        return sqlite_tiers(connection.execute(list_sql).fetchall())

    async def look_up_by_hand() -> list[Tier]:
        return sqlite_tiers(connection.execute(look_up_sql, (tier_id,)).fetchall())

    yield contests_of(engine, tier_id, list_by_hand, look_up_by_hand)
    connection.close()
    await engine.close()


@asynccontextmanager
async def postgres_contests(url: str) -> AsyncIterator[list[QueryComparison]]:
    engine = await PostgresDatabase.open(url, 1)
    tier_id = await fill(engine)
    connection = await asyncpg.connect(url)
    list_sql, look_up_sql = LIST.postgres.sql, LOOK_UP.postgres.sql

    async def list_by_hand() -> list[Tier]:
        return [Tier(*row) for row in await connection.fetch(list_sql)]

    async def look_up_by_hand() -> list[Tier]:
        return [Tier(*row) for row in await connection.fetch(look_up_sql, tier_id)]

    yield contests_of(engine, tier_id, list_by_hand, look_up_by_hand)
    await connection.close()
    await engine.close()


def sqlite_tiers(rows: list[Any]) -> list[Tier]:
    """Code written by hand must make the booleans too, which SQLite does not have."""
    return [
        Tier(name, text, required, kind, value, currency, days, is_active == 1, order, id_, claims, made, changed)
        for name, text, required, kind, value, currency, days, is_active, order, id_, claims, made, changed in rows
    ]


async def fill(engine: Engine) -> int:
    """Some tiers; gives the id of the last."""
    await migrations.upgrade(engine)
    async with engine.write() as tx:
        for number in range(ROWS):
            await tx.run(ADD, **(SAMPLE | {"id": number, "name": f"Tier {number}", "sort_order": number}))
    return ROWS - 1


def contests_of(
    engine: Engine, tier_id: int, list_by_hand: QueryFunction, look_up_by_hand: QueryFunction
) -> list[QueryComparison]:
    async def list_by_layer() -> list[Tier]:
        async with engine.read() as tx:
            return await tx.all(LIST)

    async def look_up_by_layer() -> list[Tier]:
        async with engine.read() as tx:
            return await tx.all(LOOK_UP, tier_id=tier_id)

    return [
        QueryComparison(engine.name, f"list of {ROWS} rows", list_by_layer, list_by_hand),
        QueryComparison(engine.name, "look-up of one row", look_up_by_layer, look_up_by_hand),
    ]


def as_table(results: list[QueryResult]) -> Table:
    table = Table(title="CPU of one query, medians of all rounds")
    for name in ("engine", "query"):
        table.add_column(name, no_wrap=True)
    for name in ("layer us", "raw driver us", "ratio", "target"):
        table.add_column(name, justify="right")
    for result in results:
        verdict = f"{TARGET} {'met' if result.ratio <= TARGET else 'MISSED'}"
        times = f"{result.layer_us:.1f}", f"{result.by_hand_us:.1f}", f"{result.ratio:.2f}"
        table.add_row(result.engine, result.query, *times, verdict)
    return table


if __name__ == "__main__":
    # The service runs on uvloop too.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.exit(runner.run(main()))
