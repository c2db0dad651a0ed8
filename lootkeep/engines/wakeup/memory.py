"""Waking inside one process."""

from __future__ import annotations

import asyncio


class MemoryWakeup:
    """Set by whoever writes, in the same process."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def wake(self) -> None:
        self._event.set()

    async def wait(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._event.wait(), seconds)
        except TimeoutError:
            return
        # Not when the wait was given up: a call that came meanwhile is for the next one who waits.
        self._event.clear()

    async def close(self) -> None:
        return None
