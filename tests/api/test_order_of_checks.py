"""The order of checks: route, token, rate limit, scope, parameters and body, existence."""

from __future__ import annotations

from tests.world import World


async def test_an_unknown_path_is_reported_before_the_token_is_checked(world: World) -> None:
    assert (await world.get("/nothing", token="lk_nobody")).status_code == 404


async def test_a_wrong_method_is_reported_before_the_token_is_checked(shared_world: World) -> None:
    assert (await shared_world.call("PATCH", "/referrals/tiers", token="lk_nobody")).status_code == 405


async def test_a_bad_token_is_reported_before_a_bad_body(shared_world: World) -> None:
    answer = await shared_world.post("/referrals/tiers", content=b"{", token="lk_nobody")
    assert answer.status_code == 401


async def test_an_exceeded_limit_is_reported_before_a_missing_scope(world: World) -> None:
    token = await world.new_token("fraud:read", rate_limit=1)
    statuses = [(await world.get("/referrals/tiers", token=token)).status_code for _ in range(2)]
    assert statuses == [403, 429]


async def test_a_missing_scope_is_reported_before_a_bad_body(shared_world: World) -> None:
    token = await shared_world.new_token("referrals:read")
    answer = await shared_world.post("/referrals/tiers", content=b"{" * 2_000_000, token=token)
    assert answer.status_code == 403
    assert answer.json() == {
        "success": False,
        "error": "Forbidden",
        "code": "forbidden",
        "message": "The token lacks the required scope referrals:write.",
    }


async def test_a_missing_scope_is_reported_before_a_missing_resource(shared_world: World) -> None:
    token = await shared_world.new_token("referrals:read")
    assert (await shared_world.delete("/referrals/tiers/7", token=token)).status_code == 403


async def test_a_bad_field_is_reported_before_a_missing_resource(shared_world: World) -> None:
    for body in ({"name": ""}, {"reward_type": "percentage_discount", "reward_value": 500}):
        assert (await shared_world.put("/referrals/tiers/7", body)).status_code == 422


async def test_a_missing_resource_is_reported_before_a_business_rule(world: World) -> None:
    # Only the stored type of a tier says whether 500 is too much.
    answer = await world.put("/referrals/tiers/7", {"reward_value": 500})
    assert answer.status_code == 404


async def test_one_request_with_every_error_reports_them_one_by_one(world: World) -> None:
    poor = await world.new_token("fraud:read", rate_limit=1)
    able = await world.new_token("referrals:write")
    bad = {"content": b"{", "headers": {"Content-Type": "application/json"}}
    statuses = [
        (await world.call("PUT", "/referrals/tiers/seven", token="", **bad)).status_code,
        (await world.call("PUT", "/referrals/tiers/7", token="", **bad)).status_code,
        (await world.call("PUT", "/referrals/tiers/7", token=poor, **bad)).status_code,
        (await world.call("PUT", "/referrals/tiers/7", token=poor, **bad)).status_code,
        (await world.call("PUT", "/referrals/tiers/7", token=able, **bad)).status_code,
        (await world.call("PUT", "/referrals/tiers/7", {}, token=able)).status_code,
    ]
    assert statuses == [404, 401, 403, 429, 422, 404]
