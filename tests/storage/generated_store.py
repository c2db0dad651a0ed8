"""A store generated in bulk, and the cost of the queries on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest
from sqlalchemy import func, select

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.queue import MAX_COUNTED
from lootkeep.storage.schema import metadata
from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database
from tests.storage.plans import QueryRecorder, QueryWork, RecordedQuery, postgres_work, sqlite_work

LARGE = 10_000
# A page of fifteen joined rows and up to a thousand skipped keys; a table of this size would be many times that.
MAX_STEPS = 36_000
MAX_ROWS = 5_000
# Sums of each day are bounded by a store's age, not by what is in it.
SUMS = "FROM sales_rollups"
# Counts what a filter leaves, which may be much; the index it walks is shown by the plan.
COUNTING = "SELECT count(*)"

ALIASES = {"brought_by": "customers"}


class Rollback(Exception):
    """Rolls an operation back."""


def location_of(
    name: str, make_sqlite: Callable[[Path], Awaitable[None]], make_postgres: Callable[[str], Awaitable[None]]
) -> Any:
    """A fixture: the location of a store that is built once for all tests, on each engine in turn."""

    @pytest.fixture(scope="session", params=ENGINES)
    def db_location(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path | str]:
        if request.param == "sqlite":
            path = tmp_path_factory.mktemp(name) / f"{name}.db"
            asyncio.run(_generated(make_sqlite(path)))
            yield path
            return
        admin_url = request.getfixturevalue("postgres_admin_url")
        run, worker = request.getfixturevalue("testrun_uid"), request.getfixturevalue("worker_id")
        url = asyncio.run(new_postgres_database(admin_url, f"lootkeep_{run[:8]}_{worker}_{name}"))
        asyncio.run(_generated(make_postgres(url)))
        yield url
        asyncio.run(drop_postgres_database(admin_url, url))

    return db_location


async def _generated(making: Awaitable[None]) -> None:
    await making


@dataclass
class GeneratedStore:
    """The generated store, and a connection that explains query plans."""

    engine: Engine
    explain: Callable[[RecordedQuery], Awaitable[QueryWork]]
    most: int
    large: set[str]

    async def works(self, recorder: QueryRecorder) -> list[QueryWork]:
        assert recorder.asked
        return [await self.explain(query) for query in recorder.asked]

    def is_small(self, work: QueryWork) -> bool:
        if SUMS in work.sql:
            return not work.scanned & self.large
        # A table that is in the order of the list is walked along until the page is full.
        is_walked = work.touched <= self.most // 10
        is_counting = work.sql.startswith(COUNTING)
        return is_walked or (not work.scanned & self.large and (is_counting or work.touched <= self.most))

    def is_by_index(self, work: QueryWork) -> bool:
        """The query of a list: it goes along an index, and sorts the page alone, or what a filter's index found."""
        is_in_order = not work.sorts_many or "fetched" in work.sql
        is_counting = work.sql.startswith(COUNTING)
        # A log is counted up to a limit, in whatever order its rows come; SQLite takes eight steps for each.
        if is_counting and "LIMIT" in work.sql and work.touched <= 9 * MAX_COUNTED:
            return True
        return self.is_small(work) or (not work.scanned & self.large and (is_counting or is_in_order))


@asynccontextmanager
async def opened(db_location: Path | str) -> AsyncIterator[GeneratedStore]:
    """Opens a generated store by its file or database URL."""
    if isinstance(db_location, Path):
        engine = SqliteDatabase(db_location)
        connection = apsw.Connection(str(db_location))
        yield GeneratedStore(engine, partial(sqlite_work, connection, ALIASES), MAX_STEPS, await _large(engine))
        connection.close()
        await engine.close()
    else:
        database = await PostgresDatabase.open(db_location, 2)
        explaining = await asyncpg.connect(db_location)
        yield GeneratedStore(database, partial(postgres_work, explaining), MAX_ROWS, await _large(database))
        await explaining.close()
        await database.close()


async def _large(engine: Engine) -> set[str]:
    tables = set()
    async with engine.read() as tx:
        for table in metadata.sorted_tables:
            count = await tx.one(Query(select(func.count()).select_from(table)))
            if count and count[0] > LARGE:
                tables.add(table.name)
    return tables
