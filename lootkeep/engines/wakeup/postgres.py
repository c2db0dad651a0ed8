"""Waking over PostgreSQL's NOTIFY: any process that commits an event wakes every worker."""

from __future__ import annotations

from typing import Any

import asyncpg

from lootkeep.engines.wakeup.memory import MemoryWakeup

CHANNEL = "lootkeep_work"
_CONNECT_SECONDS = 5.0


class PostgresWakeup(MemoryWakeup):
    """Listens on a connection of its own; when that is lost, workers look on their own until it is back."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self._connection: Any = None

    async def wait(self, seconds: float) -> None:
        if self._connection is None or self._connection.is_closed():
            await self._listen()
            # What was told before we listened is looked for once, not slept over.
            return
        await super().wait(seconds)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()

    async def _listen(self) -> None:
        try:
            self._connection = await asyncpg.connect(self._url, timeout=_CONNECT_SECONDS)
            await self._connection.add_listener(CHANNEL, lambda *_: self.wake())
        except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            self._connection = None
