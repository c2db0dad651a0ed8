"""Reads from a streaming replica, which include everything committed before their request started."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, TypeVar

import asyncpg
import structlog

from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.database import Database, Transaction
from lootkeep.storage.engine.postgres import PostgresDatabase, Read
from lootkeep.storage.engine.postgres_pool import Pool
from lootkeep.storage.engine.postgres_session import DEADLINES, Sessions
from lootkeep.storage.engine.postgres_transaction import PostgresTransaction
from lootkeep.storage.engine.query import Query

log = structlog.get_logger(__name__)

R = TypeVar("R")

# Everything acknowledged is before this position. Without `synchronous_commit` it may not all be on disk.
_COMMITTED = (
    "SELECT (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()"
    " ELSE pg_current_wal_flush_lsn() END - '0/0')::bigint"
)
# Null if the server is not a replica: it was promoted, or has never been one.
_REPLAYED = "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint WHERE pg_is_in_recovery()"

# Short compared with the time that a read may wait.
_POLL_SECONDS = 0.002
# How often it is tried while it is not used.
_RETRY_SECONDS = 1.0

_TROUBLES = (Unavailable, asyncpg.PostgresError)


class Replica:
    """A replica, while it keeps up: if it is down or too far behind, reads go to the primary.

    A request asks the primary once for its commit position, and reads from the replica when that is replayed. So it
    sees every write that was acknowledged before, by any process, and no process has to remember who wrote what.
    """

    def __init__(self, primary: PostgresDatabase, pool: Pool, max_lag_seconds: float) -> None:
        self.primary = primary
        self.pool = pool
        self._max_lag = max_lag_seconds
        # Called for each request, with whether it read from the replica.
        self.observe: Callable[[bool], None] = _ignore
        # Why it is not used; empty while it is.
        self.reason = "it was not tried yet"
        self._running: asyncio.Task[str] | None = None
        self._waiting: asyncio.Task[str] | None = None
        self._watch: asyncio.Task[None] | None = None

    @classmethod
    def of(
        cls, primary: PostgresDatabase, url: str, connections: int, max_lag_seconds: float, *, is_pooled: bool
    ) -> Replica:
        """Does not connect yet: a store starts without its replica."""
        return cls(primary, Pool(Sessions(url, DEADLINES, is_pooled), connections), max_lag_seconds)

    def start(self) -> None:
        """Tries it in the background while it is not used."""
        self._watch = asyncio.create_task(self._retry(), name="watch the replica")

    async def close(self) -> None:
        tasks = [task for task in (self._watch, self._running, self._waiting) if task]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self.pool.close()

    def for_request(self) -> Database:
        """The database for a request that only reads."""
        return _RequestDatabase(self)

    async def look(self) -> None:
        """Uses it from now on if it keeps up."""
        self.judge(await self._compare())

    def judge(self, reason: str) -> None:
        """With a reason, reads go to the primary until it has caught up."""
        if reason and reason != self.reason:
            log.warning("reads go to the primary, the replica is not used", reason=reason)
        elif self.reason and not reason:
            log.info("reads go to the replica")
        self.reason = reason

    async def has_everything(self) -> bool:
        """Whether it has everything committed before this call. Concurrent calls share the result."""
        if self.reason:
            return False
        if self._waiting is None:
            self._waiting = asyncio.create_task(self._next_answer(self._running))
        reason = await asyncio.shield(self._waiting)
        self.judge(reason)
        return not reason

    async def _next_answer(self, before: asyncio.Task[str] | None) -> str:
        if before:
            await asyncio.wait([before])
        # The position is read from here on: a later call needs a later position.
        self._running, self._waiting = self._waiting, None
        return await self._compare()

    async def _compare(self) -> str:
        """The reason not to use it; empty if it has replayed everything that is committed now."""
        try:
            committed = await _position(self.primary.pool, _COMMITTED)
        except _TROUBLES as error:
            return f"the primary did not say what is committed: {_reason(error)}"
        try:
            async with asyncio.timeout(None if self.reason else self._max_lag):
                return await self._wait_for(committed or 0)
        except TimeoutError:
            return f"it was not up to date after {self._max_lag} s"
        except _TROUBLES as error:
            return _reason(error)

    async def _wait_for(self, committed: int) -> str:
        for _ in range(max(1, round(self._max_lag / _POLL_SECONDS))):
            replayed = await _position(self.pool, _REPLAYED)
            if replayed is None:
                return "it is not a replica"
            if replayed >= committed:
                return ""
            await asyncio.sleep(_POLL_SECONDS)
        raise TimeoutError

    async def _retry(self) -> None:
        while True:
            if self.reason:
                await self.look()
            await asyncio.sleep(_RETRY_SECONDS)


class _RequestDatabase:
    """Reads from the replica if it has everything from before the request, and writes to the primary."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._is_from_replica: bool | None = None

    def read(self, *, slow: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return _RoutedRead(self._replica, self.is_from_replica)

    def write(self, *, single: bool = False, is_long: bool = False) -> AbstractAsyncContextManager[Transaction]:
        self._is_from_replica = False
        return self._replica.primary.write(single=single, is_long=is_long)

    def write_tokens(self) -> AbstractAsyncContextManager[Transaction]:
        self._is_from_replica = False
        return self._replica.primary.write_tokens()

    async def is_from_replica(self) -> bool:
        if self._is_from_replica is None:
            self._is_from_replica = await self._replica.has_everything()
            self._replica.observe(self._is_from_replica)
        return self._is_from_replica


class _RoutedRead(Read):
    def __init__(self, replica: Replica, is_from_replica: Callable[[], Any]) -> None:
        super().__init__(replica.primary.pool)
        self._replica = replica
        self._is_from_replica = is_from_replica

    async def __aenter__(self) -> PostgresTransaction:
        if await self._is_from_replica():
            try:
                self._tx = _ReplicaTransaction(self._replica, await self._replica.pool.take())
            except Unavailable as error:
                self._replica.judge(_reason(error))
            else:
                return self._tx
        return await super().__aenter__()


class _ReplicaTransaction(PostgresTransaction):
    """Every statement or report of a read commits on its own, so the primary can run one that the replica cannot."""

    def __init__(self, replica: Replica, connection: Any) -> None:
        super().__init__(replica.pool, connection)
        self._replica = replica
        # The statements of a report belong to one transaction: it runs again as a whole.
        self._is_report = False

    async def run_slow(self, query: Query[R], **values: Any) -> list[R]:
        self._is_report = True
        try:
            return await self._on_either(partial(super().run_slow, query, **values))
        finally:
            self._is_report = False

    async def fetch(self, sql: str, arguments: Sequence[Any]) -> list[Any]:
        statement = partial(super().fetch, sql, arguments)
        return await (statement() if self._is_report else self._on_either(statement))

    async def _on_either(self, operation: Callable[[], Awaitable[list[R]]]) -> list[R]:
        """On the primary if the replica cannot."""
        try:
            return await operation()
        except (Unavailable, asyncpg.SerializationError) as error:
            # A statement that is too slow would be just as slow there.
            if self.pool is self._replica.primary.pool or isinstance(error.__cause__, asyncpg.QueryCanceledError):
                raise
            self._replica.judge(_reason(error))
        connection = await self._replica.primary.pool.take()
        self.pool.discard(self.connection)
        self.pool, self.connection = self._replica.primary.pool, connection
        return await operation()


async def _position(pool: Pool, sql: str) -> int | None:
    async with Read(pool) as tx:
        rows = await tx.fetch(sql, [])
    return rows[0][0] if rows else None


def _reason(error: Exception) -> str:
    """Never empty, although some errors have no message: without a reason the replica would be used."""
    cause = error.__cause__ or error
    return str(cause) or type(cause).__name__


def _ignore(_: bool) -> None:
    """Nobody counts."""
