"""Redis outages: each process counts alone meanwhile, and nobody waits for Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from lootkeep.engines.ratelimit.redis import RedisRateLimiter
from tests.engines.counted_names import at, new_name
from tests.gate import Gate
from tests.receiver import PATIENCE_SECONDS

REST = 1.0


class Stopwatch:
    """A clock that a test advances."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def name() -> str:
    return new_name()


@pytest.fixture
async def gate(redis_url: str) -> AsyncIterator[Gate]:
    gate = Gate(redis_url)
    await gate.open()
    yield gate
    await gate.shut()


@pytest.fixture
def watch() -> Stopwatch:
    return Stopwatch()


@pytest.fixture
async def limiter(gate: Gate, watch: Stopwatch) -> AsyncIterator[RedisRateLimiter]:
    limiter = RedisRateLimiter(gate.url, deadline_seconds=PATIENCE_SECONDS, monotonic=watch)
    yield limiter
    await limiter.close()


@pytest.fixture
async def elsewhere(redis_url: str) -> AsyncIterator[RedisRateLimiter]:
    """Another process with a working connection to Redis."""
    limiter = RedisRateLimiter(redis_url, deadline_seconds=PATIENCE_SECONDS)
    yield limiter
    await limiter.close()


async def test_without_redis_a_process_counts_alone(limiter: RedisRateLimiter, gate: Gate, name: str) -> None:
    await gate.shut()
    allowed = [(await limiter.hit(name, 3, at(0))).is_allowed for _ in range(5)]
    assert allowed == [True, True, True, False, False]


async def test_losing_redis_between_two_requests_rejects_nobody(
    limiter: RedisRateLimiter, gate: Gate, name: str
) -> None:
    before = await limiter.hit(name, 2, at(0))
    await gate.shut()
    after = await limiter.hit(name, 2, at(0))
    assert (before.is_allowed, after.is_allowed) == (True, True)


async def test_redis_is_not_tried_for_a_second_after_a_failure(
    limiter: RedisRateLimiter, elsewhere: RedisRateLimiter, gate: Gate, watch: Stopwatch, name: str
) -> None:
    await gate.shut()
    await limiter.hit(name, 9, at(0))
    await gate.open()
    watch.seconds += REST - 0.001
    await limiter.hit(name, 9, at(0))
    assert (await elsewhere.hit(name, 9, at(0))).count == 1


async def test_the_shared_count_continues_when_redis_is_back(
    limiter: RedisRateLimiter, elsewhere: RedisRateLimiter, gate: Gate, watch: Stopwatch, name: str
) -> None:
    await limiter.hit(name, 9, at(0))
    await gate.shut()
    await limiter.hit(name, 9, at(0))
    await gate.open()
    await elsewhere.hit(name, 9, at(0.5))
    watch.seconds += REST
    back = await limiter.hit(name, 9, at(1))
    assert (back.is_allowed, back.count) == (True, 3)


async def test_while_redis_hangs_only_one_request_waits_for_it(gate: Gate, watch: Stopwatch, name: str) -> None:
    limiter = RedisRateLimiter(gate.url, deadline_seconds=0.3, monotonic=watch)
    gate.is_silent = True
    await limiter.hit(name, 99, at(0))
    watch.seconds += REST
    trying = asyncio.create_task(limiter.hit(name, 99, at(0)))
    await asyncio.sleep(0)
    others = [await limiter.hit(name, 99, at(0)) for _ in range(50)]
    was_still_trying = not trying.done()
    await trying
    await limiter.close()
    assert (was_still_trying, others[-1].count) == (True, 51)


async def test_the_pause_starts_at_the_deadline_and_not_when_the_request_arrived(
    gate: Gate, watch: Stopwatch, name: str
) -> None:
    limiter = RedisRateLimiter(gate.url, deadline_seconds=0.3, monotonic=watch)
    gate.is_silent = True
    waiting = [asyncio.create_task(limiter.hit(name, 99, at(0))) for _ in range(20)]
    await asyncio.sleep(0)
    watch.seconds += 5
    await asyncio.gather(*waiting)
    watch.seconds += REST - 0.001
    await asyncio.gather(*(limiter.hit(name, 99, at(0)) for _ in range(100)))
    await limiter.close()
    # A connection of the first ones may be seen late, but there is none of the others.
    assert gate.visits <= len(waiting)


async def test_an_outage_of_redis_is_one_line_in_the_log_and_its_end_another(
    limiter: RedisRateLimiter, gate: Gate, watch: Stopwatch, name: str
) -> None:
    with capture_logs() as lines:
        await gate.shut()
        for _ in range(5):
            await limiter.hit(name, 9, at(0))
            watch.seconds += REST
        await gate.open()
        await limiter.hit(name, 9, at(0))
    assert [line["event"] for line in lines] == [
        "redis is unreachable, this process counts requests alone",
        "redis is back, requests are counted there again",
    ]
