"""The pool of connections to PostgreSQL: borrowed, last in first out."""

from __future__ import annotations

import asyncio
from collections import deque

import asyncpg

from lootkeep.kernel.errors import Busy, Unavailable
from lootkeep.storage.engine.postgres_session import OUTAGES, Connection, Sessions

_CLOSE_SECONDS = 1.0


class Pool:
    """Borrowed connections, last in first out. asyncpg's own pool doubles the CPU cost of a small query."""

    def __init__(self, sessions: Sessions, size: int) -> None:
        self.sessions = sessions
        self.deadlines = sessions.deadlines
        self._size = size
        self._open = 0
        self._free: list[Connection] = []
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()

    async def take(self) -> Connection:
        if connection := self._next_free():
            return connection
        deadline = asyncio.get_running_loop().time() + self.deadlines.free_connection
        while self._open >= self._size:
            if connection := await self._wait(deadline) or self._next_free():
                return connection
        return await self._connect()

    def give_back(self, connection: Connection) -> None:
        if connection.is_closed():
            self._lost_one()
            return
        turn = self._next_waiter()
        if turn:
            turn.set_result(connection)
        else:
            self._free.append(connection)

    def discard(self, connection: Connection) -> None:
        """For a connection in an unknown state."""
        connection.terminate()
        self._lost_one()

    def distrust(self, connection: Connection) -> None:
        """For a connection that was cut or gave no answer in time: what waits in the pool went the same way as it did.

        Hard, because a polite end would wait for an answer, too, and to cancel a commit that waits for a synchronous
        replica would show what that replica does not have: then a repeated request would be acknowledged.
        """
        connection.terminate()
        while self._free:
            self.discard(self._free.pop())

    async def close(self) -> None:
        free, self._free = self._free, []
        await asyncio.gather(*(_close(connection) for connection in free))

    def _next_free(self) -> Connection | None:
        while self._free:
            connection = self._free.pop()
            if not connection.is_closed():
                return connection
            self._open -= 1
        return None

    async def _connect(self) -> Connection:
        self._open += 1
        try:
            return await self.sessions.connect()
        except BaseException as error:
            self._lost_one()
            # A changed password or a dropped database is an outage like a server that is down.
            if isinstance(error, (*OUTAGES, asyncpg.PostgresError)):
                raise Unavailable from error
            raise

    async def _wait(self, deadline: float) -> Connection | None:
        """Queues for the next connection that is returned, or for permission to open one."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[Connection | None] = loop.create_future()
        self._waiting.append(turn)
        # Cheaper than wait_for, which creates a task.
        timer = loop.call_at(deadline, _give_up, turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._pass_on(turn.result())
            raise
        finally:
            timer.cancel()

    def _lost_one(self) -> None:
        self._open -= 1
        self._pass_on(None)

    def _pass_on(self, lent: Connection | None) -> None:
        if lent:
            self.give_back(lent)
        elif turn := self._next_waiter():
            turn.set_result(None)

    def _next_waiter(self) -> asyncio.Future[Connection | None] | None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                return turn
        return None


async def _close(connection: Connection) -> None:
    try:
        await connection.close(timeout=_CLOSE_SECONDS)
    except OUTAGES:
        # asyncpg has closed it then.
        return


def _give_up(turn: asyncio.Future[Connection | None]) -> None:
    if not turn.done():
        turn.set_exception(Busy())
