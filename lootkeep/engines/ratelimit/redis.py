"""Counting in Redis: one count for all processes and machines."""

from __future__ import annotations

import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import RedisError

from lootkeep.engines.ratelimit import WINDOW, Standing
from lootkeep.engines.ratelimit.memory import MemoryRateLimiter
from lootkeep.kernel.clock import SECOND, Instant

log = structlog.get_logger(__name__)

# A limiter that is slow is worse than one that is gone: the request waits for it.
_TIMEOUT_SECONDS = 1.0
_QUEUE_SECONDS = 5.0
_CONNECTIONS = 8
# After a failure Redis is left alone for so long, and each process counts for itself.
_REST = SECOND

# One script is one atomic step. Times never run backwards within a log, whatever the machines' clocks say.
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
    """Exact over any number of processes; without Redis each process limits alone until it is back."""

    def __init__(self, url: str) -> None:
        # Hits queue for a connection: a burst is no outage, or each process would count it for itself.
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=_CONNECTIONS,
            timeout=_QUEUE_SECONDS,
            socket_timeout=_TIMEOUT_SECONDS,
            socket_connect_timeout=_TIMEOUT_SECONDS,
        )
        self._redis: Redis = Redis.from_pool(pool)
        self._script = self._redis.register_script(_HIT)
        self._alone = MemoryRateLimiter()
        self._rests_until = Instant(0)

    async def hit(self, name: str, limit: int, now: Instant) -> Standing:
        if now < self._rests_until:
            return await self._alone.hit(name, limit, now)
        try:
            allowed, count, oldest = await self._script(keys=[f"lootkeep:limit:{name}"], args=[now, WINDOW, limit])
        except (RedisError, OSError) as error:
            self._rests_until = Instant(now + _REST)
            log.warning("redis is unreachable, this process counts requests alone", error=str(error))
            return await self._alone.hit(name, limit, now)
        # A clock that was set back must not make anyone wait for longer than a window.
        return Standing(bool(allowed), int(count), Instant(min(int(oldest), now) + WINDOW))

    async def close(self) -> None:
        await self._redis.aclose()
