"""Ten reads and writes of the API, compared with the same endpoints in FastAPI, pydantic and SQLAlchemy ORM.

Both sides take turns. CPU time counts, as wall time also depends on the neighbours on the machine; the times of the
answers are those of clients that ask again as soon as they have their answer.
"""

import asyncio
import re
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench.api import CONNECTIONS, ENDPOINTS, Side, refuse_suspected
from bench.options import Options, progress
from bench.plots import Plot, Series
from bench.receiving import spread
from bench.report import Cell, SectionResult, Table, ratio, verdict
from bench.subjects import DATABASE_CORE, SERVER_CORE, database, lootkeep, peer

# Microseconds of CPU that a read and an order may cost on one core, the database server's share included.
READ_BUDGETS = {"sqlite": 300, "postgresql": 700}
ORDER_BUDGETS = {"sqlite": 1400, "postgresql": 5000}
ROUNDS = 9
# The first round is as long as five: statistics of a few hundred orders suit a store for a day.
WARM_UP = 5
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")

TEXT = """CPU of a request in the server and in its database server, compared with the same endpoint in FastAPI,
pydantic and async SQLAlchemy ORM on uvicorn (`bench/peers/fastapi_orm`), which answers the same as far as it has the
fields. On one core a read may cost 0.3 ms on SQLite and 0.7 on PostgreSQL, an order placed 1.4 and 5.0.

PostgreSQL is measured twice: on the core of the service with 8 connections, and as users run it, on a core of its own
with 16. The client has the other cores; on a machine with two it shares that of PostgreSQL. SQLite works in the
service, so its table is both. Next to the peer, SQLite should need a seventh of its CPU, for a product and a sign-up
a fifth; PostgreSQL 1/4.5 for reads and tiers, 1/2.5 for an order placed and paid, half for a product and a sign-up.

The peer does less: it judges an order by three signals where Lootkeep uses all of them, records no traces of the
buyer, maintains no totals for lists and analytics, has no idempotency keys, and nothing sends what its outbox holds.
Everyone buys once, from their own device; nothing is reported when more than one order in a hundred is suspected of
fraud on either side. PostgreSQL has statistics of what the first round wrote, as autovacuum collects them every minute.
The order is not that of `python -m bench.processes` and `bench.scaling`, which has one line instead of two, comes from
a buyer who returns, without device and browser, and is not judged.
*Half in*: the range of half of the rounds."""


@dataclass(frozen=True)
class Arrangement:
    """Where the database server runs, how many ask at once, and what is asked of the CPU."""

    title: str
    engine: str
    database_core: int
    connections: int
    # At least this many times the requests per CPU second of the peer.
    targets: dict[str, float]
    is_budgeted: bool = True


_SLOW_WRITES, _ORDERS = ("product creation", "sign-up"), ("an order placed", "an order paid")
ON_SQLITE = dict.fromkeys(ENDPOINTS, 7.0) | dict.fromkeys(_SLOW_WRITES, 5.0)
ON_POSTGRESQL = dict.fromkeys(ENDPOINTS, 4.5) | dict.fromkeys(_ORDERS, 2.5) | dict.fromkeys(_SLOW_WRITES, 2.0)
ARRANGEMENTS = (
    Arrangement("sqlite", "sqlite", SERVER_CORE, CONNECTIONS["sqlite"], ON_SQLITE),
    Arrangement("postgresql on the same core", "postgresql", SERVER_CORE, CONNECTIONS["postgresql"], {}),
    Arrangement("postgresql on its own core", "postgresql", DATABASE_CORE, 16, ON_POSTGRESQL, is_budgeted=False),
)
COSTS = ["endpoint", "Lootkeep µs", "of it PostgreSQL", "peer µs", "of it PostgreSQL", "times", "half in"]
COSTS += ["at least times", "at most µs", ""]
WAITS = ["endpoint", "Lootkeep p50", "p99", "peer p50", "p99"]


