"""A store with ten million orders: what its reads, checkouts, backups and the like take, with their budgets.

`python -m bench --section ten_million --engine postgresql` makes the store if it is not there yet. Operations are timed
from outside, with the CPU of the service, of its commands and of the database server.
"""

import asyncio
import logging
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import apsw
import asyncpg
import structlog
import uvloop

from bench import built, growth, large_rows, large_store
from bench.api import BROWSER
from bench.checkout import Visit, judge, spent
from bench.facts import postmaster_of
from bench.footprint import start
from bench.growth import GrownStore
from bench.large_clients import place_and_pay, read_lists
from bench.options import Options, progress
from bench.readings import opened
from bench.receiving import spread
from bench.report import Cell, SectionResult, Table, verdict
from bench.subjects import LOOTKEEP, Subject, cpu_seconds, environment, free_port, ready, run_command, server
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.fraud.facts import Payment
from lootkeep.kernel.clock import DAY, Instant, SystemClock
from lootkeep.services import retention as retention_service
from lootkeep.storage.customers import rows as customers_db
from tests.world import KEY, World

SIZE, SMALL, QUICK_SIZE = 10_000_000, 10_000, 20_000
CONNECTIONS, ORDERS = 8, 400
CORES, BUSY = 16, 0.5
# CPU milliseconds of an order, and of its judgement; what takes minutes has the budget of a night or of an upgrade.
ORDER_MS = {"sqlite": 1.4, "postgresql": 5.0}
JUDGEMENT_MS = {"sqlite": 0.5, "postgresql": 2.5}
P99_MS, START_SECONDS, RETENTION_SECONDS, INDEX_SECONDS, BACKUP_SECONDS, RESTORE_SECONDS = 100, 1.5, 60, 300, 3600, 7200
# A budget that is left by more than this is to be repaired.
TOLERANCE = 2.0
ROUNDS = 3
WHILE = ", while an index is made"
_INDEX = "INDEX {} bench_updated ON orders (updated_at, id)"
_SIZES = """SELECT relname, reltuples::bigint, pg_table_size(oid) / 1e6::float8, pg_indexes_size(oid) / 1e6::float8
FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
ORDER BY pg_total_relation_size(oid) DESC LIMIT 15"""

TEXT = f"""A store of two years with ten million orders: customers, lines, fraud checks, sightings, tickets, gift cards
and coupons in proportion, events and deliveries of 30 days. First what each operation takes while {CONNECTIONS}
connections place and pay orders or alone, then the size of its tables, then the CPU of every read compared with a store
of {SMALL:,} orders. Backup and restore have a section of their own. The estimate for {CORES} cores is calculated, not
measured: a rate is {CORES} cores divided by the CPU of one operation, half of it; what runs on one core takes its CPU
seconds; latencies are the CPU of one request."""


@dataclass
class Figures:
    """The rows of one engine: what, measured, budget, estimate, verdict."""

    engine: str
    rows: list[list[Cell]] = field(default_factory=list)

    def add(self, what: str, figure: float, budget: float | None = None, estimate: float | None = None) -> None:
        is_met = "" if budget is None else verdict(is_met=figure <= budget * TOLERANCE)
        progress(f"{self.engine}: {what} {figure:.2f}, budget {budget}, estimate {estimate}")
        self.rows.append([what, figure, budget, estimate, is_met])


@dataclass(frozen=True)
class Target:
    """The store that is measured, and the process above all of its server."""

    engine: str
    size: int
    location: str
    postmaster: int | None

    @property
    def settings(self) -> dict[str, str]:
        url = f"sqlite:///{self.location}" if self.engine == "sqlite" else self.location
        return {
            "LOOTKEEP_DATABASE_URL": url,
            "LOOTKEEP_SECRET_KEY": KEY,
            "LOOTKEEP_PORT": str(free_port()),
            "LOOTKEEP_RATE_LIMIT_PER_MINUTE": "0",
            "LOOTKEEP_LOG_LEVEL": "error",
        }

    async def execute(self, line: str) -> None:
        """Next to the service, as an administrator would."""
        if self.engine == "sqlite":
            await asyncio.to_thread(lambda: apsw.Connection(self.location).execute(line))
        else:
            connection = await asyncpg.connect(self.location)
            await connection.execute(line)
            await connection.close()


TEXT_BACKUP = "`lootkeep backup` and `restore` of the same store. Both work on one core: the estimate is CPU seconds."
_COLUMNS = ["", "measured", "budget", f"estimate for {CORES} cores", ""]


