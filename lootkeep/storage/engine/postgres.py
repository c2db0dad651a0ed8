"""The engine for many machines: PostgreSQL through asyncpg, with a very cheap pool."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any, TypeVar

import asyncpg
import structlog

from lootkeep.kernel.errors import StartupError, Unavailable, Unreachable
from lootkeep.storage.engine import postgres_schema
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.postgres_pool import Pool
from lootkeep.storage.engine.postgres_session import (
    DEADLINES,
    OUTAGES,
    POOLER_SENTENCE,
    Connection,
    Deadlines,
    Sessions,
    is_poolers,
    lengthen,
    patience,
)
from lootkeep.storage.engine.postgres_tokens import changing_tokens, watching_tokens
from lootkeep.storage.engine.query import Query

log = structlog.get_logger(__name__)

R = TypeVar("R")

_TRY = "SELECT pg_try_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1::text[]) AS name"
# Sorted by what is really locked, the numbers: no two transactions deadlock, even if two names have the same number.
_WAIT = """
SELECT pg_advisory_xact_lock(number)
FROM (SELECT hashtextextended(name, 0) AS number FROM unnest($1::text[]) AS name ORDER BY number) AS numbers
"""
# Tables of an extension (deptype e) do not show which program uses the database.
_TABLES = (
    "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"
    " AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid"
    " AND deptype = 'e')"
)


class PostgresTransaction:
    """Runs queries on one connection."""

    def __init__(self, pool: Pool, connection: Connection, seconds: float | None = None) -> None:
        self.pool = pool
        self.connection = connection
        # How long a statement may take; None means the default of the connection.
        self._timeout = None if seconds is None else patience(seconds)

    async def all(self, query: Query[R], **values: Any) -> list[R]:
        compiled = query.postgres
        return compiled.records(await self.fetch(compiled.sql, compiled.arguments(values)))

    async def run_slow(self, query: Query[R], **values: Any) -> list[R]:
        if self._timeout is None:
            seconds = self.pool.deadlines.long_statement
            await self.command(lengthen(seconds))
            self._timeout = patience(seconds)
        return await self.all(query, **values)

    async def one(self, query: Query[R], **values: Any) -> R | None:
        rows = await self.all(query, **values)
        return rows[0] if rows else None

    async def run(self, query: Query[Any], **values: Any) -> None:
        await self.all(query, **values)

    async def fetch_for_each(self, query: Query[R], rows: list[dict[str, Any]]) -> list[R]:
        if len(rows) == 1:
            # Arrays with one element would cost more than the plain statement.
            return await self.all(query, **rows[0])
        compiled = query.postgres_set
        return compiled.records(await self.fetch(compiled.sql, compiled.arguments(rows))) if rows else []

    async def execute_many(self, query: Query[Any], rows: list[dict[str, Any]]) -> None:
        if query.set_based or len(rows) == 1:
            await self.fetch_for_each(query, rows)
            return
        compiled = query.postgres
        try:
            arguments = [compiled.arguments(values) for values in rows]
            await self.connection.executemany(compiled.sql, arguments, timeout=self._timeout)
        except OUTAGES as error:
            raise self._outage(error) from error

    async def insert(self, query: Query[Any], rows: list[dict[str, Any]]) -> list[int]:
        return [added[0] for added in await self.fetch_for_each(query, rows)]

    async def fetch(self, sql: str, arguments: list[Any]) -> list[Any]:
        try:
            return await self.connection.fetch(sql, *arguments, timeout=self._timeout)
        except asyncpg.DataError:
            # A value that no column can store is our own bug, although asyncpg raises its own error.
            raise
        except OUTAGES as error:
            raise self._outage(error) from error

    async def command(self, sql: str) -> None:
        """Runs statements without values and results."""
        try:
            await self.connection.execute(sql, timeout=self._timeout)
        except OUTAGES as error:
            raise self._outage(error) from error

    def _outage(self, error: Exception) -> Unavailable:
        if isinstance(error, TimeoutError):
            # The server would have ended the statement sooner: it no longer responds.
            self.pool.distrust(self.connection)
        if is_poolers(error):
            log.error(POOLER_SENTENCE)
        return Unavailable()

    async def lock(self, name: str) -> bool:
        (is_taken,) = await self.lock_each([name])
        return is_taken

    async def lock_each(self, names: Sequence[str]) -> list[bool]:
        return [is_taken for (is_taken,) in await self.fetch(_TRY, [self._lock_names(names)])]

    async def wait_for(self, *names: str) -> bool:
        await self.fetch(_WAIT, [self._lock_names(names)])
        return True

    def _lock_names(self, names: Sequence[str]) -> Sequence[str]:
        """Locks apply to the whole database, so those of a schema have separate names."""
        schema = self.pool.sessions.schema
        return [f"{schema} {name}" for name in names] if schema else names


class PostgresDatabase:
    """One PostgreSQL database behind a pool of connections."""

    name = "postgresql"
    label = "The database"

    def __init__(self, pool: Pool, listen_url: str | None) -> None:
        self.pool = pool
        self._listen_url = listen_url

    @classmethod
    async def open(
        cls,
        url: str,
        connections: int,
        deadlines: Deadlines = DEADLINES,
        *,
        is_pooled: bool = False,
        direct_url: str | None = None,
        schema: str | None = None,
    ) -> PostgresDatabase:
        """Connects once at startup, so a wrong URL is reported immediately."""
        pool = Pool(Sessions(url, deadlines, is_pooled, schema), connections)
        try:
            pool.give_back(await pool.take())
        except (*OUTAGES, Unavailable, asyncpg.PostgresError, ValueError) as error:
            raise _not_opened(error.__cause__ or error) from None
        return cls(pool, direct_url if is_pooled else url)

    def uses(self, backend: int) -> bool:
        """Whether this process uses that server process. Unknown behind a pooler."""
        return self.pool.sessions.is_pooled or self.pool.uses(backend)

    def read(self, *, slow: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return Read(self.pool)

    def write(self, *, single: bool = False, is_long: bool = False) -> AbstractAsyncContextManager[Transaction]:
        if is_long:
            return _Write(self.pool, self.pool.deadlines.long_statement)
        return Read(self.pool) if single else _Write(self.pool)

    @asynccontextmanager
    async def write_tokens(self) -> AsyncIterator[Transaction]:
        if self._listen_url is None:
            # Behind a pooler no process is notified of changes, so none caches tokens.
            async with self.write() as tx:
                yield tx
            return
        async with changing_tokens(self._listen_url) as all_have_forgotten:
            async with self.write() as tx:
                yield tx
            await all_have_forgotten()

    def watch_tokens(self) -> AbstractAsyncContextManager[Callable[[], int | None]]:
        """Inside the block: a number that grows with every change of a token; None while it is unknown."""
        return watching_tokens(self._listen_url) if self._listen_url else nullcontext(lambda: None)

    async def revision(self) -> str | None:
        async with Read(self.pool) as tx:
            return await postgres_schema.revision(tx)

    async def tables(self) -> set[str]:
        async with Read(self.pool) as tx:
            return {str(row[0]) for row in await tx.fetch(_TABLES, [])}

    async def has_store(self, schema: str) -> bool:
        """Whether another schema of this database was migrated."""
        async with Read(self.pool) as tx:
            ((table,),) = await tx.fetch("SELECT to_regclass($1)", [f"{schema}.alembic_version"])
        return table is not None

    async def migrate(self, script: Callable[[str | None], str]) -> None:
        async with _Write(self.pool, self.pool.deadlines.migration) as tx:
            await tx.wait_for("lootkeep migrate")
            statements = script(await postgres_schema.revision(tx))
            if statements:
                await postgres_schema.run_script(tx, statements, self.pool.sessions.schema)

    async def close(self) -> None:
        await self.pool.close()


class Read(AbstractAsyncContextManager[PostgresTransaction]):
    """A borrowed connection; every query commits on its own."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def __aenter__(self) -> PostgresTransaction:
        self._tx = PostgresTransaction(self._pool, await self._pool.take())
        return self._tx

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        _abandon_if_cancelled(self._tx.connection, kind)
        self._tx.pool.give_back(self._tx.connection)


