"""The rate limit per token, and the one on failed authentication per client address."""

from __future__ import annotations

from dataclasses import dataclass

from lootkeep.api.http.envelope import Headers
from lootkeep.api.http.errors import TooManyRequests, Unauthorized
from lootkeep.domain.access import Token
from lootkeep.engines.ratelimit import RateLimiter, Standing
from lootkeep.kernel.clock import SECOND, Instant


@dataclass(frozen=True, slots=True)
class Limits:
    """Zero switches a limit off; a token's own limit goes before the default."""

    limiter: RateLimiter
    per_minute: int
    auth_failures_per_minute: int

    async def count(self, token: Token, now: Instant, headers: Headers) -> None:
        limit = self.per_minute if token.rate_limit is None else token.rate_limit
        if limit:
            _apply(await self.limiter.hit(f"token:{token.id}", limit, now), now, headers)

    async def refuse(self, address: str, now: Instant, headers: Headers) -> Unauthorized:
        """The refusal of a caller without a valid token; one who tries too often is told to wait instead."""
        if self.auth_failures_per_minute:
            standing = await self.limiter.hit(f"address:{address}", self.auth_failures_per_minute, now)
            _apply(standing, now, headers)
        return Unauthorized()


def _apply(standing: Standing, now: Instant, headers: Headers) -> None:
    headers += (
        (b"x-ratelimit-limit", b"%d" % standing.limit),
        (b"x-ratelimit-remaining", b"%d" % standing.remaining),
        (b"x-ratelimit-reset", b"%d" % -(-standing.resets_at // SECOND)),
    )
    if not standing.is_allowed:
        raise TooManyRequests(standing.retry_after(now))
