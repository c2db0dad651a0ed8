"""Cached tokens on PostgreSQL: a notification of a change clears the cache, and without a listener there is none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import asyncpg
import structlog

from lootkeep.storage.engine.postgres_session import OUTAGES

log = structlog.get_logger(__name__)

_CHANNEL = "lootkeep_tokens"
_CONNECT_SECONDS = 5.0
# How long a cache is trusted after the server has responded, and how often it is asked.
_TRUSTED_SECONDS = 5.0
_ASKED_EVERY_SECONDS = 2.0
_RECONNECT_SECONDS = 1.0
_NEVER = float("-inf")


@asynccontextmanager
async def watching_tokens(url: str) -> AsyncIterator[Callable[[], int | None]]:
    """Inside the block: another number after every notification; None while there may be some that do not arrive."""
    watch = _Watch(url)
    task = asyncio.create_task(watch.run(), name="watch tokens")
    try:
        yield watch.version
    finally:
        task.cancel()
        await asyncio.wait([task])


class _Watch:
    """Listens on a separate connection."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._now = asyncio.get_running_loop().time
        self._version = 0
        self._answered_at = _NEVER
        self._is_outage_logged = False

    def version(self) -> int | None:
        return self._version if self._now() - self._answered_at < _TRUSTED_SECONDS else None

    async def run(self) -> None:
        while True:
            try:
                await self._listen()
            except (*OUTAGES, asyncpg.PostgresError) as error:
                self._log_outage(error)
            await asyncio.sleep(_RECONNECT_SECONDS)

    async def _listen(self) -> None:
        connection = await asyncpg.connect(
            self._url, timeout=_CONNECT_SECONDS, server_settings={"application_name": "lootkeep tokens"}
        )
        try:
            connection.add_termination_listener(self._lose)
            await connection.add_listener(_CHANNEL, self._clear)
            # There may have been changes before it listened.
            self._clear()
            while True:
                asked_at = self._now()
                # Notifications of earlier commits arrive before the response.
                await connection.execute("SELECT 1", timeout=_TRUSTED_SECONDS)
                self._answered_at = asked_at
                self._is_outage_logged = False
                await asyncio.sleep(_ASKED_EVERY_SECONDS)
        finally:
            self._lose()
            connection.terminate()

    def _clear(self, *_: object) -> None:
        self._version += 1

    def _lose(self, *_: object) -> None:
        self._answered_at = _NEVER

    def _log_outage(self, error: Exception) -> None:
        """Once, not for every attempt to reconnect."""
        if not self._is_outage_logged:
            log.warning("cannot listen for token changes, each request looks up its token", error=str(error))
        self._is_outage_logged = True