class _Write(AbstractAsyncContextManager[PostgresTransaction]):
    """A borrowed connection with an open transaction and a time limit for statements."""

    def __init__(self, pool: Pool, seconds: float | None = None) -> None:
        self._pool = pool
        self._seconds = seconds

    async def __aenter__(self) -> PostgresTransaction:
        connection = await self._pool.take()
        try:
            # BEGIN has the usual time limit, so a broken network is noticed before the long wait.
            await PostgresTransaction(self._pool, connection).command(self._pool.sessions.begin(self._seconds))
        except BaseException:
            self._pool.discard(connection)
            raise
        self._tx = PostgresTransaction(self._pool, connection, self._seconds)
        return self._tx

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        connection = self._tx.connection
        _abandon_if_cancelled(connection, kind)
        try:
            if not connection.is_closed():
                await self._tx.command("COMMIT" if kind is None else "ROLLBACK")
            elif kind is None:
                raise Unavailable
        except BaseException:
            self._pool.discard(connection)
            raise
        self._pool.give_back(connection)


def _abandon_if_cancelled(connection: Connection, kind: type[BaseException] | None) -> None:
    """A cancelled request may leave a query running: that connection is not reused."""
    if kind is not None and issubclass(kind, asyncio.CancelledError):
        connection.terminate()


def _not_opened(cause: BaseException) -> StartupError:
    if is_poolers(cause):
        return StartupError(POOLER_SENTENCE)
    kind = Unreachable if isinstance(cause, OUTAGES) else StartupError
    return kind(
        f"PostgreSQL cannot be reached: {str(cause) or type(cause).__name__}. "
        "Check LOOTKEEP_DATABASE_URL and that the server is running."
    )
