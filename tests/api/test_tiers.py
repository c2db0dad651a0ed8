"""Reward tiers over HTTP, to the letter of the specification."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.tiers import BRONZE
from tests.world import World


async def make(world: World, **changes: Any) -> dict[str, Any]:
    answer = await world.post("/referrals/tiers", BRONZE | changes)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def test_a_created_tier_is_returned_with_every_field(world: World) -> None:
    answer = await world.post("/referrals/tiers", BRONZE | {"description": "Five friends"})
    assert answer.status_code == 201
    assert answer.json() == {
        "success": True,
        "message": "Referral tier created successfully",
        "data": {
            "id": 1,
            "name": "Bronze",
            "description": "Five friends",
            "referrals_required": 5,
            "reward_type": "percentage_discount",
            "reward_value": "10.00",
            "reward_currency": None,
            "coupon_validity_days": 30,
            "is_active": True,
            "sort_order": 0,
            "formatted_reward": "10% off",
            "claims_count": 0,
            "created_at": "2026-11-15T12:00:00Z",
            "updated_at": "2026-11-15T12:00:00Z",
        },
    }


async def test_the_list_is_ordered_by_sort_order_then_requirement_then_id(world: World) -> None:
    await make(world, name="last", sort_order=2)
    await make(world, name="third", sort_order=1, referrals_required=9)
    await make(world, name="first", sort_order=1, referrals_required=3)
    await make(world, name="second", sort_order=1, referrals_required=3)
    answer = (await world.get("/referrals/tiers")).json()
    assert answer["success"] is True
    assert [tier["name"] for tier in answer["data"]] == ["first", "second", "third", "last"]
    assert "meta" not in answer


@pytest.mark.parametrize(
    ("reward", "formatted"),
    [
        ({"reward_value": 12.5}, "12.5% off"),
        ({"reward_value": "0.01"}, "0.01% off"),
        ({"reward_value": 100}, "100% off"),
        ({"reward_type": "fixed_discount", "reward_value": 5}, "$5.00 off"),
        ({"reward_type": "fixed_discount", "reward_value": "1234.5", "reward_currency": "EUR"}, "€1,234.50 off"),
        ({"reward_type": "fixed_discount", "reward_value": 500, "reward_currency": "jpy"}, "¥500 off"),
    ],
)
async def test_the_reward_is_reported_as_text(world: World, reward: dict[str, Any], formatted: str) -> None:
    assert (await make(world, **reward))["formatted_reward"] == formatted


async def test_a_fixed_tier_without_a_currency_uses_the_stores_currency(world: World) -> None:
    assert (await make(world, reward_type="fixed_discount"))["reward_currency"] == "USD"


async def test_a_percentage_tier_has_no_currency_even_if_one_was_sent(world: World) -> None:
    assert (await make(world, reward_currency="EUR"))["reward_currency"] is None


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", None, "The name field must be a string."),
        ("name", "", "The name field must not be empty."),
        ("name", "   ", "The name field must not be blank."),
        ("name", "x" * 256, "The name field must not be greater than 255 characters."),
        ("description", "x" * 1001, "The description field must not be greater than 1000 characters."),
        ("referrals_required", 0, "The referrals required field must be at least 1."),
        ("referrals_required", "5", "The referrals required field must be an integer."),
        ("referrals_required", 5.0, "The referrals required field must be an integer."),
        ("referrals_required", True, "The referrals required field must be an integer."),
        ("reward_type", "free", "The reward type field must be one of: percentage_discount, fixed_discount."),
        ("reward_value", 0, "The reward value field must be at least 0.01."),
        ("reward_value", -1, "The reward value field must be at least 0.01."),
        ("reward_value", 1.234, "The reward value field must be a number with at most two decimals."),
        ("reward_value", "ten", "The reward value field must be a number with at most two decimals."),
        ("reward_value", "1e3", "The reward value field must be a number with at most two decimals."),
        ("reward_value", True, "The reward value field must be a number with at most two decimals."),
        ("reward_value", 100.01, "The reward value field must not be greater than 100 for a percentage discount."),
        ("reward_currency", "ZZZ", "The reward currency field must be an ISO 4217 currency code."),
        ("coupon_validity_days", 0, "The coupon validity days field must be at least 1."),
        ("coupon_validity_days", 366, "The coupon validity days field must not be greater than 365."),
        ("is_active", 1, "The is active field must be true or false."),
        ("sort_order", None, "The sort order field must be an integer."),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_a_bad_field_is_rejected_with_a_message(
    shared_world: World, method: str, field: str, value: Any, sentence: str
) -> None:
    tier = await make(shared_world)
    if method == "POST":
        answer = await shared_world.post("/referrals/tiers", BRONZE | {field: value})
    else:
        answer = await shared_world.put(f"/referrals/tiers/{tier['id']}", {field: value})
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Validation Error",
        "code": "validation_failed",
        "message": "The given data was invalid.",
        "errors": {field: [sentence]},
    }


async def test_every_missing_field_is_named_at_once(world: World) -> None:
    answer = await world.post("/referrals/tiers", {})
    assert answer.json()["errors"] == {
        "name": ["The name field is required."],
        "referrals_required": ["The referrals required field is required."],
        "reward_type": ["The reward type field is required."],
        "reward_value": ["The reward value field is required."],
    }


async def test_a_percentage_that_is_too_large_is_named_with_the_other_fields(shared_world: World) -> None:
    tier = await make(shared_world)
    bad = {"reward_type": "percentage_discount", "reward_value": 150, "referrals_required": 0, "is_active": 1}
    for answer in (
        await shared_world.post("/referrals/tiers", BRONZE | bad),
        await shared_world.put(f"/referrals/tiers/{tier['id']}", bad),
    ):
        assert answer.status_code == 422
        assert sorted(answer.json()["errors"]) == ["is_active", "referrals_required", "reward_value"]


async def test_an_update_changes_only_what_was_sent(world: World) -> None:
    tier = await make(world, description="Five friends")
    world.clock.advance(60_000_000)
    answer = (await world.put(f"/referrals/tiers/{tier['id']}", {"name": "Silver", "is_active": False})).json()
    assert answer["message"] == "Referral tier updated successfully"
    assert answer["data"] == tier | {"name": "Silver", "is_active": False, "updated_at": "2026-11-15T12:01:00Z"}
    assert (await world.get("/referrals/tiers")).json()["data"] == [answer["data"]]


async def test_an_answer_can_be_sent_back_unchanged(world: World) -> None:
    tier = await make(world, reward_value="12.50")
    assert (await world.put(f"/referrals/tiers/{tier['id']}", tier)).json()["data"] == tier


async def test_a_change_of_the_reward_type_is_validated_as_a_whole(world: World) -> None:
    tier = await make(world, reward_type="fixed_discount", reward_value=500)
    refused = await world.put(f"/referrals/tiers/{tier['id']}", {"reward_type": "percentage_discount"})
    assert refused.status_code == 422
    assert list(refused.json()["errors"]) == ["reward_value"]
    changed = await world.put(
        f"/referrals/tiers/{tier['id']}", {"reward_type": "percentage_discount", "reward_value": 50}
    )
    assert changed.json()["data"]["reward_currency"] is None


async def test_a_description_can_be_removed(world: World) -> None:
    tier = await make(world, description="Five friends")
    changed = await world.put(f"/referrals/tiers/{tier['id']}", {"description": None})
    assert changed.json()["data"]["description"] is None


async def test_toggling_twice_restores_the_state(world: World) -> None:
    tier = await make(world)
    off = (await world.post(f"/referrals/tiers/{tier['id']}/toggle")).json()
    on = (await world.post(f"/referrals/tiers/{tier['id']}/toggle")).json()
    assert off == {
        "success": True,
        "message": "Tier deactivated",
        "data": {"id": 1, "name": "Bronze", "is_active": False, "formatted_reward": "10% off"},
    }
    assert (on["message"], on["data"]["is_active"]) == ("Tier activated", True)


async def test_a_tier_without_claims_is_removed(world: World) -> None:
    tier = await make(world)
    answer = await world.delete(f"/referrals/tiers/{tier['id']}")
    assert answer.json() == {"success": True, "message": "Referral tier deleted successfully"}
    assert (await world.get("/referrals/tiers")).json()["data"] == []


@pytest.mark.parametrize(("method", "path"), [("PUT", ""), ("DELETE", ""), ("POST", "/toggle")])
@pytest.mark.parametrize("tier_id", ["7", "0", "9223372036854775807"])
async def test_an_unknown_tier_is_not_found(world: World, method: str, path: str, tier_id: str) -> None:
    answer = await world.call(method, f"/referrals/tiers/{tier_id}{path}", {} if method == "PUT" else None)
    assert answer.status_code == 404
    assert answer.json() == {
        "success": False,
        "error": "Not Found",
        "code": "not_found",
        "message": "Referral tier not found.",
    }
