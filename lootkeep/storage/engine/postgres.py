"""The engine for many machines: PostgreSQL through asyncpg, with a very cheap pool."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Set
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import asyncpg

from lootkeep.kernel.errors import StartupError, Unavailable, Unreachable
from lootkeep.storage.engine import postgres_schema
from lootkeep.storage.engine.database import STAMP_TABLE, OnChange, Transaction
from lootkeep.storage.engine.postgres_listener import listening
from lootkeep.storage.engine.postgres_notices import Notices
from lootkeep.storage.engine.postgres_pool import Pool
from lootkeep.storage.engine.postgres_session import (
    DEADLINES,
    OUTAGES,
    POOLER_SENTENCE,
    Connection,
    Deadlines,
    Sessions,
    is_poolers,
)
from lootkeep.storage.engine.postgres_transaction import PostgresTransaction, WritingTransaction

# What belongs to an extension (deptype e) says nothing about whose the database is.
_TABLES = (
    "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"
    " AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid"
    " AND deptype = 'e')"
)


class PostgresDatabase:
    """One PostgreSQL database behind a pool of connections."""

    name = "postgresql"
    label = "The database"

    def __init__(self, pool: Pool, listen_url: str | None) -> None:
        self.pool = pool
        self._listen_url = listen_url
        # Names this process in its notifications.
        self._sender = secrets.token_urlsafe(9)
        # A sandbox wakes only the workers of its own process.
        self._notices = None if pool.sessions.schema else Notices(pool, self._sender)
        self._on_change: OnChange = lambda _changed: None
        # Of this process.
        self._token_changes = 0

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

    def read(self, *, slow: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return Read(self.pool)

    def write(self, *, single: bool = False, is_long: bool = False) -> AbstractAsyncContextManager[Transaction]:
        if single:
            return Read(self.pool, self._committed)
        return _Write(self.pool, self._committed, self.pool.deadlines.long_statement if is_long else None)

    def on_change(self, operation: OnChange) -> None:
        self._on_change = operation

    def _committed(self, changed: Set[str]) -> None:
        self._on_change(changed)
        if self._notices:
            self._notices.add(changed)

    @asynccontextmanager
    async def write_tokens(self) -> AsyncIterator[Transaction]:
        async with self.write() as tx:
            yield tx
        # Other processes are notified a moment later.
        self._token_changes += 1

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Callable[[], int | None]]:
        if self._listen_url is None:
            # Behind a pooler no process is notified of changes: none caches tokens, and all poll for work.
            yield lambda: None
            return
        async with listening(self._listen_url, self._sender, lambda changed: self._on_change(changed)) as notified:
            yield lambda: None if (version := notified()) is None else version + self._token_changes

    async def revision(self) -> str | None:
        async with Read(self.pool) as tx:
            return await postgres_schema.revision(tx)

    async def tables(self) -> set[str]:
        async with Read(self.pool) as tx:
            return {str(row[0]) for row in await tx.fetch(_TABLES, [])}

    async def has_store(self, schema: str) -> bool:
        """Whether another schema of this database was migrated."""
        async with Read(self.pool) as tx:
            ((table,),) = await tx.fetch("SELECT to_regclass($1)", [f"{schema}.{STAMP_TABLE}"])
        return table is not None

    async def migrate(self, script: Callable[[str | None], str]) -> None:
        async with _Write(self.pool, self._committed, self.pool.deadlines.migration) as tx:
            await tx.wait_for("lootkeep migrate")
            statements = script(await postgres_schema.revision(tx))
            if statements:
                await postgres_schema.run_script(tx, statements, self.pool.sessions.schema)

    async def close(self) -> None:
        if self._notices:
            await self._notices.close()
        await self.pool.close()


class Read(AbstractAsyncContextManager[PostgresTransaction]):
    """A borrowed connection; every query commits on its own."""

    def __init__(self, pool: Pool, committed: Callable[[Set[str]], None] | None = None) -> None:
        self._pool = pool
        self._committed = committed

    async def __aenter__(self) -> PostgresTransaction:
        self._tx = PostgresTransaction(self._pool, await self._pool.take())
        return self._tx

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        _abandon_if_cancelled(self._tx.connection, kind)
        self._tx.pool.give_back(self._tx.connection)
        if self._committed and self._tx.changed:
            self._committed(self._tx.changed)


class _Write(AbstractAsyncContextManager[WritingTransaction]):
    """A borrowed connection with a transaction and a time limit for statements."""

    def __init__(self, pool: Pool, committed: Callable[[Set[str]], None], seconds: float | None = None) -> None:
        self._pool = pool
        self._committed = committed
        self._seconds = seconds

    async def __aenter__(self) -> WritingTransaction:
        self._tx = WritingTransaction(self._pool, await self._pool.take(), self._seconds)
        if self._seconds is not None:
            try:
                await self._tx.begin()
            except BaseException:
                self._pool.discard(self._tx.connection)
                raise
        return self._tx

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        connection = self._tx.connection
        _abandon_if_cancelled(connection, kind)
        rejection: Exception | None = None
        try:
            if connection.is_closed():
                if kind is None:
                    raise Unavailable
            elif kind is None:
                rejection = await self._end()
            else:
                await self._tx.roll_back()
        except BaseException:
            self._pool.discard(connection)
            raise
        self._pool.give_back(connection)
        if rejection:
            raise rejection
        if kind is None and self._tx.changed:
            self._committed(self._tx.changed)

    async def _end(self) -> Exception | None:
        """Commits; or the error of a collected write that found no row."""
        try:
            await self._tx.totals.apply(self._tx)
            await self._tx.flush()
            # What was written when they were answered.
            await self._tx.totals.apply(self._tx)
        except Exception as error:
            if error is not self._tx.rejection:
                raise
            await self._tx.roll_back()
            return error
        await self._tx.commit()
        return None


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
