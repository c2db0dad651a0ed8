"""The transactions of PostgreSQL: statements on one connection."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

import asyncpg
import structlog

from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.postgres_pool import Pool
from lootkeep.storage.engine.postgres_session import (
    OUTAGES,
    POOLER_SENTENCE,
    Connection,
    is_poolers,
    lengthen,
    patience,
)
from lootkeep.storage.engine.query import Query
from lootkeep.storage.totals.changes import Totals

log = structlog.get_logger(__name__)

R = TypeVar("R")

_TRY = "SELECT pg_try_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1::text[]) AS name"
# Sorted by what is really locked, the numbers: no two transactions deadlock, even if two names have the same number.
_WAIT = """
SELECT pg_advisory_xact_lock(number)
FROM (SELECT hashtextextended(name, 0) AS number FROM unnest($1::text[]) AS name ORDER BY number) AS numbers
"""


class PostgresTransaction:
    """Runs queries on one connection."""

    def __init__(self, pool: Pool, connection: Connection, seconds: float | None = None) -> None:
        self.pool = pool
        self.connection = connection
        # Each connection adds to its own shard: transactions that run at the same time rarely wait for each other.
        self.totals = Totals(connection.get_server_pid())
        # How long a statement may take; None is what the connection was opened with.
        self._timeout = None if seconds is None else patience(seconds)

    async def begin(self, sql: str) -> None:
        # It takes no longer than any other statement, so that a broken way is noticed before the long wait.
        await self._answer(self.connection.execute(sql))

    async def commit(self) -> None:
        await self.command("COMMIT")

    async def roll_back(self) -> None:
        await self.command("ROLLBACK")

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
            # Arrays of one would cost more than the plain statement does.
            return await self.all(query, **rows[0])
        compiled = query.postgres_set
        return compiled.records(await self.fetch(compiled.sql, compiled.arguments(rows))) if rows else []

    async def execute_many(self, query: Query[Any], rows: list[dict[str, Any]]) -> None:
        if query.set_based or len(rows) == 1:
            await self.fetch_for_each(query, rows)
            return
        compiled = query.postgres
        arguments = [compiled.arguments(values) for values in rows]
        await self._answer(self.connection.executemany(compiled.sql, arguments, timeout=self._timeout))

    async def insert(self, query: Query[Any], rows: list[dict[str, Any]]) -> list[int]:
        return [row[0] for row in await self.fetch_for_each(query, rows)]

    async def fetch(self, sql: str, arguments: Sequence[Any]) -> list[Any]:
        return await self._answer(self.connection.fetch(sql, *arguments, timeout=self._timeout))

    async def command(self, sql: str) -> None:
        """Runs statements without values, which answer nothing."""
        await self._answer(self.connection.execute(sql, timeout=self._timeout))

    async def _answer(self, waited: Awaitable[R]) -> R:
        try:
            return await waited
        except asyncpg.DataError:
            # A value that no column can store is our own bug, although asyncpg raises its own error.
            raise
        except OUTAGES as error:
            raise self._outage(error) from error

    def _outage(self, error: Exception) -> Unavailable:
        if isinstance(error, TimeoutError):
            # The server would have ended the statement sooner: it does not respond any more.
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
        """Locks belong to the whole database, so those of a schema have separate names."""
        schema = self.pool.sessions.schema
        return [f"{schema} {name}" for name in names] if schema else names
