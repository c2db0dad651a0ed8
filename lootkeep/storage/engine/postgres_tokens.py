"""Cached tokens on PostgreSQL: a change is acknowledged when no process caches the old state.

Each process that caches tokens listens, and holds a lock that it releases when it is notified of a change. Anyone who
changes a token commits, then waits for that lock. A process that does not react keeps the lock, but it trusts its cache
only if the server has responded within the last seconds, so waiting that long is enough.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

import asyncpg
import structlog

from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.postgres_session import OUTAGES

log = structlog.get_logger(__name__)

PlainConnection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

_CHANNEL = "lootkeep_tokens"
_REMEMBERED = "hashtextextended('lootkeep tokens are remembered', 0)"
_CHANGING = "hashtextextended('lootkeep tokens are changing', 0)"
# Nobody starts to cache during a change: they would miss the notification and not release the lock.
_JOIN = (
    f"SELECT pg_advisory_lock_shared({_CHANGING}); SELECT pg_advisory_unlock_shared({_CHANGING}); "
    f"SELECT pg_advisory_lock_shared({_REMEMBERED})"
)
_LEAVE = f"SELECT pg_advisory_unlock_shared({_REMEMBERED})"

_CONNECT_SECONDS = 5.0
# How long a cache is trusted after the server has responded, and how often it is asked.
_TRUSTED_SECONDS = 5.0
_ASKED_EVERY_SECONDS = 2.0
# A little longer, so no process trusts its cache when it is over.
_CHANGE_SECONDS = _TRUSTED_SECONDS + 1
# Several changes wait for each other.
_QUEUE_SECONDS = 30.0
_RECONNECT_SECONDS = 1.0

_TROUBLES = (*OUTAGES, asyncpg.PostgresError)


@asynccontextmanager
async def changing_tokens(url: str) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Returns what to wait for after the commit: then no process caches an old token."""
    try:
        connection = await _connect(url)
    except _TROUBLES as error:
        raise Unavailable from error
    try:
        await connection.execute("BEGIN")
        await connection.execute(f"SELECT pg_advisory_xact_lock({_CHANGING})", timeout=_QUEUE_SECONDS)
    except _TROUBLES as error:
        connection.terminate()
        raise Unavailable from error

    async def all_have_forgotten() -> None:
        try:
            await connection.execute(f"SELECT pg_advisory_xact_lock({_REMEMBERED})", timeout=_CHANGE_SECONDS)
        except TimeoutError:
            return
        except _TROUBLES as error:
            raise Unavailable from error

    try:
        yield all_have_forgotten
    finally:
        connection.terminate()


@asynccontextmanager
async def watching_tokens(url: str) -> AsyncIterator[Callable[[], int | None]]:
    watch = _Watch(url)
    task = asyncio.create_task(watch.run(), name="watch tokens")
    try:
        yield watch.version
    finally:
        task.cancel()
        await asyncio.wait([task])


class _Watch:
    """Listens on a separate connection while the process caches tokens."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._now = asyncio.get_running_loop().time
        self._version = 0
        self._has_joined = False
        self._answered_at = 0.0
        self._changed = asyncio.Event()
        self._is_outage_logged = False

    def version(self) -> int | None:
        is_trusted = self._has_joined and self._now() - self._answered_at < _TRUSTED_SECONDS
        return self._version if is_trusted else None

    async def run(self) -> None:
        while True:
            try:
                await self._listen()
            except _TROUBLES as error:
                self._log_outage(error)
            await asyncio.sleep(_RECONNECT_SECONDS)

    async def _listen(self) -> None:
        connection = await _connect(self._url)
        try:
            connection.add_termination_listener(self._forget)
            await connection.add_listener(_CHANNEL, self._forget)
            while True:
                await self._join(connection)
                await self._stay(connection)
                await connection.execute(_LEAVE, timeout=_TRUSTED_SECONDS)
        finally:
            self._forget()
            connection.terminate()

    async def _join(self, connection: PlainConnection) -> None:
        self._changed.clear()
        await connection.execute(_JOIN, timeout=_QUEUE_SECONDS)
        # The notification of a change that was committed before the lock was taken may be missing.
        self._version += 1
        self._has_joined = not self._changed.is_set()
        self._is_outage_logged = False

    async def _stay(self, connection: PlainConnection) -> None:
        while not self._changed.is_set():
            asked_at = self._now()
            # Notifications of earlier commits arrive before the response.
            await connection.execute("SELECT 1", timeout=_TRUSTED_SECONDS)
            self._answered_at = asked_at
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _ASKED_EVERY_SECONDS)

    def _forget(self, *_: object) -> None:
        self._has_joined = False
        self._changed.set()

    def _log_outage(self, error: Exception) -> None:
        """Once, not for every attempt to reconnect."""
        if not self._is_outage_logged:
            log.warning("cannot listen for token changes, each request looks up its token", error=str(error))
        self._is_outage_logged = True


async def _connect(url: str) -> PlainConnection:
    return await asyncpg.connect(url, timeout=_CONNECT_SECONDS, server_settings={"application_name": "lootkeep tokens"})
