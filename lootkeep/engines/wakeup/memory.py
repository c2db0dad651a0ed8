"""Waking inside one process."""

from __future__ import annotations

import asyncio


class MemoryWakeup:
    """Set by writers in the same process."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._followers: list[MemoryWakeup] = []

    def follower(self) -> MemoryWakeup:
        """Another to wait on, for a second loop: each receives every call, even if the other is busy."""
        follower = MemoryWakeup()
        self._followers.append(follower)
        return follower

    def nudge(self) -> None:
        """Wakes only the loop that waits here."""
        self._event.set()

    def wake(self) -> None:
        self.nudge()
        for follower in self._followers:
            follower.wake()

    async def wait(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._event.wait(), seconds)
        except TimeoutError:
            return
        # Not when the wait was given up: a call that came meanwhile is for the next one who waits.
        self._event.clear()

    async def close(self) -> None:
        return None
