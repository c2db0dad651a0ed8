"""Counting requests: at most N in any window of a minute, exact under concurrency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from lootkeep.kernel.clock import MINUTE, SECOND, Instant

WINDOW = MINUTE


@dataclass(frozen=True, slots=True)
class RateLimitState:
    """A caller's limit and usage after a request."""

    is_allowed: bool
    # Requests in the window, this one included when it was allowed.
    count: int
    # When the oldest counted request leaves the window: from then on there is room for one more.
    resets_at: Instant

    def retry_after(self, now: Instant) -> int:
        """Whole seconds to wait, never too few."""
        return max(1, -((now - self.resets_at) // SECOND))


class RateLimiter(Protocol):
    """Whatever counts. A refused request is not counted: a caller who waits gets in. A limit of 0 only looks."""

    async def hit(self, name: str, limit: int, now: Instant) -> RateLimitState: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class PrefixedRateLimiter:
    """Counts under its own names in a limiter that another object owns and closes."""

    limiter: RateLimiter
    prefix: str

    async def hit(self, name: str, limit: int, now: Instant) -> RateLimitState:
        return await self.limiter.hit(self.prefix + name, limit, now)

    async def close(self) -> None:
        return None
