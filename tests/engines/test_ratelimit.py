"""Both rate limiters side by side: what holds for one process holds for many that share Redis."""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from lootkeep.engines.ratelimit import WINDOW, RateLimiter, RateLimitState
from lootkeep.engines.ratelimit.memory import MemoryRateLimiter
from lootkeep.engines.ratelimit.redis import RedisRateLimiter
from lootkeep.kernel.clock import MINUTE, SECOND, Instant
from tests.engines.counted_names import at, new_name
from tests.receiver import PATIENCE_SECONDS
from tests.world import NOON


@pytest.fixture
def name() -> str:
    return new_name()


@pytest.fixture(params=["memory", "redis"])
async def limiter(request: pytest.FixtureRequest) -> AsyncIterator[RateLimiter]:
    limiter = new_limiter(request.param, request.getfixturevalue("redis_url"))
    yield limiter
    await limiter.close()


def new_limiter(engine: str, redis_url: str) -> RateLimiter:
    return RedisRateLimiter(redis_url, deadline_seconds=PATIENCE_SECONDS) if engine == "redis" else InMemory()


class InMemory(MemoryRateLimiter):
    """A limiter in memory whose monotonic clock is the time passed to it."""

    def __init__(self) -> None:
        super().__init__(lambda: self.seconds)
        self.seconds = 0.0

    async def hit(self, name: str, limit: int, now: Instant) -> RateLimitState:
        self.seconds = (now - NOON) / SECOND
        return await super().hit(name, limit, now)


async def test_requests_up_to_the_limit_are_allowed_and_then_none(limiter: RateLimiter, name: str) -> None:
    standings = [await limiter.hit(name, 3, at(0)) for _ in range(5)]
    assert [(s.is_allowed, s.count) for s in standings] == [(True, 1), (True, 2), (True, 3), (False, 3), (False, 3)]


async def test_the_oldest_hit_expires_after_exactly_a_minute(limiter: RateLimiter, name: str) -> None:
    await limiter.hit(name, 1, at(0))
    just_before = await limiter.hit(name, 1, Instant(NOON + MINUTE - 1))
    on_the_dot = await limiter.hit(name, 1, Instant(NOON + MINUTE))
    assert (just_before.is_allowed, on_the_dot.is_allowed) == (False, True)


async def test_the_window_slides_and_does_not_jump(limiter: RateLimiter, name: str) -> None:
    for second in (0, 30, 50):
        await limiter.hit(name, 3, at(second))
    allowed = [(await limiter.hit(name, 3, at(second))).is_allowed for second in (59, 60, 61, 89, 90, 91)]
    assert allowed == [False, True, False, False, True, False]


async def test_the_reset_is_when_the_oldest_counted_hit_expires(limiter: RateLimiter, name: str) -> None:
    first = await limiter.hit(name, 2, at(0))
    second = await limiter.hit(name, 2, at(10))
    refused = await limiter.hit(name, 2, at(20))
    later = await limiter.hit(name, 2, at(60))
    assert [s.resets_at for s in (first, second, refused, later)] == [at(60), at(60), at(60), at(70)]


async def test_refused_hits_are_not_counted(limiter: RateLimiter, name: str) -> None:
    await limiter.hit(name, 1, at(0))
    for second in range(1, 60):
        await limiter.hit(name, 1, at(second))
    assert (await limiter.hit(name, 1, at(60))).is_allowed


async def test_callers_are_counted_separately(limiter: RateLimiter, name: str) -> None:
    await limiter.hit(name, 1, at(0))
    assert (await limiter.hit(f"{name}:other", 1, at(0))).is_allowed


async def test_a_changed_limit_applies_at_once(limiter: RateLimiter, name: str) -> None:
    for _ in range(5):
        await limiter.hit(name, 5, at(0))
    lowered = await limiter.hit(name, 2, at(1))
    raised = await limiter.hit(name, 7, at(1))
    assert (lowered.is_allowed, lowered.count) == (False, 5)
    assert (raised.is_allowed, raised.count) == (True, 6)


