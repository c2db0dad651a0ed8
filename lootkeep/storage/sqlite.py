"""The embedded engine: SQLite through apsw, called inline, one writer whose concurrent deeds share a commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeVar

import apsw

from lootkeep.kernel.errors import StartupError, Unavailable
from lootkeep.storage.database import Transaction
from lootkeep.storage.query import Query

R = TypeVar("R")

# Every statement of the service stays prepared: there are fewer than this.
_PREPARED = 512
# Another process (a command, a backup) may hold the write lock for a moment; beyond this we say so.
_PATIENCE_SECONDS = 5.0
_RETRY_SECONDS = 0.01

# The disk, the file or its lock is at fault, not the statement.
_OUTAGES = (
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.FullError,
    apsw.IOError,
    apsw.LockedError,
    apsw.NotADBError,
    apsw.ReadOnlyError,
)


class SqliteTransaction:
    """Runs queries on one connection, in the calling thread: they take microseconds, a thread hop takes fifty."""

    __slots__ = ("_connection",)

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    async def all(self, query: Query[R], **values: Any) -> list[R]:
        compiled = query.sqlite
        try:
            rows = self._connection.execute(compiled.sql, compiled.arguments(values)).fetchall()
        except _OUTAGES as error:
            raise Unavailable from error
        return compiled.records(rows)

    async def one(self, query: Query[R], **values: Any) -> R | None:
        found = await self.all(query, **values)
        return found[0] if found else None

    async def run(self, query: Query[Any], **values: Any) -> None:
        await self.all(query, **values)

    async def many(self, query: Query[Any], rows: list[dict[str, Any]]) -> None:
        compiled = query.sqlite
        try:
            self._connection.executemany(compiled.sql, [compiled.arguments(values) for values in rows])
        except _OUTAGES as error:
            raise Unavailable from error

    async def lock(self, name: str) -> bool:
        """There is one writer: whoever is in a transaction has every lock."""
        return True


class _SlowTransaction(SqliteTransaction):
    """Runs queries in a thread of their own: a search through a million rows must not hold up the others."""

    def __init__(self, connection: apsw.Connection, thread: ThreadPoolExecutor) -> None:
        super().__init__(connection)
        self._thread = thread

    async def all(self, query: Query[R], **values: Any) -> list[R]:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._fetch, query, values)

    def _fetch(self, query: Query[R], values: dict[str, Any]) -> list[R]:
        compiled = query.sqlite
        try:
            rows = self._connection.execute(compiled.sql, compiled.arguments(values)).fetchall()
        except _OUTAGES as error:
            raise Unavailable from error
        return compiled.records(rows)


class SqliteDatabase:
    """One database file: an inline reader and the writer."""

    name = "sqlite"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer = _Writer(_open(path))
        self._reader = _open_for_reading(path)
        self._read = _Read(SqliteTransaction(self._reader))
        self._slow_reader = _open_for_reading(path)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sqlite-slow-read")
        self._slow_read = _Read(_SlowTransaction(self._slow_reader, self._thread))

    def read(self, *, slow: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return self._slow_read if slow else self._read

    def write(self, *, single: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return _Write(self._writer)

    def on_commit(self, deed: Callable[[], None]) -> None:
        """Calls the deed after every commit in this process."""
        self._writer.on_commit = deed

    async def revision(self) -> str | None:
        try:
            rows = self._reader.execute("SELECT version_num FROM alembic_version").fetchall()
        except apsw.SQLError:
            return None
        return str(rows[0][0]) if rows else None

    async def migrate(self, script: Callable[[str | None], str]) -> None:
        async with self.write():
            statements = script(await self.revision())
            try:
                # A script stops at the first row that nobody fetches.
                self._writer.connection.execute(statements).fetchall()
            except apsw.SQLError as error:
                raise StartupError(
                    f"{self._path} holds tables of another program ({error}). Give Lootkeep a database of its own."
                ) from None

    async def close(self) -> None:
        await self._writer.close()
        self._thread.shutdown()
        self._slow_reader.close()
        self._reader.close()


class _Read(AbstractAsyncContextManager[Transaction]):
    """Reading needs no opening or closing: each query is a snapshot of its own."""

    def __init__(self, tx: SqliteTransaction) -> None:
        self._tx = tx

    async def __aenter__(self) -> Transaction:
        return self._tx

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        return None


class _Write(AbstractAsyncContextManager[Transaction]):
    """One deed: a savepoint inside the transaction that it shares with its neighbours."""

    def __init__(self, writer: _Writer) -> None:
        self._writer = writer

    async def __aenter__(self) -> Transaction:
        await self._writer.enter()
        return self._writer.tx

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        await self._writer.leave(succeeded=kind is None)


class _Writer:
    """The only connection that writes. A deed returns when it is on disk; deeds that end meanwhile share an fsync.

    The lock is fair. A commit queues behind the deeds that are already waiting, so they all join its group.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.tx = SqliteTransaction(connection)
        self._lock = asyncio.Lock()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sqlite-commit")
        self._waiting: list[asyncio.Future[None]] = []
        self._committing: asyncio.Task[None] | None = None
        self.on_commit: Callable[[], None] = lambda: None

    async def enter(self) -> None:
        await self._lock.acquire()
        try:
            if not self.connection.in_transaction:
                await self._begin()
            self.connection.execute("SAVEPOINT deed")
        except BaseException:
            self._lock.release()
            raise

    async def leave(self, *, succeeded: bool) -> None:
        try:
            committed = self._end_deed(succeeded)
        finally:
            if self._committing is None:
                self._committing = asyncio.get_running_loop().create_task(self._commit())
            self._lock.release()
        if committed:
            await committed

    async def close(self) -> None:
        if self._committing:
            await self._committing
        self._thread.shutdown()
        self.connection.close()

    async def _begin(self) -> None:
        deadline = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        while True:
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                return
            except apsw.BusyError as error:
                if asyncio.get_running_loop().time() > deadline:
                    raise Unavailable("The database is busy. Please try again shortly.") from error
                await asyncio.sleep(_RETRY_SECONDS)
            except _OUTAGES as error:
                raise Unavailable from error

    def _end_deed(self, succeeded: bool) -> asyncio.Future[None] | None:
        """Closes the savepoint; gives the commit to wait for, if there is anything to keep."""
        if not self.connection.in_transaction:
            # A full disk can make SQLite roll the whole group back: nobody in it may be told otherwise.
            self._answer(_lost)
            raise Unavailable
        if not succeeded:
            self.connection.execute("ROLLBACK TO deed; RELEASE deed")
            return None
        self.connection.execute("RELEASE deed")
        committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(committed)
        return committed

    async def _commit(self) -> None:
        async with self._lock:
            self._committing = None
            if not self.connection.in_transaction:
                return
            try:
                # The fsync runs in a thread: readers and the next deeds' parsing go on meanwhile.
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._thread, self.connection.execute, "COMMIT")
            except apsw.Error:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                self._answer(_lost)
            else:
                self._answer(_kept)
                self.on_commit()

    def _answer(self, verdict: Callable[[asyncio.Future[None]], None]) -> None:
        waiting, self._waiting = self._waiting, []
        for committed in waiting:
            if not committed.done():
                verdict(committed)