def comparable(answer: Any, key: str = "") -> Any:
    """Without what differs by chance: moments and random codes."""
    if isinstance(answer, dict):
        return {name: comparable(value, name) for name, value in answer.items()}
    if isinstance(answer, list):
        return [comparable(value) for value in answer]
    is_moment = isinstance(answer, str) and _TIME.fullmatch(answer)
    return "any" if is_moment or (key == "referral_code" and answer) else answer


def shared(ours: Any, theirs: Any) -> Any:
    """Our answer without the fields that the peer does not have."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return {name: shared(value, theirs[name]) for name, value in ours.items() if name in theirs}
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [shared(*pair) for pair in zip(ours, theirs, strict=True)]
    return ours


def measure(options: Options) -> SectionResult:
    tables: list[Table] = []
    bars: Series = {}
    for arrangement in ARRANGEMENTS:
        if arrangement.engine not in options.engines:
            continue
        costs, waits = asyncio.run(compare(arrangement, options))
        tables.append(Table(f"{arrangement.title}: CPU of a request", COSTS, costs))
        tables.append(Table(f"{arrangement.title}: answers to {arrangement.connections} at once, ms", WAITS, waits))
        bars[arrangement.title] = [(str(row[0]), float(str(row[5]))) for row in costs]
    return SectionResult(
        tables, [Plot("api", "Requests per CPU second compared with FastAPI and SQLAlchemy ORM", "times", bars, {})]
    )


async def compare(arrangement: Arrangement, options: Options) -> tuple[list[list[Cell]], list[list[Cell]]]:
    engine, core = arrangement.engine, arrangement.database_core
    async with database(engine, core) as our_database, database(engine, core) as their_database:
        with lootkeep(our_database.url) as ours, peer(their_database.url) as theirs:
            connections = arrangement.connections
            sides = Side(ours, our_database, connections), Side(theirs, their_database, connections)
            for our_answer, their_answer in zip(*(side.seed() for side in sides), strict=True):
                if comparable(shared(our_answer, their_answer)) != comparable(their_answer):
                    raise SystemExit(f"The subjects do not answer the same:\n{our_answer}\n{their_answer}")
            rows = [await compare_endpoint(arrangement, name, sides, options) for name in ENDPOINTS]
            for side in sides:
                await refuse_suspected(f"{side.subject.name}, {arrangement.title}", side.database)
            return [costs for costs, _ in rows], [waits for _, waits in rows]


async def compare_endpoint(
    arrangement: Arrangement, name: str, sides: tuple[Side, Side], options: Options
) -> tuple[list[Cell], list[Cell]]:
    how_many = arrangement.connections if options.is_quick else ENDPOINTS[name].requests
    turns = list(sides)
    for number in range(options.rounds_or(ROUNDS) + 1):
        for side in turns:
            if number == 1:
                # The first round was for warming up.
                side.forget()
                await side.database.analyze()
            await side.round(name, how_many if number else how_many * WARM_UP)
        # The subject that was second is first in the next round, so that neither always follows the other.
        turns.reverse()
    costs, waits = cost_row(arrangement, name, sides), [spread(side.waits_ms) for side in sides]
    progress(f"{arrangement.title}: {name} {costs[5]:.2f} times")
    for side in sides:
        side.forget()
    return costs, [name, *(cell for wait in waits for cell in (wait.p50, wait.p99))]


def cost_row(arrangement: Arrangement, name: str, sides: tuple[Side, Side]) -> list[Cell]:
    ours, theirs = sides
    times, cost = ratio(theirs.both_us, ours.both_us), median(ours.both_us)
    cells = [cell for side in sides for cell in (median(side.both_us), side_of_database(side))]
    least, most = arrangement.targets.get(name), budget(arrangement.engine, name) if arrangement.is_budgeted else None
    met = [times.median >= least] if least else []
    met += [cost <= most] if most else []
    half = f"{times.low:.1f} to {times.high:.1f}"
    return [name, *cells, times.median, half, least, most, verdict(is_met=all(met)) if met else ""]


def budget(engine: str, name: str) -> int | None:
    if name == "an order placed":
        return ORDER_BUDGETS[engine]
    return READ_BUDGETS[engine] if ENDPOINTS[name].method == "GET" else None


def side_of_database(side: Side) -> float | None:
    return median(side.database_us) if side.database.postmaster else None
