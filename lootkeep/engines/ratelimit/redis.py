"""Counting in Redis: one count for all processes and machines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import RedisError

from lootkeep.engines.ratelimit import WINDOW, RateLimitState
from lootkeep.engines.ratelimit.memory import MemoryRateLimiter
from lootkeep.kernel.clock import Instant

log = structlog.get_logger(__name__)

# A slow limiter is worse than none: the request waits for it.
_DEADLINE_SECONDS = 0.5
_CONNECTIONS = 8
# After a failure Redis is not used for this long, and each process counts alone.
_REST_SECONDS = 1.0

# One script is one atomic step. Times never go backwards within a log, even if clocks differ.
_HIT = """
local now, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local newest = redis.call('LINDEX', KEYS[1], -1)
if newest and tonumber(newest) > now then now = tonumber(newest) end
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= now - window do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local count = redis.call('LLEN', KEYS[1])
local allowed = 0
if count < limit then
  local text = string.format('%.0f', now)
  redis.call('RPUSH', KEYS[1], text)
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
  allowed, count, oldest = 1, count + 1, oldest or text
end
return {allowed, count, oldest or string.format('%.0f', now)}
"""


class RedisRateLimiter:
    """Exact for any number of processes; without Redis each process limits alone until it is back.

    The pause starts when a deadline has passed, not when the request arrived that waited for it. After it one request
    tries Redis, and the others do not wait for its result.
    """

    def __init__(
        self, url: str, deadline_seconds: float = _DEADLINE_SECONDS, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._deadline_seconds = deadline_seconds
        self._monotonic = monotonic
        # Requests queue for a connection: a burst is not an outage, in which each process would count alone.
        pool = BlockingConnectionPool.from_url(url, max_connections=_CONNECTIONS, timeout=None)
        self._redis: Redis = Redis.from_pool(pool)
        self._script = self._redis.register_script(_HIT)
        self._alone = MemoryRateLimiter()
        self._is_away = False
        self._rests_until = 0.0

    async def hit(self, name: str, limit: int, now: Instant) -> RateLimitState:
        if self._is_away and not self._may_try():
            return await self._alone.hit(name, limit, now)
        try:
            async with asyncio.timeout(self._deadline_seconds):
                allowed, count, oldest = await self._script(keys=[f"lootkeep:limit:{name}"], args=[now, WINDOW, limit])
        except (RedisError, OSError) as error:
            self._rest(error)
            return await self._alone.hit(name, limit, now)
        if self._is_away:
            self._is_away = False
            log.info("redis is back, requests are counted there again")
        # A clock that was set back must not make anyone wait longer than a window.
        return RateLimitState(bool(allowed), int(count), Instant(min(int(oldest), now) + WINDOW))

    def _may_try(self) -> bool:
        if self._monotonic() < self._rests_until:
            return False
        # The next attempt waits until this one has had its time.
        self._rests_until = self._monotonic() + self._deadline_seconds
        return True

    def _rest(self, error: Exception) -> None:
        self._rests_until = self._monotonic() + _REST_SECONDS
        if not self._is_away:
            self._is_away = True
            reason = str(error) or type(error).__name__
            log.warning("redis is unreachable, this process counts requests alone", error=reason)

    async def close(self) -> None:
        await self._redis.aclose()