def _kept(committed: asyncio.Future[None]) -> None:
    committed.set_result(None)


def _lost(committed: asyncio.Future[None]) -> None:
    committed.set_exception(Unavailable())


def _open(path: Path) -> apsw.Connection:
    try:
        connection = apsw.Connection(str(path), statementcachesize=_PREPARED)
        connection.set_busy_timeout(0)
        # FULL: an acknowledged write survives a power cut, not only a crash.
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "temp_store = MEMORY"):
            _with_patience(connection, f"PRAGMA {pragma}")
    except apsw.NotADBError:
        raise StartupError(
            f"{path} is not a SQLite database. Point LOOTKEEP_DATABASE_URL at another file, or move this one away."
        ) from None
    except apsw.CantOpenError:
        raise StartupError(
            f"The database {path} cannot be opened. Check that its folder exists and may be written to."
        ) from None
    except apsw.Error as error:
        raise StartupError(f"The database {path} cannot be used: {error}.") from None
    return connection


def _open_for_reading(path: Path) -> apsw.Connection:
    connection = _open(path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _with_patience(connection: apsw.Connection, statement: str) -> None:
    """Opening happens before the loop serves anyone, so it may wait for a lock the plain way."""
    connection.set_busy_timeout(int(_PATIENCE_SECONDS * 1000))
    connection.execute(statement)
    connection.set_busy_timeout(0)
