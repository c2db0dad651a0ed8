"""The embedded engine: SQLite through apsw, called inline, with one writer and shared commits."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import apsw

from lootkeep.kernel.errors import StartupError, Unavailable, Unreachable
from lootkeep.storage.engine.database import READ_STAMP, OnAnswer, OnChange, Transaction
from lootkeep.storage.engine.group_commit import OUTAGES, PATIENCE_SECONDS, Writer
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite_tokens import watching_changes
from lootkeep.storage.totals.changes import Totals

R = TypeVar("R")

# Every statement of the service stays prepared: there are fewer than this.
_PREPARED = 512
# For queries that read many pages; SQLite's default is 2 MB.
_SLOW_CACHE_KB = 16_384
_WRITER_CACHE_KB = 8_192
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"


class SqliteTransaction:
    """Runs queries on one connection, in the calling thread: they take microseconds, a thread hop takes fifty."""

    __slots__ = ("_connection", "_cursor", "totals")

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self.totals = Totals()
        # One cursor for all: every query fetches its rows before the next one starts.
        self._cursor = connection.cursor()

    async def all(self, query: Query[R], **values: Any) -> list[R]:
        return self._fetch(query, values)

    async def one(self, query: Query[R], **values: Any) -> R | None:
        rows = await self.all(query, **values)
        return rows[0] if rows else None

    async def run(self, query: Query[Any], **values: Any) -> None:
        self._fetch(query, values)

    async def require(
        self, query: Query[Any], error: Exception, on_answer: OnAnswer | None = None, **values: Any
    ) -> None:
        rows = self._fetch(query, values)
        if not rows:
            raise error
        if on_answer:
            await on_answer(rows[0][0])

    async def run_slow(self, query: Query[R], **values: Any) -> list[R]:
        return await self.all(query, **values)

    async def fetch_for_each(self, query: Query[R], rows: list[dict[str, Any]]) -> list[R]:
        return [record for values in rows for record in self._fetch(query, values)]

    async def execute_many(self, query: Query[Any], rows: list[dict[str, Any]]) -> None:
        compiled = query.sqlite
        arguments = [compiled.arguments(values) for values in rows]
        try:
            self._connection.executemany(compiled.sql, arguments)
        except OUTAGES as error:
            raise Unavailable from error

    async def insert(self, query: Query[Any], rows: list[dict[str, Any]]) -> list[int]:
        # No RETURNING: it makes an insert half as expensive again.
        ids = []
        for values in rows:
            self._fetch(query, values)
            ids.append(self._connection.last_insert_rowid())
        return ids

    def keep_ids(self, ids: Iterable[tuple[str, int]]) -> None:
        """There are none: an answer costs nothing here."""

    def take_ids(self, table: str, count: int) -> list[int] | None:
        return None

    def wake(self, table: str) -> None:
        """Nobody waits for what is read."""

    async def lock(self, name: str) -> bool:
        """There is one writer: a transaction has every lock."""
        return True

    async def lock_each(self, names: Sequence[str]) -> list[bool]:
        """The same."""
        return [True for _ in names]

    async def wait_for(self, *names: str) -> None:
        """The same: there is nobody to wait for."""

    def _fetch(self, query: Query[R], values: dict[str, Any]) -> list[R]:
        compiled = query.sqlite
        arguments = compiled.arguments(values)
        try:
            rows = self._cursor.execute(compiled.sql, arguments).fetchall()
        except OUTAGES as error:
            raise Unavailable from error
        return compiled.records(rows)


class WritingTransaction(SqliteTransaction):
    """Writes inline; a slow statement in the thread of the commits: other operations wait for it, readers do not."""

    def __init__(self, writer: Writer) -> None:
        super().__init__(writer.connection)
        self._writer = writer

    def wake(self, table: str) -> None:
        self._writer.changed.add(table)

    async def run_slow(self, query: Query[R], **values: Any) -> list[R]:
        return await self._writer.in_thread(self._fetch, query, values)


class _SlowTransaction(SqliteTransaction):
    """Reads in a separate thread, one query at a time: a search through a million rows must not delay the others."""

    def __init__(self, connection: apsw.Connection, thread: ThreadPoolExecutor) -> None:
        super().__init__(connection)
        self._thread = thread

    async def all(self, query: Query[R], **values: Any) -> list[R]:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._fetch, query, values)

    async def fetch_for_each(self, query: Query[R], rows: list[dict[str, Any]]) -> list[R]:
        def fetch() -> list[R]:
            return [record for values in rows for record in self._fetch(query, values)]

        return await asyncio.get_running_loop().run_in_executor(self._thread, fetch)


class SqliteDatabase:
    """One database file: an inline reader, a reader in a thread, and the writer."""

    name = "sqlite"

    def __init__(self, path: Path, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self.label = str(path)
        self._path = path
        self._writer = Writer(_open_for_writing(path), patience_seconds)
        self._tx = WritingTransaction(self._writer)
        self._reader = _open_for_reading(path)
        self._read = _Read(SqliteTransaction(self._reader))
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sqlite-slow-read")

    @cached_property
    def _slow_reader(self) -> apsw.Connection:
        """Opened by the first slow read: most commands make none."""
        connection = _open_for_reading(self._path)
        connection.execute(f"PRAGMA cache_size = -{_SLOW_CACHE_KB}")
        return connection

    def read(self, *, slow: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return _Read(_SlowTransaction(self._slow_reader, self._thread)) if slow else self._read

    def write(self, *, single: bool = False, is_long: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return _Write(self._writer, self._tx)

    def write_tokens(self) -> AbstractAsyncContextManager[Transaction]:
        return self.write()

    def listening(self) -> AbstractAsyncContextManager[Callable[[], int | None]]:
        return watching_changes(_open_for_reading(self._path))

    def on_change(self, operation: OnChange) -> None:
        self._writer.on_commit = operation

    async def revision(self) -> str | None:
        try:
            rows = self._reader.execute(READ_STAMP).fetchall()
        except apsw.SQLError:
            return None
        return str(rows[0][0]) if rows else None

    async def tables(self) -> set[str]:
        return {str(name) for (name,) in self._reader.execute(_TABLES)}

    async def migrate(self, script: Callable[[str | None], str]) -> None:
        async with self.write():
            statements = script(await self.revision())
            try:
                # A script stops at the first row that nobody fetches.
                self._writer.connection.execute(statements).fetchall()
            except apsw.SQLError as error:
                raise StartupError(
                    f"{self.label} contains tables of another program ({error}). Give Lootkeep a separate database."
                ) from None

    async def close(self) -> None:
        await self._writer.close()
        self._thread.shutdown()
        if "_slow_reader" in vars(self):
            self._slow_reader.close()
        self._reader.close()


class _Read(AbstractAsyncContextManager[Transaction]):
    """Reading needs no opening or closing: each query has its own snapshot."""

    def __init__(self, tx: SqliteTransaction) -> None:
        self._tx = tx

    async def __aenter__(self) -> Transaction:
        return self._tx

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        return None


class _Write(AbstractAsyncContextManager[Transaction]):
    """One operation: part of a transaction that concurrent operations share."""

    def __init__(self, writer: Writer, tx: SqliteTransaction) -> None:
        self._writer = writer
        self._tx = tx

    async def __aenter__(self) -> Transaction:
        await self._writer.enter()
        self._tx.totals = Totals()
        return self._tx

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        succeeded = False
        try:
            if kind is None:
                await self._tx.totals.apply(self._tx)
                succeeded = True
        finally:
            await self._writer.leave(succeeded=succeeded)


def _open(path: Path) -> apsw.Connection:
    _create(path)
    try:
        connection = apsw.Connection(str(path), statementcachesize=_PREPARED)
        connection.set_busy_timeout(0)
        # FULL: an acknowledged write survives a power cut, not only a crash.
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "temp_store = MEMORY"):
            _with_patience(connection, f"PRAGMA {pragma}")
    except apsw.NotADBError:
        raise StartupError(
            f"{path} is not a SQLite database. Set LOOTKEEP_DATABASE_URL to another file, or move this one."
        ) from None
    except apsw.CantOpenError:
        raise StartupError(
            f"The database {path} cannot be opened. Check that its folder exists and is writable."
        ) from None
    except apsw.BusyError:
        raise Unreachable(f"The database {path} is locked by another process.") from None
    except apsw.Error as error:
        raise StartupError(f"The database {path} cannot be used: {error}.") from None
    return connection


def _create(path: Path) -> None:
    """Makes a new database readable only by its owner; SQLite gives its log and index the same mode."""
    with suppress(OSError):
        # Errors are reported when it is opened.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _open_for_writing(path: Path) -> apsw.Connection:
    connection = _open(path)
    # Operations read by key: their plans need not be made again for each value, unlike those of lists.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    # A large operation uses many pages before its commit; pages that do not fit are written to the file twice.
    connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KB}")
    return connection


def _open_for_reading(path: Path) -> apsw.Connection:
    connection = _open(path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _with_patience(connection: apsw.Connection, statement: str) -> None:
    """The first connection is opened before the loop serves requests, so a blocking wait for a lock is fine.

    Later ones find a file in WAL mode, and wait for no writer.
    """
    connection.set_busy_timeout(int(PATIENCE_SECONDS * 1000))
    connection.execute(statement)
    connection.set_busy_timeout(0)
