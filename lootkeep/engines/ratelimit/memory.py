"""Counting in this process: correct if there is only one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from lootkeep.engines.ratelimit import WINDOW, RateLimitState
from lootkeep.kernel.clock import SECOND, Instant

# Above this number of callers, those without a request for a window are removed.
_REMEMBERED = 10_000


class MemoryRateLimiter:
    """A log of times per caller; a coroutine that never waits is atomic in the event loop.

    The times come from a monotonic clock; `now` only gives the end of the window in wall time.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        # Whole microseconds of that clock.
        self._times: dict[str, deque[int]] = {}
        self._forget_at = _REMEMBERED

    async def hit(self, name: str, limit: int, now: Instant) -> RateLimitState:
        ticks = round(self._monotonic() * SECOND)
        times = self._times.get(name)
        if times is None:
            times = self._remember(name, ticks)
        start = ticks - WINDOW
        while times and times[0] <= start:
            times.popleft()
        is_allowed = len(times) < limit
        if is_allowed:
            times.append(ticks)
        oldest = times[0] if times else ticks
        return RateLimitState(is_allowed, len(times), Instant(now + oldest - start))

    async def close(self) -> None:
        self._times.clear()

    def _remember(self, name: str, ticks: int) -> deque[int]:
        if len(self._times) >= self._forget_at:
            start = ticks - WINDOW
            self._times = {name: times for name, times in self._times.items() if times and times[-1] > start}
            # If most of them are still active, the next cleanup is far off.
            self._forget_at = max(_REMEMBERED, 2 * len(self._times))
        return self._times.setdefault(name, deque())
