"""Counting in this process: right when there is only one."""

from __future__ import annotations

from collections import deque

from lootkeep.engines.ratelimit import WINDOW, Standing
from lootkeep.kernel.clock import Instant

# When so many callers are remembered, those who have been quiet for a window are forgotten.
_REMEMBERED = 10_000


class MemoryRateLimiter:
    """A log of times per caller; a coroutine that never waits is atomic in the event loop."""

    def __init__(self) -> None:
        self._times: dict[str, deque[Instant]] = {}
        self._forget_at = _REMEMBERED

    async def hit(self, name: str, limit: int, now: Instant) -> Standing:
        times = self._times.get(name)
        if times is None:
            times = self._remember(name, now)
        if times and times[-1] > now:
            # A clock that was set back must not make the log run backwards.
            now = times[-1]
        start = now - WINDOW
        while times and times[0] <= start:
            times.popleft()
        is_allowed = len(times) < limit
        if is_allowed:
            times.append(now)
        oldest = times[0] if times else now
        return Standing(is_allowed, len(times), Instant(oldest + WINDOW))

    async def close(self) -> None:
        self._times.clear()

    def _remember(self, name: str, now: Instant) -> deque[Instant]:
        if len(self._times) >= self._forget_at:
            start = now - WINDOW
            self._times = {name: times for name, times in self._times.items() if times and times[-1] > start}
            # When most of them are still active, the next look through all of them is far off.
            self._forget_at = max(_REMEMBERED, 2 * len(self._times))
        return self._times.setdefault(name, deque())
