"""Whether the database is usable: it responds, and writes succeed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from lootkeep.deps import Deps
from lootkeep.kernel.errors import AppError
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.engine import write_check

# A probe gives up soon, and usually restarts or removes the process.
_DEADLINE_SECONDS = 2.0
# A write costs an fsync, and several probes may arrive at once.
_WRITE_EVERY_SECONDS = 5.0


class DatabaseCheck:
    """Reads at each call, and writes every few seconds, or at each call while that fails: balancers count failures."""

    def __init__(self, deps: Deps, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._deps = deps
        self._monotonic = monotonic
        self._is_writable = True
        self._next_write = 0.0

    async def __call__(self) -> bool:
        return await _succeeds(self._read) and await self._can_write()

    async def _can_write(self) -> bool:
        now = self._monotonic()
        if now >= self._next_write or not self._is_writable:
            self._next_write = now + _WRITE_EVERY_SECONDS
            self._is_writable = await _succeeds(self._write)
        return self._is_writable

    async def _read(self) -> None:
        async with self._deps.db.read() as tx:
            await access_db.owner(tx)

    async def _write(self) -> None:
        await write_check.write(self._deps.db, self._deps.clock.now())


async def _succeeds(operation: Callable[[], Awaitable[None]]) -> bool:
    try:
        async with asyncio.timeout(_DEADLINE_SECONDS):
            await operation()
    except (AppError, TimeoutError):
        return False
    return True
