"""Idempotency keys: a repeated request gets the same answer and runs once."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from lootkeep.kernel.clock import DAY
from lootkeep.services import retention as retention_service
from lootkeep.storage import idempotency as idempotency_db
from tests.world import EXTERNAL, World

BRONZE = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}
SILVER = BRONZE | {"name": "Silver"}
TIERS = "/referrals/tiers"


async def create(world: World, key: str | bytes, body: Any = BRONZE, **options: Any) -> httpx.Response:
    return await world.post(TIERS, body, headers={"Idempotency-Key": key}, **options)


async def names(world: World) -> list[str]:
    return [tier["name"] for tier in (await world.get(TIERS)).json()["data"]]


def is_replay(answer: httpx.Response) -> bool:
    return bool(answer.headers.get("Idempotent-Replayed") == "true")


async def test_repeating_a_request_returns_the_stored_answer(world: World) -> None:
    first = await create(world, "a")
    world.clock.advance(60_000_000)
    again = await create(world, "a")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert (is_replay(first), is_replay(again)) == (False, True)
    assert await names(world) == ["Bronze"]


async def test_a_replay_has_its_own_request_id_and_counts_against_the_limit(world: World) -> None:
    first = await create(world, "a")
    again = await create(world, "a")
    assert first.headers["X-Request-ID"] != again.headers["X-Request-ID"]
    assert again.headers["X-RateLimit-Remaining"] == "58"


async def test_the_stored_answer_is_returned_after_the_resource_has_changed(world: World) -> None:
    first = await create(world, "a")
    await world.delete(f"{TIERS}/{first.json()['data']['id']}")
    assert (await create(world, "a")).content == first.content


async def test_without_a_key_a_repeated_request_runs_twice(world: World) -> None:
    answers = [await world.post(TIERS, BRONZE) for _ in range(2)]
    assert not any(map(is_replay, answers))
    assert await names(world) == ["Bronze", "Bronze"]


async def test_another_body_with_the_same_key_is_rejected(world: World) -> None:
    await create(world, "a")
    answer = await create(world, "a", SILVER)
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Unprocessable",
        "code": "idempotency_key_reused",
        "message": "This Idempotency-Key was already used with another request body.",
    }
    assert not is_replay(answer)
    assert await names(world) == ["Bronze"]


async def test_another_key_is_another_request(world: World) -> None:
    await create(world, "a")
    await create(world, "A")
    assert await names(world) == ["Bronze", "Bronze"]


async def test_the_same_key_of_another_token_is_another_request(world: World) -> None:
    other_token = await world.new_token("referrals:write")
    await create(world, "a")
    answer = await create(world, "a", SILVER, token=other_token)
    assert (answer.status_code, is_replay(answer)) == (201, False)


async def test_the_same_key_at_another_path_is_another_request(world: World) -> None:
    first, second = [(await world.post(TIERS, BRONZE)).json()["data"]["id"] for _ in range(2)]
    answers = [
        await world.post(f"{TIERS}/{tier_id}/toggle", headers={"Idempotency-Key": "a"})
        for tier_id in (first, second, first)
    ]
    assert [answer.json()["data"]["id"] for answer in answers] == [first, second, first]
    assert [is_replay(answer) for answer in answers] == [False, False, True]


async def test_an_operation_without_a_body_runs_once_too(world: World) -> None:
    tier_id = (await world.post(TIERS, BRONZE)).json()["data"]["id"]
    answers = [await world.post(f"{TIERS}/{tier_id}/toggle", headers={"Idempotency-Key": "a"}) for _ in range(3)]
    assert {answer.json()["message"] for answer in answers} == {"Tier deactivated"}
    assert [tier["is_active"] for tier in (await world.get(TIERS)).json()["data"]] == [False]


@pytest.mark.parametrize(("passed", "is_kept"), [(DAY - 1, True), (DAY, False)])
async def test_an_answer_is_stored_for_a_day_by_the_clock(world: World, passed: int, is_kept: bool) -> None:
    first = await create(world, "a")
    world.clock.advance(passed)
    again = await create(world, "a")
    assert (is_replay(again), again.content == first.content) == (is_kept, is_kept)


async def test_a_key_starts_a_new_day_with_its_new_answer(world: World) -> None:
    await create(world, "a")
    world.clock.advance(DAY)
    second = await create(world, "a", SILVER)
    world.clock.advance(DAY - 1)
    third = await create(world, "a", SILVER)
    assert third.content == second.content
    assert await names(world) == ["Bronze", "Silver"]


async def test_old_answers_are_purged_and_young_ones_stay(world: World) -> None:
    await create(world, "old")
    world.clock.advance(1)
    await create(world, "young")
    world.clock.advance(DAY)
    await retention_service.purge(world.deps, world.clock.now(), 30, 30)
    async with world.db.read() as tx:
        stored = [await idempotency_db.get(tx, 1, EXTERNAL + TIERS, key) is not None for key in ("old", "young")]
    assert stored == [False, True]


@pytest.mark.parametrize(
    ("bad", "status"), [({}, 422), (BRONZE | {"reward_value": 101}, 422)], ids=["by its fields", "by a rule"]
)
async def test_a_rejection_is_not_stored(world: World, bad: Any, status: int) -> None:
    refused = await create(world, "a", bad)
    repaired = await create(world, "a")
    assert (refused.status_code, repaired.status_code, is_replay(repaired)) == (status, 201, False)


async def test_a_not_found_answer_is_not_stored(world: World) -> None:
    missing = await world.post(f"{TIERS}/1/toggle", headers={"Idempotency-Key": "a"})
    await world.post(TIERS, BRONZE)
    repeated = await world.post(f"{TIERS}/1/toggle", headers={"Idempotency-Key": "a"})
    assert (missing.status_code, repeated.status_code, is_replay(repeated)) == (404, 200, False)


@pytest.mark.parametrize("key", ["a", "x" * 255, "~!@#$%^&*()[]{}|;:',.<>/?", "with spaces inside"])
async def test_any_printable_key_is_accepted(world: World, key: str) -> None:
    answers = [await create(world, key) for _ in range(2)]
    assert [(answer.status_code, is_replay(answer)) for answer in answers] == [(201, False), (201, True)]


@pytest.mark.parametrize("key", [b"", b"x" * 256, b"a\tb", b"\x7f", b"a\x00b"])
async def test_an_invalid_key_is_rejected_with_a_message(shared_world: World, key: bytes) -> None:
    answer = await create(shared_world, key)
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Validation Error",
        "code": "validation_failed",
        "message": "The given data was invalid.",
        "errors": {"Idempotency-Key": ["The Idempotency-Key header must be 1 to 255 printable ASCII characters."]},
    }
    assert await names(shared_world) == []


async def test_a_key_is_ignored_by_other_methods(world: World) -> None:
    key = {"Idempotency-Key": "x" * 999}
    answers = [
        await world.put("/referrals/settings", {"referral_enabled": enabled}, headers=key) for enabled in (False, True)
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [answer.json()["data"]["referral_enabled"] for answer in answers] == [False, True]


async def test_a_replay_still_needs_the_scope(world: World) -> None:
    reader = await world.new_token("referrals:read")
    await create(world, "a")
    assert (await create(world, "a", token=reader)).status_code == 403


@pytest.mark.parametrize("count", [2, 40])
async def test_concurrent_requests_with_one_key_have_one_effect(world: World, count: int) -> None:
    answers = await asyncio.gather(*(create(world, "a") for _ in range(count)))
    assert await names(world) == ["Bronze"]
    done = [answer for answer in answers if answer.status_code == 201]
    assert sum(not is_replay(answer) for answer in done) == 1
    assert len({answer.content for answer in done}) == 1
    refused = [answer for answer in answers if answer.status_code != 201]
    assert {(answer.status_code, answer.json()["code"]) for answer in refused} <= {(409, "idempotency_key_in_use")}


async def test_a_caller_that_got_a_conflict_gets_the_answer_later(world: World) -> None:
    await asyncio.gather(*(create(world, "a") for _ in range(5)))
    assert is_replay(await create(world, "a"))


async def test_concurrent_requests_with_different_keys_do_not_block_each_other(world: World) -> None:
    answers = await asyncio.gather(*(create(world, str(number)) for number in range(20)))
    assert {answer.status_code for answer in answers} == {201}
    assert len(await names(world)) == 20
