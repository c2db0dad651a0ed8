"""Makes a store of any size fast, by bulk loading: for the benchmarks of growth and the tests of query plans."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import apsw
import asyncpg
from sqlalchemy import Table

from bench import built, buyers, cards, copied, evidence, judged, people, rows
from lootkeep.kernel.clock import Instant
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import metadata
from lootkeep.storage.totals import recount as recount_db


@dataclass(frozen=True)
class DataPlan:
    """What is made, and the code that makes it: what other code made before is not taken for its own."""

    name: str
    parts: Callable[[int], Iterator[dict[Table, rows.Rows]]]
    code: tuple[str, ...]
    # Each row of `parts` is there this many times in the end.
    copies: int = 1


def _referrals(size: int) -> Iterator[dict[Table, rows.Rows]]:
    return chain(rows.parts(size), cards.parts(size))


# Its size is the number of referrals, and of gift cards.
REFERRALS = DataPlan("referrals", _referrals, (people.__file__, rows.__file__, cards.__file__))
# Its size is the number of orders, each with its fraud check.
_JUDGED = (people.__file__, rows.__file__, buyers.__file__, judged.__file__)
ORDERS = DataPlan("orders", judged.parts, _JUDGED)


def _evidence(size: int) -> Iterator[dict[Table, rows.Rows]]:
    return chain(judged.parts(size), evidence.parts(size))


# The same, with what has become known of the orders since.
EVIDENCE = DataPlan("evidence", _evidence, (*_JUDGED, evidence.__file__))
# The same for reports that judge each order by itself.
PAST = DataPlan("past", _evidence, (*EVIDENCE.code, copied.__file__), copies=20)


def sqlite(plan: DataPlan, size: int) -> Path:
    """The file of a store of this size, made if it is not there yet."""
    return asyncio.run(built.on_sqlite(_name(plan, size), partial(make_sqlite, plan=plan, size=size)))


def postgres(plan: DataPlan, size: int) -> str:
    """The address of a database of this size, made if it is not there yet."""
    return asyncio.run(built.on_postgres(_name(plan, size), partial(make_postgres, plan=plan, size=size)))


def _name(plan: DataPlan, size: int) -> str:
    return built.name_of(plan.name, size, *plan.code)


def _parts(plan: DataPlan, size: int) -> Iterator[tuple[Table, list[str], list[tuple[object, ...]]]]:
    for part in plan.parts(size // plan.copies):
        for table, records in part.items():
            names = list(dict.fromkeys(name for row in records for name in row))
            yield table, names, [tuple(row.get(name) for name in names) for row in records]


async def make_sqlite(path: Path, plan: DataPlan, size: int) -> None:
    engine = SqliteDatabase(path)
    await migrations.upgrade(engine)
    await engine.close()
    connection = apsw.Connection(str(path))
    # The file is thrown away when this does not end well.
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -1000000"):
        connection.execute(f"PRAGMA {pragma}")
    with connection:
        for table, names, records in _parts(plan, size):
            marks = ", ".join("?" * len(names))
            connection.executemany(f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks})", records)
        for statement in copied.statements(size // plan.copies, plan.copies):
            connection.execute(statement)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    await count(SqliteDatabase(path), rows.NOW)


async def make_postgres(url: str, plan: DataPlan, size: int) -> None:
    engine = await PostgresDatabase.open(url, 1)
    await migrations.upgrade(engine)
    await engine.close()
    connection = await asyncpg.connect(url)
    # The rows are right by themselves, and an index of trigrams is made faster at once than row by row.
    await connection.execute("SET session_replication_role = replica; DROP INDEX ix_customers_search_text")
    for table, names, records in _parts(plan, size):
        await connection.copy_records_to_table(table.name, records=records, columns=names)
    for statement in copied.statements(size // plan.copies, plan.copies):
        await connection.execute(statement)
    await connection.execute("CREATE INDEX ix_customers_search_text ON customers USING gin (search_text gin_trgm_ops)")
    await finish_postgres(connection, url, rows.NOW)


async def finish_postgres(connection: asyncpg.Connection, url: str, now: Instant) -> None:
    """After the rows: their sequences, their totals, and what autovacuum does to a database that lives."""
    await set_sequences(connection)
    await connection.execute("ANALYZE")
    await count(await PostgresDatabase.open(url, 1), now)
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


async def set_sequences(connection: asyncpg.Connection) -> None:
    """After rows that have their ids: the next row gets another one."""
    for table in metadata.sorted_tables:
        if "id" in table.c:
            await connection.execute(
                f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), max(id)) FROM {table.name}"
            )


async def count(engine: Engine, now: Instant) -> None:
    """The maintained totals, as the rows add up."""
    async with engine.write(is_long=True) as tx:
        await recount_db.repair(tx, "USD", now)
    await engine.close()
