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
    # Requests in the window, including this one if it was allowed.
    count: int
    # When the oldest counted request leaves the window, so another one is allowed.
    resets_at: Instant

    def retry_after(self, now: Instant) -> int:
        """Whole seconds to wait, rounded up."""
        return max(1, -((now - self.resets_at) // SECOND))


class RateLimiter(Protocol):
    """A rate limiter. A rejected request is not counted, so a caller who waits is accepted. A limit of 0 only reads."""

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
