"""The rate limit per token, and the limit on failed authentication per client IP."""

from __future__ import annotations

from dataclasses import dataclass

from lootkeep.api.http.envelope import Headers
from lootkeep.api.http.errors import Unauthorized
from lootkeep.domain.access import Token
from lootkeep.domain.addresses import network_key
from lootkeep.engines.ratelimit import RateLimiter, RateLimitState
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.errors import TooManyRequests

# For the events of payment providers, which have no token: far above what a provider sends from one network.
EVENTS_PER_MINUTE = 3000


@dataclass(frozen=True, slots=True)
class Limits:
    """Zero turns a limit off; a token's own limit takes precedence over the default."""

    limiter: RateLimiter
    per_minute: int
    auth_failures_per_minute: int

    async def count(self, token: Token, now: Instant, headers: Headers) -> None:
        """Counts a request of a token; rejects it if there were too many."""
        name, limit = self._of_token(token)
        if limit:
            _apply(await self.limiter.hit(name, limit, now), limit, now, headers)

    async def refuse(self, ip: str, now: Instant, headers: Headers) -> Unauthorized:
        """Rejects a caller without a valid token; after too many attempts, with a 429."""
        name, limit = self._of_address(ip)
        if limit:
            _apply(await self.limiter.hit(name, limit, now), limit, now, headers)
        return Unauthorized()

    async def count_event(self, ip: str, now: Instant, headers: Headers) -> None:
        """Counts a request to the inbox, by the network that it came from."""
        name = f"inbox:{network_key(ip)}"
        _apply(await self.limiter.hit(name, EVENTS_PER_MINUTE, now), EVENTS_PER_MINUTE, now, headers)

    async def show(self, token: Token, now: Instant, headers: Headers) -> None:
        """Shows how much of its limit a token has left, without counting: a wrong URL costs nothing."""
        name, limit = self._of_token(token)
        if limit:
            _set_headers(await self.limiter.hit(name, 0, now), limit, headers)

    def _of_token(self, token: Token) -> tuple[str, int]:
        return f"token:{token.id}", self.per_minute if token.rate_limit is None else token.rate_limit

    def _of_address(self, ip: str) -> tuple[str, int]:
        return f"address:{network_key(ip)}", self.auth_failures_per_minute


def _apply(state: RateLimitState, limit: int, now: Instant, headers: Headers) -> None:
    _set_headers(state, limit, headers)
    if not state.is_allowed:
        raise TooManyRequests(state.retry_after(now))


def _set_headers(state: RateLimitState, limit: int, headers: Headers) -> None:
    headers += (
        (b"x-ratelimit-limit", b"%d" % limit),
        (b"x-ratelimit-remaining", b"%d" % max(0, limit - state.count)),
        (b"x-ratelimit-reset", b"%d" % -(-state.resets_at // SECOND)),
    )
