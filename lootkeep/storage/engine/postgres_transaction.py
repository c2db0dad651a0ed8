"""The transactions of PostgreSQL: statements on one connection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Iterable, Sequence
from hashlib import blake2b
from typing import Any, TypeVar

import asyncpg
import structlog

from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.collected_writes import CollectedWrite, CollectedWrites, in_one_statement
from lootkeep.storage.engine.database import OnAnswer
from lootkeep.storage.engine.postgres_pool import Pool
from lootkeep.storage.engine.postgres_session import (
    CUTS,
    OUTAGES,
    POOLER_SENTENCE,
    Connection,
    is_poolers,
    lengthen,
    patience,
    report,
)
from lootkeep.storage.engine.query import Effect, Query
from lootkeep.storage.totals.changes import Totals

log = structlog.get_logger(__name__)

R = TypeVar("R")

# How many writes of one kind are parts of one statement: more would be too many different statements.
_MAX_PARTS = 5
# Locks of names concern no table.
_LOCKS_NAMES = Effect(None, None, is_read=False)
_TRY = "SELECT pg_try_advisory_xact_lock(number) FROM unnest($1::bigint[]) AS number"


class PostgresTransaction:
    """Runs queries on one connection."""

    def __init__(self, pool: Pool, connection: Connection) -> None:
        self.pool = pool
        self.connection = connection
        # Each connection adds to its own shard: transactions that run at the same time rarely wait for each other.
        self.totals = Totals(connection.get_server_pid())
        # The tables whose workers are woken by its commit.
        self.changed: set[str] = set()
        # How long a statement may take; None is what the connection was opened with.
        self._timeout: float | None = None

    async def all(self, query: Query[R], **values: Any) -> list[R]:
        compiled = query.postgres
        await self._make_way(compiled.effect)
        return compiled.records(await self.fetch(compiled.sql, compiled.arguments(values)))

    async def run_slow(self, query: Query[R], **values: Any) -> list[R]:
        seconds = self.pool.deadlines.report
        await self.command(report(seconds))
        self._timeout = patience(seconds)
        try:
            rows = await self.all(query, **values)
        except Exception:
            await self.command("ROLLBACK")
            raise
        finally:
            self._timeout = None
        await self.command("COMMIT")
        return rows

    async def one(self, query: Query[R], **values: Any) -> R | None:
        rows = await self.all(query, **values)
        return rows[0] if rows else None

    async def run(self, query: Query[Any], **values: Any) -> None:
        compiled = query.postgres
        await self._write(compiled.effect, CollectedWrite(compiled.sql, compiled.arguments(values)))

    async def require(
        self, query: Query[Any], error: Exception, on_answer: OnAnswer | None = None, **values: Any
    ) -> None:
        compiled = query.postgres
        await self._write(compiled.effect, CollectedWrite(compiled.sql, compiled.arguments(values), error, on_answer))

    async def fetch_for_each(self, query: Query[R], rows: list[dict[str, Any]]) -> list[R]:
        if len(rows) == 1:
            # Arrays of one would cost more than the plain statement does.
            return await self.all(query, **rows[0])
        if not rows:
            return []
        compiled = query.postgres_set
        await self._make_way(compiled.effect)
        return compiled.records(await self.fetch(compiled.sql, compiled.arguments(rows)))

    async def execute_many(self, query: Query[Any], rows: list[dict[str, Any]]) -> None:
        if len(rows) == 1:
            await self.run(query, **rows[0])
        elif query.set_based and rows:
            of_set = query.postgres_set
            await self._write(of_set.effect, CollectedWrite(of_set.sql, of_set.arguments(rows)))
        elif rows:
            compiled = query.postgres
            await self._make_way(compiled.effect)
            arguments = [compiled.arguments(values) for values in rows]
            await self._answer(self.connection.executemany(compiled.sql, arguments, timeout=self._timeout))

    async def insert(self, query: Query[Any], rows: list[dict[str, Any]]) -> list[int]:
        return [row[0] for row in await self.fetch_for_each(query, rows)]

    def keep_ids(self, ids: Iterable[tuple[str, int]]) -> None:
        """Outside of a transaction nothing is added."""

    def take_ids(self, table: str, count: int) -> list[int] | None:
        """The same."""
        return None

    def wake(self, table: str) -> None:
        self.changed.add(table)

    async def _begin_with(self, _sql: str) -> bool:
        """Runs a statement whose answer nobody needs together with the BEGIN; False if that is too late."""
        return False

    async def _make_way(self, effect: Effect) -> None:
        """Does what has to be done before a statement."""

    async def _write(self, _effect: Effect, write: CollectedWrite) -> None:
        rows = await self.fetch(write.sql, write.arguments)
        if write.error and not rows:
            raise write.error
        if write.on_answer:
            await write.on_answer(rows[0][0])

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
        if isinstance(error, CUTS):
            self.pool.distrust(self.connection)
        if is_poolers(error):
            log.error(POOLER_SENTENCE)
        return Unavailable()

    async def lock(self, name: str) -> bool:
        (is_taken,) = await self.lock_each([name])
        return is_taken

    async def lock_each(self, names: Sequence[str]) -> list[bool]:
        await self._make_way(_LOCKS_NAMES)
        return [is_taken for (is_taken,) in await self.fetch(_TRY, [self._numbers(names)])]

    async def wait_for(self, *names: str) -> None:
        # Sorted by what is really locked, the numbers: no two transactions deadlock, even if two names have the same.
        locks = [f"pg_advisory_xact_lock({number})" for number in sorted(self._numbers(names))]
        sql = f"SELECT {', '.join(locks)}"
        if not await self._begin_with(sql):
            await self._make_way(_LOCKS_NAMES)
            await self.command(sql)

    def _numbers(self, names: Sequence[str]) -> list[int]:
        """Locks belong to the whole database, so those of a schema have separate names."""
        prefix = f"{self.pool.sessions.schema} " if self.pool.sessions.schema else ""
        return [_number(prefix + name) for name in names]


class WritingTransaction(PostgresTransaction):
    """A transaction whose writes are collected, and sent together before anything reads what they change.

    It begins with the first statement that has to be part of it. A read before that sees what is committed, as it would
    inside: every statement of a transaction does. Only behind a pooler its time limit comes with the transaction.
    """

    def __init__(self, pool: Pool, connection: Connection, seconds: float | None = None) -> None:
        super().__init__(pool, connection)
        self._begin: str | None = pool.sessions.begin(seconds)
        self._is_long = seconds is not None
        self._timeout = None if seconds is None else patience(seconds)
        self._collected = CollectedWrites()
        # Why the transaction fails: a collected write found no row.
        self.rejection: Exception | None = None
        self._ids: defaultdict[str, list[int]] = defaultdict(list)

    async def begin(self) -> None:
        if begin := self._begin:
            self._begin = None
            # It takes no longer than any other statement, so that a broken way is noticed before the long wait.
            await self._answer(self.connection.execute(begin))

    async def commit(self) -> None:
        await self.flush()
        if self._begin is None:
            await self.command("COMMIT")

    async def roll_back(self) -> None:
        if self._begin is None:
            await self.command("ROLLBACK")

    async def flush(self) -> None:
        """Sends what was collected."""
        writes = self._collected.take()
        if not writes:
            return
        await self.begin()
        outcomes = await self._send(writes)
        for write, (count, answer) in zip(writes, outcomes, strict=True):
            if write.error and not count:
                self.rejection = write.error
                raise write.error
            if write.on_answer:
                await write.on_answer(answer)

    async def _send(self, writes: list[CollectedWrite]) -> Iterable[tuple[int, Any]]:
        """How many rows each has changed, and its answer."""
        if len(writes) == 1:
            rows = await self.fetch(writes[0].sql, writes[0].arguments)
            return [(len(rows), rows[0][0] if rows else None)]
        sql = in_one_statement(tuple((write.sql, write.on_answer is not None) for write in writes))
        (row,) = await self.fetch(sql, [argument for write in writes for argument in write.arguments])
        return zip(row[::2], row[1::2], strict=True)

    async def run_slow(self, query: Query[R], **values: Any) -> list[R]:
        if not self._is_long:
            await self.begin()
            seconds = self.pool.deadlines.long_statement
            await self.command(lengthen(seconds))
            self._is_long, self._timeout = True, patience(seconds)
        return await self.all(query, **values)

    def keep_ids(self, ids: Iterable[tuple[str, int]]) -> None:
        for table, row_id in ids:
            self._ids[table].append(row_id)

    def take_ids(self, table: str, count: int) -> list[int] | None:
        ids = self._ids[table]
        if len(ids) < count:
            return None
        self._ids[table] = ids[count:]
        return ids[:count]

    async def execute_many(self, query: Query[Any], rows: list[dict[str, Any]]) -> None:
        if not query.in_order or not 1 < len(rows) <= _MAX_PARTS:
            await super().execute_many(query, rows)
            return
        compiled = query.postgres
        first, *others = [CollectedWrite(compiled.sql, compiled.arguments(values)) for values in rows]
        await self._write(compiled.effect, first)
        for write in others:
            self._collected.add(compiled.effect, write)

    async def _make_way(self, effect: Effect) -> None:
        if effect.is_read:
            # A lock may wait, and it is taken in the order of the calls; a read is not part of that order.
            if self._collected.change(effect.tables):
                await self.flush()
            elif self.pool.sessions.is_pooled:
                await self.begin()
            return
        await self.flush()
        await self.begin()

    async def _write(self, effect: Effect, write: CollectedWrite) -> None:
        if not effect.target:
            await self._make_way(effect)
            await super()._write(effect, write)
            return
        if self._collected.change(effect.tables):
            await self.flush()
        self._collected.add(effect, write)

    async def _begin_with(self, sql: str) -> bool:
        if self._begin is None or self._collected.change(None):
            return False
        begin, self._begin = self._begin, None
        await self.command(f"{begin}; {sql}")
        return True


def _number(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), signed=True)
