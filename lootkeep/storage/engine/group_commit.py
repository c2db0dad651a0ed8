"""SQLite's one writer: operations that end during a commit share the fsync of the next one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Set
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import apsw

from lootkeep.kernel.errors import Busy, Unavailable

R = TypeVar("R")

# Another process (a command, a backup) may hold the write lock for a moment; after this time it is an error.
PATIENCE_SECONDS = 5.0
_RETRY_SECONDS = 0.01
# Not 0 in a database whose store was moved to another one. A header field: reading it takes a microsecond.
_IS_MOVED = "PRAGMA user_version"

# The disk, the file or its lock failed, not the statement.
OUTAGES = (
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.FullError,
    apsw.IOError,
    apsw.LockedError,
    apsw.NotADBError,
    apsw.ReadOnlyError,
)


class Writer:
    """The only connection that writes. Operations return when they are on disk; concurrent ones share an fsync.

    The lock is fair. A commit queues behind the operations that are already waiting, so they all join its group.
    Each can fail alone: those that join a transaction have a savepoint.
    """

    def __init__(self, connection: apsw.Connection, patience_seconds: float) -> None:
        self.connection = connection
        self._patience_seconds = patience_seconds
        self._lock = _FairLock()
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sqlite-commit")
        self._waiting: list[asyncio.Future[None]] = []
        self._committing: asyncio.Task[None] | None = None
        # The first operation of a transaction needs no savepoint: it is rolled back with the transaction.
        self._has_savepoint = False
        self.on_commit: Callable[[Set[str]], None] = lambda _changed: None
        # The tables whose workers are woken when it commits.
        self.changed: set[str] = set()

    async def enter(self) -> None:
        """The waits for this process and for other processes share a deadline; otherwise the last one waits for all."""
        deadline = asyncio.get_running_loop().time() + self._patience_seconds
        await self._lock.acquire(deadline)
        try:
            self._has_savepoint = self.connection.in_transaction
            if self._has_savepoint:
                self.connection.execute("SAVEPOINT operation")
            else:
                await self._begin(deadline)
        except BaseException:
            self._lock.release()
            raise

    async def leave(self, *, succeeded: bool) -> None:
        committed: asyncio.Future[None] | None = None
        try:
            if not self.connection.in_transaction:
                # A full disk can make SQLite roll back the whole group: then no operation in it may succeed.
                self._answer(_lost)
                raise Unavailable
            if not succeeded:
                self.connection.execute("ROLLBACK TO operation" if self._has_savepoint else "ROLLBACK")
            if self._has_savepoint:
                self.connection.execute("RELEASE operation")
            if succeeded:
                committed = asyncio.get_running_loop().create_future()
                self._waiting.append(committed)
        finally:
            if self._committing is None:
                self._committing = asyncio.get_running_loop().create_task(self._commit())
            self._lock.release()
        if committed:
            await committed

    async def in_thread(self, function: Callable[..., R], *arguments: Any) -> R:
        """What takes long: other operations wait for it, readers do not."""
        running = asyncio.get_running_loop().run_in_executor(self.thread, function, *arguments)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            # The connection is in use until then, so nothing can be rolled back before.
            await asyncio.wait([running])
            raise

    async def close(self) -> None:
        if self._committing:
            await self._committing
        self.thread.shutdown()
        self.connection.close()

    async def _begin(self, deadline: float) -> None:
        while True:
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                break
            except apsw.BusyError as error:
                if asyncio.get_running_loop().time() > deadline:
                    raise Busy() from error
                await asyncio.sleep(_RETRY_SECONDS)
            except OUTAGES as error:
                raise Unavailable from error
        if self.connection.execute(_IS_MOVED).get:
            self.connection.execute("ROLLBACK")
            raise Unavailable("The store was moved to another database, and this process was not restarted yet.")

    async def _commit(self) -> None:
        await self._lock.acquire()
        try:
            self._committing = None
            if self.connection.in_transaction:
                await self._commit_group()
        finally:
            self._lock.release()

    async def _commit_group(self) -> None:
        try:
            # The fsync runs in a thread: readers and the parsing of the next operations continue meanwhile.
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self.thread, self.connection.execute, "COMMIT")
        except apsw.Error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self._answer(_lost)
        else:
            self._answer(_kept)
            changed, self.changed = self.changed, set()
            if changed:
                self.on_commit(changed)

    def _answer(self, verdict: Callable[[asyncio.Future[None]], None]) -> None:
        """The transaction has ended."""
        waiting, self._waiting = self._waiting, []
        for committed in waiting:
            if not committed.done():
                verdict(committed)


class _FairLock:
    """Held in the order of asking, like asyncio's, by those whose deadline is not over.

    asyncio's lock inside a time-out would add a third to the CPU of a small write.
    """

    def __init__(self) -> None:
        self._is_held = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self, deadline: float | None = None) -> None:
        if not self._is_held:
            self._is_held = True
            return
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        timer = None if deadline is None else loop.call_at(deadline, _give_up, turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release()
            raise
        finally:
            if timer:
                timer.cancel()

    def release(self) -> None:
        """Passes it to the next in line, so nobody can get in between."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._is_held = False


def _give_up(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_exception(Busy())


def _kept(committed: asyncio.Future[None]) -> None:
    committed.set_result(None)


def _lost(committed: asyncio.Future[None]) -> None:
    committed.set_exception(Unavailable())
