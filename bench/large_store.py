"""Makes the store of `large_rows` on either engine: filled without indexes, several tables at a time on PostgreSQL."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import apsw
import asyncpg

from bench import built, data, large_activity, large_rows
from bench.large_rows import Chain, Shape
from bench.options import progress
from lootkeep.kernel.clock import HOUR, Instant
from lootkeep.storage import migrations
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.totals import recount as recount_db

# Statements at a time on PostgreSQL, each on a core if there are this many.
CONNECTIONS = 4
# What takes less is not worth a line.
SLOW_SECONDS = 10.0
_INDEXES = """SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid WHERE c.relnamespace = 'public'::regnamespace
AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)"""
_UNIQUE = """SELECT conname AS name, conrelid::regclass::text AS owner, pg_get_constraintdef(oid) AS definition
FROM pg_constraint WHERE contype = 'u' AND connamespace = 'public'::regnamespace"""
_SESSION = "SET session_replication_role = replica; SET maintenance_work_mem = '700MB'; SET work_mem = '256MB'"


async def store(engine: str, size: int) -> str:
    """The address of a store with this many orders, the last of this hour; made if it is not there yet."""
    started, end = time.monotonic(), Instant(time.time_ns() // 1000 // HOUR * HOUR)
    name = built.name_of("large", size, large_rows.__file__, large_activity.__file__)
    if engine == "sqlite":
        address = str(await built.on_sqlite(name, partial(_make_sqlite, size=size, end=end)))
    else:
        address = await built.on_postgres(name, partial(_make_postgres, size=size, end=end))
    progress(f"{engine} with {size:,} orders is there after {time.monotonic() - started:.0f} s")
    return address


def _waves(shape: Shape) -> Iterator[list[Chain]]:
    """Chains of a wave may run at the same time; a wave needs the rows of the wave before."""
    true, false = shape.flag(value=True), shape.flag(value=False)
    base = [*large_rows.people(shape, false), *large_rows.catalogue(shape, true, false)]
    yield [
        base,
        *large_rows.orders(shape),
        *large_rows.items(shape),
        large_activity.support_tickets(shape, false),
        large_activity.gift_cards(shape, true, false),
    ]
    yield [
        *large_activity.checks(shape, true, false),
        large_rows.customers(shape, true, false),
        *([statement] for statement in large_rows.sightings(shape)),
        large_activity.deliveries(shape, true),
        large_activity.payments(shape, true, false),
        large_rows.sold(),
    ]
    yield [large_rows.referrers()]


def _totals() -> list[list[Query[Any]]]:
    """The longest first, written at once: none is there yet that would be compared."""
    lists = [[comparison.add for comparison in each] for kind in recount_db.SUMS.values() for each in kind]
    return sorted(lists, key=len, reverse=True)


async def _make_sqlite(path: Path, size: int, end: Instant) -> None:
    engine = SqliteDatabase(path)
    await migrations.upgrade(engine)
    await engine.close()
    connection = apsw.Connection(str(path))
    # The file is thrown away when this does not end well.
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -2000000", "foreign_keys = OFF"):
        connection.execute(f"PRAGMA {pragma}")
    objects = list(
        connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql > ''")
    )
    searches = [name.removesuffix("_added") for _, name, _ in objects if name.endswith("_search_added")]
    lines = [f"DROP {kind} {name}" for kind, name, _ in objects]
    lines += [line for wave in _waves(Shape("sqlite", size, end)) for lines_of in wave for line in lines_of]
    lines += [f"INSERT INTO {search} ({search}) VALUES ('rebuild')" for search in searches]
    lines += [definition for _, _, definition in objects]
    with connection:
        for line in lines:
            started = time.monotonic()
            connection.execute(line)
            _report(line, started)
        started = time.monotonic()
        for query in chain.from_iterable(_totals()):
            connection.execute(query.sqlite.sql, query.sqlite.arguments({}))
        _report("the maintained totals", started)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("ANALYZE")
    connection.close()


async def _make_postgres(url: str, size: int, end: Instant) -> None:
    engine = await PostgresDatabase.open(url, 1)
    await migrations.upgrade(engine)
    await engine.close()
    connection = await asyncpg.connect(url)
    indexes, constraints = await connection.fetch(_INDEXES), await connection.fetch(_UNIQUE)
    for row in indexes:
        await connection.execute(f"DROP INDEX {row['name']}")
    for row in constraints:
        await connection.execute(f"ALTER TABLE {row['owner']} DROP CONSTRAINT {row['name']}")
    for wave in _waves(Shape("postgresql", size, end, CONNECTIONS)):
        await _run_chains(url, wave)
        await connection.execute("ANALYZE")
    await _run_chains(url, ([row["definition"]] for row in indexes))
    add = "ALTER TABLE {owner} ADD CONSTRAINT {name} {definition}"
    await _run_chains(url, ([add.format_map(row)] for row in constraints))
    await data.set_sequences(connection)
    await connection.execute("ANALYZE")
    await _run_chains(url, _totals())
    started = time.monotonic()
    await connection.execute("VACUUM ANALYZE")
    _report("VACUUM", started)
    await connection.close()


async def _run_chains(url: str, chains: Iterable[Iterable[str | Query[Any]]]) -> None:
    """Over a few connections: each takes the next chain."""
    pending = iter(chains)

    async def work() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(_SESSION)
        for line in chain.from_iterable(pending):
            started = time.monotonic()
            arguments: Sequence[Any] = () if isinstance(line, str) else line.postgres.arguments({})
            sql = line if isinstance(line, str) else line.postgres.sql
            await connection.execute(sql, *arguments)
            _report(sql, started)
        await connection.close()

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(work())


def _report(line: str, started: float) -> None:
    if (seconds := time.monotonic() - started) > SLOW_SECONDS:
        progress(f"{seconds:.0f} s: {line[:80]}")
