"""The engine for many machines: PostgreSQL through asyncpg, with a pool that costs next to nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

import asyncpg

from lootkeep.kernel.errors import StartupError, Unavailable
from lootkeep.storage.database import Transaction
from lootkeep.storage.postgres_pool import OUTAGES, Connection, Pool
from lootkeep.storage.query import Query

R = TypeVar("R")

_TRY = "SELECT pg_try_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1::text[]) AS name"
# In the order of what is really locked, the numbers: two transactions never wait for each other in a circle, even when
# two names have the same number.
_WAIT = """
SELECT pg_advisory_xact_lock(number)
FROM (SELECT hashtextextended(name, 0) AS number FROM unnest($1::text[]) AS name ORDER BY number) AS numbers
"""


class PostgresTransaction:
    """Runs queries on one connection."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def all(self, query: Query[R], **values: Any) -> list[R]:
        compiled = query.postgres
        return compiled.records(await self._fetch(compiled.sql, compiled.arguments(values)))

    async def long(self, query: Query[R], **values: Any) -> list[R]:
        return await self.all(query, **values)

    async def one(self, query: Query[R], **values: Any) -> R | None:
        found = await self.all(query, **values)
        return found[0] if found else None

    async def run(self, query: Query[Any], **values: Any) -> None:
        await self.all(query, **values)

    async def each(self, query: Query[R], rows: list[dict[str, Any]]) -> list[R]:
        if len(rows) == 1:
            # Arrays of one would cost more than the plain statement does.
            return await self.all(query, **rows[0])
        compiled = query.postgres_set
        return compiled.records(await self._fetch(compiled.sql, compiled.arguments(rows))) if rows else []

    async def many(self, query: Query[Any], rows: list[dict[str, Any]]) -> None:
        if query.at_once or len(rows) == 1:
            await self.each(query, rows)
            return
        compiled = query.postgres
        try:
            await self.connection.executemany(compiled.sql, [compiled.arguments(values) for values in rows])
        except OUTAGES as error:
            raise Unavailable from error

    async def insert(self, query: Query[Any], rows: list[dict[str, Any]]) -> list[int]:
        return [added[0] for added in await self.each(query, rows)]

    async def _fetch(self, sql: str, arguments: list[Any]) -> list[Any]:
        try:
            return await self.connection.fetch(sql, *arguments)
        except asyncpg.DataError:
            # A value that no column can hold is a fault of ours, though asyncpg counts it among its own troubles.
            raise
        except OUTAGES as error:
            raise Unavailable from error

    async def lock(self, name: str) -> bool:
        (is_taken,) = await self.lock_each([name])
        return is_taken

    async def lock_each(self, names: Sequence[str]) -> list[bool]:
        return [is_taken for (is_taken,) in await self._advisory(_TRY, names)]

    async def wait_for(self, *names: str) -> None:
        await self._advisory(_WAIT, names)

    async def _advisory(self, sql: str, names: Sequence[str]) -> list[Any]:
        try:
            return await self.connection.fetch(sql, names)
        except OUTAGES as error:
            raise Unavailable from error


class PostgresDatabase:
    """One PostgreSQL database behind a pool of connections."""

    name = "postgresql"

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @classmethod
    async def open(cls, url: str, connections: int) -> PostgresDatabase:
        """Connects once at the start, so that a wrong address is told at once."""
        pool = Pool(url, connections)
        try:
            pool.give_back(await pool.take())
        except (*OUTAGES, Unavailable, asyncpg.PostgresError, ValueError) as error:
            cause = error.__cause__ or error
            raise StartupError(
                f"PostgreSQL cannot be reached: {cause or type(cause).__name__}. "
                "Check LOOTKEEP_DATABASE_URL and that the server is running."
            ) from None
        return cls(pool)

    def read(self, *, slow: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return _Read(self._pool)

    def write(self, *, single: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return _Read(self._pool) if single else _Write(self._pool)

    async def revision(self) -> str | None:
        connection = await self._pool.take()
        try:
            return await _revision(connection)
        finally:
            self._pool.give_back(connection)

    async def migrate(self, script: Callable[[str | None], str]) -> None:
        async with _Write(self._pool) as tx:
            connection = tx.connection
            await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('lootkeep migrate', 0))")
            statements = script(await _revision(connection))
            if statements:
                await _run_script(connection, statements)

    async def close(self) -> None:
        await self._pool.close()


class _Read(AbstractAsyncContextManager[Transaction]):
    """A connection on loan; every query commits by itself."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def __aenter__(self) -> Transaction:
        self._connection = await self._pool.take()
        return PostgresTransaction(self._connection)

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        _abandon_if_cancelled(self._connection, kind)
        self._pool.give_back(self._connection)


class _Write(AbstractAsyncContextManager[PostgresTransaction]):
    """A connection on loan with a transaction open."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def __aenter__(self) -> PostgresTransaction:
        self._connection = await self._pool.take()
        try:
            await self._connection.execute("BEGIN")
        except BaseException as error:
            self._pool.discard(self._connection)
            if isinstance(error, OUTAGES):
                raise Unavailable from error
            raise
        return PostgresTransaction(self._connection)

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        _abandon_if_cancelled(self._connection, kind)
        try:
            if not self._connection.is_closed():
                await self._connection.execute("COMMIT" if kind is None else "ROLLBACK")
            elif kind is None:
                raise Unavailable
        except BaseException as error:
            self._pool.discard(self._connection)
            if isinstance(error, OUTAGES):
                raise Unavailable from error
            raise
        self._pool.give_back(self._connection)


def _abandon_if_cancelled(connection: Connection, kind: type[BaseException] | None) -> None:
    """A request that was cancelled may leave a query running: that connection is not lent again."""
    if kind is not None and issubclass(kind, asyncio.CancelledError):
        connection.terminate()


async def _run_script(connection: Connection, statements: str) -> None:
    try:
        await connection.execute(statements)
    except asyncpg.DuplicateTableError as error:
        raise StartupError(
            f"The database holds tables of another program ({error}). Give Lootkeep a database of its own."
        ) from None


async def _revision(connection: Connection) -> str | None:
    if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
        return None
    found = await connection.fetchval("SELECT version_num FROM alembic_version")
    return None if found is None else str(found)
