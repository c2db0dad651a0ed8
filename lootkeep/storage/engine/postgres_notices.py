"""Notifies other processes that there is work for their workers: after the commits, once for many."""

from __future__ import annotations

import asyncio
from collections.abc import Set
from contextlib import suppress

from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.postgres_pool import Pool
from lootkeep.storage.engine.postgres_session import OUTAGES

# Ten times a second for all commits of a process. A NOTIFY inside each transaction would make their commits, with
# the flush to disk and replica, wait for each other.
_PAUSE_SECONDS = 0.1
_NOTIFY = "SELECT pg_notify('lootkeep_work', $1)"


class Notices:
    """The text of a notification: who sends it, and the tables that changed."""

    def __init__(self, pool: Pool, sender: str) -> None:
        self._pool = pool
        self._sender = sender
        self._tables: set[str] = set()
        self._sending: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def add(self, tables: Set[str]) -> None:
        self._tables |= tables
        if self._sending is None or self._sending.done():
            self._sending = asyncio.get_running_loop().create_task(self._send_later(), name="notify other processes")

    async def close(self) -> None:
        """Sends what is left: a command ends right after its commit."""
        self._closing.set()
        if self._sending:
            await asyncio.wait([self._sending])

    async def _send_later(self) -> None:
        while self._tables:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), _PAUSE_SECONDS)
            await self._send()

    async def _send(self) -> None:
        tables, self._tables = self._tables, set()
        try:
            connection = await self._pool.take()
            try:
                await connection.execute(_NOTIFY, " ".join([self._sender, *sorted(tables)]))
            finally:
                self._pool.give_back(connection)
        except (*OUTAGES, Unavailable):
            # Only a hint: the others look by themselves every few seconds.
            return
