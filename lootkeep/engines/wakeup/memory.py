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
        finally:
            self._event.clear()

    async def close(self) -> None:
        return None