def measure(options: Options) -> SectionResult:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    tables: list[Table] = []
    for target in _targets(options):
        small = asyncio.run(large_store.store(target.engine, SMALL))
        figures = Figures(target.engine)
        more = uvloop.run(_measure_open(figures, target, {SMALL: small, target.size: target.location}, options))
        tables += [Table(f"{target.engine}: {target.size:,} orders", _COLUMNS, figures.rows), *more]
    return SectionResult(tables)


def measure_backup(options: Options) -> SectionResult:
    tables: list[Table] = []
    for target in _targets(options):
        figures = Figures(target.engine)
        _backup(figures, target)
        tables.append(Table(f"{target.engine}: {target.size:,} orders", _COLUMNS, figures.rows))
    return SectionResult(tables)


def _targets(options: Options) -> Iterator[Target]:
    (size,) = options.rows or ((QUICK_SIZE if options.is_quick else SIZE),)
    for engine in options.engines:
        location = asyncio.run(large_store.store(engine, size))
        postmaster = asyncio.run(postmaster_of(location)) if engine == "postgresql" else None
        yield Target(engine, size, location, postmaster)


async def _measure_open(figures: Figures, target: Target, locations: dict[int, str], options: Options) -> list[Table]:
    """Everything that needs the store open; the sizes and the reads have tables of their own."""
    now, engine = SystemClock().now(), target.engine
    stores = [await growth.open_store(engine, each, location, now) for each, location in locations.items()]
    await _judgements(figures, stores)
    reads, left_out = await growth.compare(
        engine, stores, Options(options.is_quick, options.engines, options.rounds_or(ROUNDS))
    )
    sizes = await _sizes(target)
    await _service(figures, target)
    await _retention(figures, target, now)
    note = f"Not measured, as the store has no example: {', '.join(left_out)}." if left_out else ""
    read_columns = [engine, *(f"ms with {each:,}" for each in locations), "times", "half in", ""]
    return [
        Table(f"{engine}: the largest tables", ["table", "rows", "MB", "MB of indexes"], sizes),
        Table(f"{engine}: CPU of reads in ms", read_columns, reads, note),
    ]


async def _judgements(figures: Figures, stores: list[GrownStore]) -> None:
    """Of returning customers from all over the store."""
    medians = []
    for each in stores:
        store, step = each.store, each.size // large_rows.ORDERS_OF_A_CUSTOMER // 100
        async with store.engine.write() as tx:
            visits = [_visit(await customers_db.ROWS.get(tx, number * step)) for number in range(1, 100)]
            operation = partial(judge, each.world.deps, tx)
            await spent(store, operation, visits)
            medians.append(median((await spent(store, operation, visits)).cpu_us) / 1000)
    figures.add(
        f"judging an order, CPU ms ({medians[0]:.2f} with {SMALL:,})", medians[-1], JUDGEMENT_MS[figures.engine]
    )


def _visit(customer: Any) -> Visit:
    number = customer.id
    ip = f"16.{number // 3 // 65536 % 256}.{number // 3 // 256 % 256}.{number // 3 % 256}"
    payment = Payment(instrument=f"n{number}", country="DE")
    return Cart(number, (CartLine(2, 1),), ip, "DE", BROWSER, f"d{number}", payment=payment), customer


async def _sizes(target: Target) -> list[list[Cell]]:
    if target.engine == "postgresql":
        connection = await asyncpg.connect(target.location)
        rows = [list(row) for row in await connection.fetch(_SIZES)]
        await connection.close()
        return rows
    tables = "coalesce((SELECT tbl_name FROM sqlite_schema AS s WHERE s.name = d.name), d.name)"
    own = f"sum(pgsize * (d.name = {tables})) / 1e6, sum(pgsize * (d.name <> {tables})) / 1e6"
    query = f"SELECT {tables}, NULL, {own} FROM dbstat('main', 1) AS d GROUP BY 1 ORDER BY sum(pgsize) DESC LIMIT"
    return [list(row) for row in apsw.Connection(target.location).execute(f"{query} 15")]


