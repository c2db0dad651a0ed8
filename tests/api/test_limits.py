"""The rate limit over HTTP: exact, reported on every response, and separate for those who have no valid token."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from lootkeep.kernel.clock import DAY, MINUTE, SECOND, Instant
from lootkeep.storage.engine.database import Engine
from tests.world import EXTERNAL, NOON, World

TIERS = "/referrals/tiers"
NOON_SECONDS = NOON // SECOND
HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


def state(answer: httpx.Response) -> tuple[int, ...]:
    return tuple(int(answer.headers[name]) for name in HEADERS)


async def burst(world: World, count: int, **options: Any) -> list[httpx.Response]:
    return await asyncio.gather(*(world.get(TIERS, **options) for _ in range(count)))


def statuses(answers: list[httpx.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


async def test_exactly_sixty_of_two_hundred_concurrent_requests_are_accepted(world: World) -> None:
    answers = await burst(world, 200)
    assert statuses(answers) == {200: 60, 429: 140}
    remaining = sorted(int(answer.headers["X-RateLimit-Remaining"]) for answer in answers if answer.is_success)
    assert remaining == list(range(60))


async def test_exactly_sixty_are_accepted_in_any_window_of_a_minute(world: World) -> None:
    accepted: list[int] = []
    for _ in range(9):
        answers = await burst(world, 25)
        accepted += [world.clock.now()] * statuses(answers)[200]
        world.clock.advance(20 * SECOND)
    # 25, 25 and 10 fill the first minute; from then on each burst gets what has left the window.
    assert Counter(accepted) == {NOON + 20 * SECOND * n: count for n, count in enumerate([25, 25, 10] * 3)}
    assert max(sum(end - MINUTE < time <= end for time in accepted) for end in accepted) == 60


async def test_a_rejection_reports_how_long_to_wait(world: World) -> None:
    token = await world.new_token("referrals:read", rate_limit=1)
    await world.get(TIERS, token=token)
    world.clock.advance(17_500_000)
    answer = await world.get(TIERS, token=token)
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "43"
    assert state(answer) == (1, 0, NOON_SECONDS + 60)
    assert answer.json() == {
        "success": False,
        "error": "Too Many Requests",
        "code": "rate_limited",
        "message": "Too many requests. Please try again in 43 seconds.",
    }


@pytest.mark.parametrize("jump", [-DAY, DAY])
async def test_setting_the_wall_clock_does_not_change_the_wait(world: World, jump: int) -> None:
    token = await world.new_token("referrals:read", rate_limit=1)
    await world.get(TIERS, token=token)
    world.clock.set_to(Instant(NOON + jump))
    world.clock.advance(20 * SECOND)
    refused = await world.get(TIERS, token=token)
    world.clock.advance(40 * SECOND)
    accepted = await world.get(TIERS, token=token)
    assert (refused.status_code, refused.headers["Retry-After"], accepted.status_code) == (429, "40", 200)
    # What is shown is wall time all the same.
    assert state(refused) == (1, 0, NOON_SECONDS + jump // SECOND + 60)


@pytest.mark.parametrize("jump", [-DAY, DAY])
async def test_setting_the_wall_clock_does_not_reset_the_limit_on_guessing_codes(world: World, jump: int) -> None:
    for _ in range(10):
        await world.post("/gift-cards/validate", {"code": "NO-SUCH-CODE"})
    world.clock.set_to(Instant(NOON + jump))
    world.clock.advance(20 * SECOND)
    refused = await world.post("/gift-cards/validate", {"code": "NO-SUCH-CODE"})
    world.clock.advance(40 * SECOND)
    answered = await world.post("/gift-cards/validate", {"code": "NO-SUCH-CODE"})
    assert (refused.status_code, refused.headers["Retry-After"], answered.status_code) == (429, "40", 200)


async def test_one_second_is_written_as_one_second(world: World) -> None:
    token = await world.new_token("referrals:read", rate_limit=1)
    await world.get(TIERS, token=token)
    world.clock.advance(MINUTE - 1)
    answer = await world.get(TIERS, token=token)
    assert answer.headers["Retry-After"] == "1"
    assert answer.json()["message"] == "Too many requests. Please try again in 1 second."


async def test_a_caller_that_waits_as_long_as_asked_gets_in(world: World) -> None:
    world.clock.advance(123_456)
    await burst(world, 60)
    world.clock.advance(7_654_321)
    refused = await world.get(TIERS)
    world.clock.advance(int(refused.headers["Retry-After"]) * SECOND)
    assert (await world.get(TIERS)).status_code == 200


async def test_a_caller_that_waits_for_the_reset_gets_in(world: World) -> None:
    world.clock.advance(123_456)
    await burst(world, 60)
    reset = int((await world.get(TIERS)).headers["X-RateLimit-Reset"])
    world.clock.advance(reset * SECOND - world.clock.now())
    assert (await world.get(TIERS)).status_code == 200


async def test_refused_requests_are_not_counted(world: World) -> None:
    await burst(world, 60)
    for _ in range(11):
        world.clock.advance(5 * SECOND)
        await burst(world, 5)
    world.clock.advance(5 * SECOND)
    assert statuses(await burst(world, 61)) == {200: 60, 429: 1}


async def test_the_remaining_count_decreases_with_each_answer(world: World) -> None:
    first = await world.get(TIERS)
    world.clock.advance(10 * SECOND)
    second = await world.get(TIERS)
    assert state(first) == (60, 59, NOON_SECONDS + 60)
    assert state(second) == (60, 58, NOON_SECONDS + 60)


@pytest.mark.parametrize(
    ("method", "path", "options", "status"),
    [
        ("GET", TIERS, {}, 200),
        ("HEAD", TIERS, {}, 200),
        ("POST", TIERS, {"token": "lk_nobody"}, 401),
        ("DELETE", "/referrals/tiers/7", {}, 404),
        ("POST", TIERS, {"content": b"x" * 2_000_000}, 413),
        ("POST", TIERS, {"content": b"{}"}, 415),
        ("POST", TIERS, {}, 422),
        ("POST", TIERS, {"content": b"{", "headers": {"Content-Type": "application/json"}}, 422),
    ],
)
async def test_every_answer_carries_the_callers_limit(
    world: World, method: str, path: str, options: dict[str, Any], status: int
) -> None:
    answer = await world.call(method, path, **options)
    assert answer.status_code == status
    assert state(answer) == (60, 59, NOON_SECONDS + 60)
    assert "Retry-After" not in answer.headers


async def test_a_forbidden_request_counts_and_carries_the_limit_too(world: World) -> None:
    token = await world.new_token("fraud:read")
    answer = await world.get(TIERS, token=token)
    assert (answer.status_code, state(answer)) == (403, (60, 59, NOON_SECONDS + 60))


async def test_all_endpoints_share_the_limit_of_a_token(world: World) -> None:
    token = await world.new_token("referrals:read", "referrals:write", rate_limit=3)
    calls = [("GET", TIERS), ("PUT", "/referrals/settings"), ("DELETE", "/referrals/tiers/7"), ("GET", TIERS)]
    answers = [await world.call(method, path, token=token) for method, path in calls]
    assert [answer.status_code for answer in answers] == [200, 200, 404, 429]


async def test_an_unknown_path_does_not_count(world: World) -> None:
    await asyncio.gather(*(world.get("/nothing") for _ in range(100)))
    assert state(await world.get(TIERS))[1] == 59


async def test_tokens_are_counted_separately(world: World) -> None:
    other_token = await world.new_token("referrals:read")
    await burst(world, 61)
    assert (await world.get(TIERS, token=other_token)).status_code == 200


@pytest.mark.parametrize("limit", [1, 5, 100])
async def test_a_tokens_own_limit_overrides_the_default(world: World, limit: int) -> None:
    token = await world.new_token("referrals:read", rate_limit=limit)
    answers = await burst(world, 120, token=token)
    assert statuses(answers) == {200: limit, 429: 120 - limit}
    assert {answer.headers["X-RateLimit-Limit"] for answer in answers} == {str(limit)}


async def test_a_token_with_a_limit_of_zero_is_unlimited(world: World) -> None:
    token = await world.new_token("referrals:read", rate_limit=0)
    answers = await burst(world, 100, token=token)
    assert statuses(answers) == {200: 100}
    assert not set(HEADERS) & set(answers[0].headers)


@pytest.fixture
async def unlimited(db: Engine) -> AsyncIterator[World]:
    world = World(db, rate_limit_per_minute=0, auth_failures_per_minute=0)
    await world.begin()
    yield world
    await world.close()


async def test_a_default_of_zero_switches_the_limit_off(unlimited: World) -> None:
    assert statuses(await burst(unlimited, 100)) == {200: 100}


async def test_a_token_with_its_own_limit_keeps_it_when_the_default_is_off(unlimited: World) -> None:
    token = await unlimited.new_token("referrals:read", rate_limit=2)
    assert statuses(await burst(unlimited, 5, token=token)) == {200: 2, 429: 3}


async def test_the_limit_on_failures_can_be_switched_off_too(unlimited: World) -> None:
    assert statuses(await burst(unlimited, 100, token="lk_nobody")) == {401: 100}


@pytest.fixture
async def narrow(db: Engine) -> AsyncIterator[World]:
    world = World(db, rate_limit_per_minute=7, auth_failures_per_minute=3)
    await world.begin()
    yield world
    await world.close()


async def test_the_limits_come_from_the_settings(narrow: World) -> None:
    assert statuses(await burst(narrow, 10)) == {200: 7, 429: 3}
    assert statuses(await burst(narrow, 10, token="lk_nobody")) == {401: 3, 429: 7}


NOWHERE = [("GET", "/api/nothing"), ("PATCH", EXTERNAL + TIERS), ("GET", "/metrics")]


@pytest.mark.parametrize(("method", "path"), NOWHERE)
async def test_failures_count_at_unknown_paths_too(narrow: World, method: str, path: str) -> None:
    headers = {"Authorization": "Bearer lk_nobody"}
    responses = [await narrow.http.request(method, path, headers=headers) for _ in range(5)]
    assert [answer.status_code == 429 for answer in responses] == [False, False, False, True, True]
    assert responses[-1].headers["Retry-After"] == "60"
    assert (await narrow.get(TIERS, token="lk_nobody")).status_code == 429


async def test_an_ip_that_fails_too_often_has_to_wait(world: World) -> None:
    answers = await burst(world, 100, token="lk_nobody")
    assert statuses(answers) == {401: 60, 429: 40}
    last = answers[-1]
    assert (last.headers["Retry-After"], state(last)) == ("60", (60, 0, NOON_SECONDS + 60))
    assert last.json()["error"] == "Too Many Requests"


async def test_failures_count_for_any_token(narrow: World) -> None:
    responses = [await narrow.get(TIERS, token=token) for token in ("lk_one", "lk_two", "", "lk_four")]
    assert [answer.status_code for answer in responses] == [401, 401, 401, 429]


async def test_failures_do_not_block_a_valid_token_from_the_same_ip(narrow: World) -> None:
    await burst(narrow, 10, token="lk_nobody")
    answer = await narrow.get(TIERS)
    assert (answer.status_code, state(answer)[1]) == (200, 6)


async def test_valid_requests_do_not_count_as_failures(narrow: World) -> None:
    await burst(narrow, 7)
    assert (await narrow.get(TIERS, token="lk_nobody")).headers["X-RateLimit-Remaining"] == "2"


async def failure_from(world: World, ip: str) -> int:
    """The status of a call without a token from this address."""
    transport = httpx.ASGITransport(world.app, client=(ip, 4711))
    async with httpx.AsyncClient(transport=transport, base_url="http://store.test") as elsewhere:
        return (await elsewhere.get(EXTERNAL + TIERS)).status_code


async def test_failures_of_another_ip_are_counted_separately(narrow: World) -> None:
    await burst(narrow, 10, token="lk_nobody")
    assert await failure_from(narrow, "192.0.2.7") == 401


async def test_failures_from_one_ipv6_network_are_counted_together(narrow: World) -> None:
    ips = ("2001:db8:0:7::1", "2001:db8:0:7::2", "2001:db8:0:7:1::", "2001:db8:0:7:ffff::9", "2001:db8:0:8::1")
    assert [await failure_from(narrow, ip) for ip in ips] == [401, 401, 401, 429, 401]


async def test_an_ip_may_fail_again_after_a_minute(narrow: World) -> None:
    await burst(narrow, 10, token="lk_nobody")
    narrow.clock.advance(MINUTE)
    assert (await narrow.get(TIERS, token="lk_nobody")).status_code == 401
