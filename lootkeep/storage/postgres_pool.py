"""The pool of connections to PostgreSQL: on loan, last in first out."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TypeAlias

import asyncpg

from lootkeep.kernel.errors import Unavailable

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

_CONNECT_SECONDS = 5.0
# How long a request waits for a free connection before it is told that the service is busy.
_PATIENCE_SECONDS = 5.0

# The server or the way to it is at fault, not the statement.
OUTAGES = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.DeadlockDetectedError,
    asyncpg.TooManyConnectionsError,
    asyncpg.DiskFullError,
    asyncpg.ReadOnlySQLTransactionError,
)


class Pool:
    """Connections on loan, last in first out. asyncpg's own pool doubles the CPU cost of a small query."""

    def __init__(self, url: str, size: int) -> None:
        self._url = url
        self._size = size
        self._open = 0
        self._free: list[Connection] = []
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()

    async def take(self) -> Connection:
        while self._free:
            connection = self._free.pop()
            if not connection.is_closed():
                return connection
            self._open -= 1
        if self._open < self._size:
            return await self._connect()
        return await self._wait()

    def give_back(self, connection: Connection) -> None:
        if connection.is_closed():
            self._lost_one()
            return
        turn = self._next_turn()
        if turn:
            turn.set_result(connection)
        else:
            self._free.append(connection)

    def discard(self, connection: Connection) -> None:
        """For a connection whose state is not known any more."""
        connection.terminate()
        self._lost_one()

    async def close(self) -> None:
        while self._free:
            await self._free.pop().close()

    async def _connect(self) -> Connection:
        self._open += 1
        try:
            return await asyncpg.connect(self._url, timeout=_CONNECT_SECONDS, server_settings=_SESSION)
        except BaseException as error:
            self._lost_one()
            # A changed password or a dropped database is an outage like a server that is down.
            if isinstance(error, (*OUTAGES, asyncpg.PostgresError)):
                raise Unavailable from error
            raise

    async def _wait(self) -> Connection:
        """Queues for the next connection that comes back, or for the leave to open one."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[Connection | None] = loop.create_future()
        self._waiting.append(turn)
        # Cheaper than wait_for, which makes a task of its own.
        timer = loop.call_later(_PATIENCE_SECONDS, _give_up, turn)
        try:
            connection = await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and (lent := turn.result()):
                self.give_back(lent)
            raise
        finally:
            timer.cancel()
        return connection or await self.take()

    def _lost_one(self) -> None:
        self._open -= 1
        turn = self._next_turn()
        if turn:
            turn.set_result(None)

    def _next_turn(self) -> asyncio.Future[Connection | None] | None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                return turn
        return None


# JIT costs more than it saves on small queries; times are our own integers, so the zone only matters to a human reader.
_SESSION = {"application_name": "lootkeep", "jit": "off", "timezone": "UTC"}


def _give_up(turn: asyncio.Future[Connection | None]) -> None:
    if not turn.done():
        turn.set_exception(Unavailable("The database is busy. Please try again shortly."))