async def test_a_limit_of_zero_only_peeks(limiter: RateLimiter, name: str) -> None:
    await limiter.hit(name, 2, at(0))
    looks = [await limiter.hit(name, 0, at(10)) for _ in range(3)]
    last = await limiter.hit(name, 2, at(10))
    assert [(s.is_allowed, s.count, s.resets_at) for s in looks] == [(False, 1, at(60))] * 3
    assert (last.is_allowed, last.count) == (True, 2)


async def test_exactly_the_limit_is_allowed_among_concurrent_requests(limiter: RateLimiter, name: str) -> None:
    standings = await asyncio.gather(*(limiter.hit(name, 12, at(0)) for _ in range(20)))
    assert sum(s.is_allowed for s in standings) == 12
    assert sorted(s.count for s in standings if s.is_allowed) == list(range(1, 13))


@pytest.mark.parametrize(("waited", "seconds"), [(0, 60), (0.000001, 60), (1, 59), (59, 1), (59.999999, 1)])
def test_the_time_to_wait_is_never_too_short(waited: float, seconds: int) -> None:
    assert RateLimitState(False, 1, at(60)).retry_after(at(waited)) == seconds


# Pauses that meet the edges of the window: together, a moment apart, just short of, at and past a minute.
_pauses = st.one_of(
    st.sampled_from([0, 1, SECOND, WINDOW // 2, WINDOW - 1, WINDOW, WINDOW + 1]), st.integers(0, WINDOW + SECOND)
)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(limit=st.integers(1, 5), pauses=st.lists(_pauses, max_size=40))
@pytest.mark.parametrize("engine", ["memory", "redis"])
def test_no_window_exceeds_the_limit_and_no_hit_is_rejected_needlessly(
    engine: str, redis_url: str, limit: int, pauses: list[int]
) -> None:
    times = [NOON + passed for passed in itertools.accumulate(pauses)]

    async def hits() -> list[bool]:
        limiter = new_limiter(engine, redis_url)
        name = new_name()
        allowed = [(await limiter.hit(name, limit, Instant(time))).is_allowed for time in times]
        await limiter.close()
        return allowed

    accepted: list[int] = []
    for time, is_allowed in zip(times, asyncio.run(hits()), strict=True):
        in_window = sum(time - WINDOW < earlier <= time for earlier in accepted)
        assert is_allowed == (in_window < limit)
        if is_allowed:
            accepted.append(time)


async def test_a_clock_set_back_opens_no_second_window_in_redis(redis_url: str, name: str) -> None:
    limiter = new_limiter("redis", redis_url)
    for _ in range(3):
        await limiter.hit(name, 3, at(100))
    behind = await limiter.hit(name, 3, at(40))
    await limiter.close()
    assert (behind.is_allowed, behind.retry_after(at(40)), behind.resets_at) == (False, 60, at(100))


_PROCESS = """
import asyncio, sys
from lootkeep.engines.ratelimit.redis import RedisRateLimiter

async def main(url, name, now):
    limiter = RedisRateLimiter(url, deadline_seconds=300)
    print("ready", flush=True)
    sys.stdin.readline()
    accepted = 0
    for _ in range(10):
        standings = await asyncio.gather(*(limiter.hit(name, 60, now) for _ in range(4)))
        accepted += sum(standing.is_allowed for standing in standings)
    print(accepted)
    await limiter.close()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


@pytest.fixture
def processes(redis_url: str, name: str) -> Iterator[list[subprocess.Popen[str]]]:
    command = [sys.executable, "-c", _PROCESS, redis_url, name, str(NOON)]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) for _ in range(8)
    ]
    yield started
    for process in started:
        process.kill()
        process.communicate()


def test_eight_processes_that_share_redis_are_allowed_exactly_sixty(processes: list[subprocess.Popen[str]]) -> None:
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    assert sum(int(process.communicate()[0]) for process in processes) == 60
