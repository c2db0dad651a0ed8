"""A wake-up that shows a test when a worker rests, and that only an event ends its rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lootkeep.engines.wakeup import Wakeup

# Longer than any test: a worker that nobody wakes never looks again, whatever time the machine takes.
FOR_GOOD = 3600.0
# What a test waits for happens well before.
SOON = 60


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON):
        while not is_so():
            await asyncio.sleep(0.02)


class OnlyWoken(Wakeup):
    """Counts the rests of a worker; a rest ends only when the wake-up behind it is woken."""

    def __init__(self, wakeup: Wakeup) -> None:
        super().__init__()
        self._wakeup = wakeup
        self.rests = 0
        self.is_resting = False
        self.began = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        self.rests += 1
        self.is_resting = True
        self.began.set()
        await self._wakeup.wait(FOR_GOOD)
        self.is_resting = False

    def nudge(self) -> None:
        self._wakeup.nudge()

    def clear(self) -> None:
        self._wakeup.clear()
