"""What other processes commit, heard by PostgreSQL's NOTIFY: changed tokens empty caches, changed tables wake workers.

Only a hint: without a listener tokens are looked up for each request, and workers look every few seconds.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import asyncpg
import structlog

from lootkeep.storage.engine.database import OnChange
from lootkeep.storage.engine.postgres_session import OUTAGES

log = structlog.get_logger(__name__)

# Sent by a trigger on the tokens, and after commits by `postgres_notices`.
_TOKENS, _WORK = "lootkeep_tokens", "lootkeep_work"
_CONNECT_SECONDS = 5.0
# How long a cache is trusted after the server has responded, and how often it is asked.
_TRUSTED_SECONDS = 5.0
_ASKED_EVERY_SECONDS = 2.0
# Limits how often a server without a free connection is asked for one.
_MAX_PAUSE_SECONDS = 30.0
_NEVER = float("-inf")


@asynccontextmanager
async def listening(url: str, own: str, on_change: OnChange) -> AsyncIterator[Callable[[], int | None]]:
    """Inside the block: another number after every change of a token; None while some may go unnoticed."""
    listener = _Listener(url, own, on_change)
    task = asyncio.create_task(listener.run(), name="listen to other processes")
    try:
        yield listener.version
    finally:
        task.cancel()
        await asyncio.wait([task])


class _Listener:
    """Listens on a separate connection."""

    def __init__(self, url: str, own: str, on_change: OnChange) -> None:
        self._url = url
        self._own = own
        self._on_change = on_change
        self._now = asyncio.get_running_loop().time
        self._version = 0
        self._answered_at = _NEVER
        self._failures = 0

    def version(self) -> int | None:
        return self._version if self._now() - self._answered_at < _TRUSTED_SECONDS else None

    async def run(self) -> None:
        while True:
            try:
                await self._listen()
            except (*OUTAGES, asyncpg.PostgresError, ValueError) as error:
                await self._rest(error)

    async def _listen(self) -> None:
        connection = await asyncpg.connect(
            self._url,
            timeout=_CONNECT_SECONDS,
            command_timeout=_CONNECT_SECONDS,
            server_settings={"application_name": "lootkeep listener"},
        )
        try:
            connection.add_termination_listener(self._lose)
            await connection.add_listener(_TOKENS, self._clear)
            await connection.add_listener(_WORK, self._hear)
            # There may have been changes before it listened.
            self._clear()
            self._on_change(None)
            while True:
                asked_at = self._now()
                # Notifications of earlier commits arrive before the response.
                await connection.execute("SELECT 1", timeout=_TRUSTED_SECONDS)
                self._answered_at = asked_at
                if self._failures:
                    log.info("listening to other processes again")
                    self._failures = 0
                await asyncio.sleep(_ASKED_EVERY_SECONDS)
        finally:
            self._lose()
            connection.terminate()

    def _clear(self, *_: object) -> None:
        self._version += 1

    def _hear(self, _connection: object, _backend: int, _channel: str, payload: object) -> None:
        """The payload names the sender: this process knows of its own commits already."""
        sender, *tables = str(payload).split(" ")
        if sender != self._own:
            self._on_change(set(tables))

    def _lose(self, *_: object) -> None:
        self._answered_at = _NEVER

    async def _rest(self, error: Exception) -> None:
        if not self._failures:
            log.warning(
                "cannot listen to other processes: tokens are looked up, and workers poll every few seconds",
                error=str(error) or type(error).__name__,
            )
        pause = min(_MAX_PAUSE_SECONDS, 2.0 ** min(self._failures, 10))
        self._failures += 1
        await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311  no secret
