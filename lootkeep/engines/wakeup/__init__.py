"""Wakes a worker before its next poll: only a hint, so losing it loses nothing."""

from __future__ import annotations

from typing import Protocol


class Wakeup(Protocol):
    """Notifies a worker that there may be something to do."""

    async def wait(self, seconds: float) -> None:
        """Returns when woken, or when the time is over."""
        ...

    def nudge(self) -> None:
        """Ends the wait, or the next one."""
        ...

    def clear(self) -> None:
        """Forgets what it was woken for: the worker is about to look for work."""
        ...

    async def close(self) -> None: ...
