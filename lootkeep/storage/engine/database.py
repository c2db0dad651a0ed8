"""What both engines offer: reads, and writes in one transaction per operation."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Iterable, Sequence, Set
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeAlias, TypeVar

from lootkeep.storage.engine.query import Query
from lootkeep.storage.totals.changes import Totals

R = TypeVar("R")
# Called with what a write has returned.
OnAnswer: TypeAlias = Callable[[Any], Awaitable[None]]
# Called with the tables that have changed; None if any may have.
OnChange: TypeAlias = Callable[[Set[str] | None], None]

# The table with the stamp of the schema: one row, one column.
STAMP_TABLE = "schema_version"
READ_STAMP = "SELECT version FROM schema_version"


class Transaction(Protocol):
    """Runs queries. Inside `write()` they commit or roll back together; inside `read()` each sees what is committed."""

    # What the transaction changes in the maintained totals; `write()` applies it when its block ends.
    totals: Totals

    async def all(self, query: Query[R], **values: Any) -> list[R]: ...

    async def one(self, query: Query[R], **values: Any) -> R | None: ...

    async def run(self, query: Query[Any], **values: Any) -> None:
        """For a statement whose answer nobody needs: writes are collected, where that is cheaper.

        They run in the order of the calls, before any statement that uses what they change, and before the commit.
        """
        ...

    async def require(
        self, query: Query[Any], error: Exception, on_answer: OnAnswer | None = None, **values: Any
    ) -> None:
        """The same for a write of one row that must find it: otherwise the transaction fails with the error.

        It returns one column, whose value `on_answer` gets before the commit; it may write more. Never catch the error
        inside the block: on PostgreSQL a later statement raises it.
        """
        ...

    async def run_slow(self, query: Query[R], **values: Any) -> list[R]:
        """Like `all`, for what may take seconds: a report, or a write during which the event loop continues."""
        ...

    async def fetch_for_each(self, query: Query[R], rows: list[dict[str, Any]]) -> list[R]:
        """What a statement finds or returns for each row of values, all together and in their order."""
        ...

    async def execute_many(self, query: Query[Any], rows: list[dict[str, Any]]) -> None:
        """Runs a statement that writes once for each row of values."""
        ...

    async def insert(self, query: Query[Any], rows: list[dict[str, Any]]) -> list[int]:
        """Runs an INSERT without RETURNING for each row of values; returns the ids, in order."""
        ...

    def keep_ids(self, ids: Iterable[tuple[str, int]]) -> None:
        """Ids of new rows, by table, that came with another statement: a row that has its id needs no answer."""
        ...

    def take_ids(self, table: str, count: int) -> list[int] | None:
        """This many of them; None if there are fewer."""
        ...

    def wake(self, table: str) -> None:
        """Has the workers of a table look for work as soon as the transaction has committed; only a hint."""
        ...

    async def lock(self, name: str) -> bool:
        """Takes a lock of that name until the transaction ends; False if another transaction holds it."""
        ...

    async def lock_each(self, names: Sequence[str]) -> list[bool]:
        """The same for each of the names."""
        ...

    async def wait_for(self, *names: str) -> None:
        """Takes locks of these names until the transaction ends, as soon as no other transaction holds them.

        Once per transaction, and before it locks any row: see `docs/architecture.md`.
        """
        ...


class Database(Protocol):
    """Where operations read and write."""

    def read(self, *, slow: bool = False) -> AbstractAsyncContextManager[Transaction]:
        """`slow` keeps queries that may take milliseconds off the event loop."""
        ...

    def write(self, *, single: bool = False, is_long: bool = False) -> AbstractAsyncContextManager[Transaction]:
        """`single` promises at most one statement and no totals: it is its own transaction, and saves two round trips.

        `is_long` allows minutes for each statement, where those of a request have seconds.
        """
        ...

    def write_tokens(self) -> AbstractAsyncContextManager[Transaction]:
        """`write` for changes of tokens: when the block ends, this process uses the new state, and others soon do."""
        ...


class Engine(Database, Protocol):
    """A database with its connections, opened and closed by wiring."""

    name: str
    # Its display name: the file, or the database.
    label: str

    async def revision(self) -> str | None:
        """The stamp of the schema; None without one."""
        ...

    def listening(self) -> AbstractAsyncContextManager[Callable[[], int | None]]:
        """Inside the block, other processes are heard: another number after each change of a token, None if unknown."""
        ...

    def on_change(self, operation: OnChange) -> None:
        """Calls the operation after each commit that wakes workers, with the tables it named.

        Those of other processes are heard while `listening()`.
        """
        ...

    async def tables(self) -> set[str]:
        """The names of all tables, including those of other programs."""
        ...

    async def migrate(self, script: Callable[[str | None], str]) -> None:
        """Runs the script for the current revision in one transaction that excludes all other processes."""
        ...

    async def close(self) -> None: ...


class JoinedDatabase:
    """A database inside a transaction that is already open: reads and writes join it.

    The edge uses it for an operation when the response must be stored in the operation's own transaction.
    """

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def read(self, *, slow: bool = False) -> AbstractAsyncContextManager[Transaction]:
        if slow:
            # It answers, and the tests, where warnings are errors, find who should not have asked.
            warnings.warn("A slow read joins a transaction and blocks all writers meanwhile.", stacklevel=2)
        return _Joined(self._tx)

    def write(self, *, single: bool = False, is_long: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return _Joined(self._tx)

    def write_tokens(self) -> AbstractAsyncContextManager[Transaction]:
        return _Joined(self._tx)


class _Joined(AbstractAsyncContextManager[Transaction]):
    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    async def __aenter__(self) -> Transaction:
        return self._tx

    async def __aexit__(self, *_: object) -> None:
        """The owner of the transaction commits it, or rolls it back when the error reaches it."""