async def _service(figures: Figures, target: Target) -> None:
    """The start, orders under load, and an index that is made meanwhile."""
    settings = target.settings
    figures.add("start, CPU s", median(start(settings)[1] for _ in range(ROUNDS)), START_SECONDS)
    token = run_command([LOOTKEEP, "token", "create", "--name", "bench", "--all-scopes", "--quiet"], settings).strip()
    with server([LOOTKEEP, "serve"], settings) as process:
        subject = ready(Subject("Lootkeep", process.pid, int(settings["LOOTKEEP_PORT"]), token), process)
        subject.call("PUT", {"is_active": False}, "/api/external/v1/webhooks/1")
        customers = target.size // large_rows.ORDERS_OF_A_CUSTOMER
        # Without those who are blocked.
        buyers = (number for number in range(1, customers, max(1, customers // 1000)) if number % 1000 != 3)
        await _orders(figures, target, subject, buyers, "")
        started = time.monotonic()
        if target.engine == "postgresql":
            index = asyncio.create_task(target.execute(f"CREATE {_INDEX.format('CONCURRENTLY')}"))
            await _orders(figures, target, subject, buyers, WHILE)
        else:
            index = asyncio.create_task(target.execute(f"CREATE {_INDEX.format('')}"))
            await _lists(figures, subject)
        await index
        figures.add("an index of orders made meanwhile, s", time.monotonic() - started, INDEX_SECONDS)
        await target.execute("DROP INDEX bench_updated")


async def _orders(figures: Figures, target: Target, subject: Subject, numbers: Iterator[int], when: str) -> None:
    times: dict[str, list[float]] = {"placed": [], "paid": []}
    cpu, started = _cpu(target, subject), time.monotonic()
    await asyncio.gather(
        *(
            place_and_pay(subject, [next(numbers) for _ in range(ORDERS // CONNECTIONS)], times)
            for _ in range(CONNECTIONS)
        )
    )
    seconds, each_ms = time.monotonic() - started, (_cpu(target, subject) - cpu) * 1000 / ORDERS
    for name, taken in times.items():
        both = spread(taken)
        figures.add(f"an order {name}, p50 ms{when}", both.p50, None, each_ms / 2)
        figures.add(f"an order {name}, p99 ms{when}", both.p99, P99_MS)
    if not when:
        figures.add("placed and paid, CPU ms", each_ms, 2 * ORDER_MS[target.engine])
        figures.add("placed and paid, a second", ORDERS / seconds, None, CORES * BUSY * 1000 / each_ms)


def _cpu(target: Target, subject: Subject) -> float:
    return cpu_seconds(subject.pid) + cpu_seconds(target.postmaster)


async def _lists(figures: Figures, subject: Subject) -> None:
    """SQLite has one writer: while it makes an index, orders wait, and pages are read."""
    times: list[float] = []
    await asyncio.gather(
        *(read_lists(subject, ORDERS // CONNECTIONS, "/api/external/v1/orders", times) for _ in range(CONNECTIONS))
    )
    both = spread(times)
    figures.add(f"the first page of orders, p50 ms{WHILE}", both.p50)
    figures.add(f"the first page of orders, p99 ms{WHILE}", both.p99, P99_MS)


async def _retention(figures: Figures, target: Target, now: Instant) -> None:
    """Of what a day makes old."""
    store = await opened(target.engine, target.size, target.location)
    world = World(store.engine)
    started = time.monotonic()
    await retention_service.purge(world.deps, Instant(now + DAY), large_rows.KEPT // DAY, large_rows.KEPT // DAY)
    figures.add("retention of a day, s", time.monotonic() - started, RETENTION_SECONDS)
    await world.close()
    await store.engine.close()


def _backup(figures: Figures, target: Target) -> None:
    with tempfile.TemporaryDirectory(dir=built.CACHE) as folder, _empty(target, folder) as url:
        settings, file = target.settings, str(Path(folder, "backup"))
        for name, budget, where in (
            ("backup", BACKUP_SECONDS, settings),
            ("restore", RESTORE_SECONDS, settings | {"LOOTKEEP_DATABASE_URL": url}),
        ):
            cpu, started = cpu_seconds(os.getpid()) + cpu_seconds(target.postmaster), time.monotonic()
            subprocess.run([LOOTKEEP, name, file], env=environment(where), check=True, stdout=subprocess.DEVNULL)
            spent_cpu = cpu_seconds(os.getpid()) + cpu_seconds(target.postmaster) - cpu
            figures.add(f"{name}, s", time.monotonic() - started, budget, spent_cpu)
            if name == "backup":
                figures.add("size of the backup, MB", Path(file).stat().st_size / 1e6)


@contextmanager
def _empty(target: Target, folder: str) -> Iterator[str]:
    """The address of a database to restore into, gone afterwards."""
    if target.engine == "sqlite":
        yield f"sqlite:///{folder}/restored.db"
        return
    name = f"restored_{os.getpid()}"
    asyncio.run(target.execute(f"CREATE DATABASE {name}"))
    try:
        yield f"{target.location.rpartition('/')[0]}/{name}"
    finally:
        asyncio.run(target.execute(f"DROP DATABASE {name}"))
