"""Wakes workers when another process says, by PostgreSQL's NOTIFY, that there is work."""

from __future__ import annotations

import asyncio
import random
from asyncio import Transport
from collections.abc import Collection
from typing import Any

import asyncpg
import structlog

from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.kernel import sockets

log = structlog.get_logger(__name__)

CHANNEL = "lootkeep_work"
_CONNECT_SECONDS = 5.0
_CLOSE_SECONDS = 1.0
# Limits how often a server without a free connection is asked for one.
_FIRST_PAUSE_SECONDS = 1.0
_MAX_PAUSE_SECONDS = 30.0

_OUTAGES = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError)


class PostgresWakeup(MemoryWakeup):
    """Listens on a separate connection; while that is lost, workers poll.

    A notification names its sender and the tables that changed; this process knows of its own commits already.
    """

    def __init__(self, url: str, tables: Collection[str] = (), own: str = "") -> None:
        super().__init__(tables)
        self._url = url
        self._own = own
        self._connection: Any = None
        self._listening: asyncio.Task[None] | None = None
        self._failures = 0
        self._next_try = 0.0

    async def wait(self, seconds: float) -> None:
        if self._connection is None or self._connection.is_closed():
            self._begin_to_listen()
        await super().wait(seconds)

    async def close(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait({self._listening})
        if self._connection is not None:
            await _close(self._connection)

    def _begin_to_listen(self) -> None:
        """Not awaited: a silent server must not delay the caller, which looks for work meanwhile."""
        loop = asyncio.get_running_loop()
        is_trying = self._listening is not None and not self._listening.done()
        if not is_trying and loop.time() >= self._next_try:
            self._listening = loop.create_task(self._listen())

    async def _listen(self) -> None:
        try:
            self._connection = await self._connect()
        except (*_OUTAGES, ValueError) as error:
            self._rest(error)
            return
        if self._failures:
            log.info("listening for new work again")
        self._failures = 0
        # Notifications from before we listened are lost, so look for work once.
        self.wake()

    async def _connect(self) -> Any:
        connection = await asyncpg.connect(
            self._url, timeout=_CONNECT_SECONDS, command_timeout=_CONNECT_SECONDS, connection_class=_ListenConnection
        )
        try:
            await connection.add_listener(CHANNEL, self._heard)
        except BaseException:
            connection.terminate()
            raise
        return connection

    def _heard(self, _connection: Any, _backend: int, _channel: str, payload: object) -> None:
        sender, *tables = str(payload).split(" ")
        if sender != self._own:
            self.wake(set(tables))

    def _rest(self, error: Exception) -> None:
        if not self._failures:
            log.warning(
                "cannot listen for new work, polling every few seconds",
                error=str(error) or type(error).__name__,
            )
        pause = min(_MAX_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2 ** min(self._failures, 10))
        self._failures += 1
        self._next_try = asyncio.get_running_loop().time() + pause * random.uniform(0.5, 1)  # noqa: S311  no secret


class _ListenConnection(asyncpg.Connection):
    """asyncpg's connection with keep-alive: nothing is ever sent on it that could fail."""

    __slots__ = ()

    def __init__(self, protocol: Any, transport: Transport, *rest: Any) -> None:
        super().__init__(protocol, transport, *rest)
        sockets.notice_loss(transport)


async def _close(connection: Any) -> None:
    try:
        await connection.close(timeout=_CLOSE_SECONDS)
    except _OUTAGES:
        # asyncpg has closed it then.
        return
