"""The settings of the referral program over HTTP, to the letter of the specification."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.world import World

DEFAULTS = {
    "referral_enabled": True,
    "referral_reward_event": "first_purchase",
    "referral_welcome_discount_enabled": False,
    "referral_welcome_discount_type": "percentage",
    "referral_welcome_discount_value": 10,
}
NOT_MONEY = "The referral welcome discount value field must be a number with at most two decimals."
TOO_LARGE = "The referral welcome discount value field must not be greater than 999999999.99."
TOO_SMALL = "The referral welcome discount value field must be at least 0.01."
TOO_MUCH = "The referral welcome discount value field must not be greater than 100 for a percentage."


async def read(world: World) -> dict[str, Any]:
    answer = await world.get("/referrals/settings")
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def change(world: World, **changes: Any) -> None:
    answer = await world.put("/referrals/settings", changes)
    assert answer.status_code == 200, answer.text


async def test_a_new_store_has_the_defaults(world: World) -> None:
    answer = await world.get("/referrals/settings")
    assert answer.status_code == 200
    assert answer.json() == {"success": True, "data": DEFAULTS}


async def test_a_change_returns_all_settings_and_a_message(world: World) -> None:
    answer = await world.put("/referrals/settings", {"referral_reward_event": "signup"})
    assert answer.status_code == 200
    assert answer.json() == {
        "success": True,
        "message": "Referral settings updated successfully",
        "data": DEFAULTS | {"referral_reward_event": "signup"},
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("referral_enabled", False),
        ("referral_reward_event", "signup"),
        ("referral_welcome_discount_enabled", True),
        ("referral_welcome_discount_type", "fixed"),
        ("referral_welcome_discount_value", 15),
    ],
)
async def test_each_setting_changes_alone_and_can_be_changed_back(world: World, field: str, value: Any) -> None:
    await change(world, **{field: value})
    changed = await read(world)
    await change(world, **{field: DEFAULTS[field]})
    assert changed == DEFAULTS | {field: value}
    assert await read(world) == DEFAULTS


async def test_all_settings_change_in_one_call(world: World) -> None:
    everything = {
        "referral_enabled": False,
        "referral_reward_event": "signup",
        "referral_welcome_discount_enabled": True,
        "referral_welcome_discount_type": "fixed",
        "referral_welcome_discount_value": 250.5,
    }
    await change(world, **everything)
    assert await read(world) == everything


async def test_settings_can_be_sent_back_unchanged(world: World) -> None:
    await change(world, referral_welcome_discount_value="12.50")
    settings = await read(world)
    await change(world, **settings)
    assert await read(world) == settings


@pytest.mark.parametrize("content", [b"", b"{}", b'{"referral_color": "red"}'])
async def test_sending_no_setting_changes_nothing(world: World, content: bytes) -> None:
    answer = await world.put("/referrals/settings", content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["data"]) == (200, DEFAULTS)


@pytest.mark.parametrize(
    ("sent", "answered"),
    [(15, 15), (12.5, 12.5), ("12.50", 12.5), ("15", 15), (0.01, 0.01), (33.33, 33.33), (100, 100), ("100.00", 100)],
)
async def test_a_percentage_is_returned_as_a_number(world: World, sent: Any, answered: float) -> None:
    await change(world, referral_welcome_discount_value=sent)
    assert (await read(world))["referral_welcome_discount_value"] == answered


async def test_a_percentage_that_is_too_large_is_named_with_the_other_settings(shared_world: World) -> None:
    bad = {"referral_welcome_discount_type": "percentage", "referral_welcome_discount_value": 101}
    answer = await shared_world.put("/referrals/settings", bad | {"referral_enabled": 1})
    assert answer.status_code == 422
    assert sorted(answer.json()["errors"]) == ["referral_enabled", "referral_welcome_discount_value"]


@pytest.mark.parametrize("amount", [0.01, 100.01, 2500, 999_999_999.99])
async def test_a_fixed_discount_may_be_more_than_a_hundred(world: World, amount: float) -> None:
    await change(world, referral_welcome_discount_type="fixed", referral_welcome_discount_value=amount)
    assert (await read(world))["referral_welcome_discount_value"] == amount


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("referral_enabled", None, "The referral enabled field must be true or false."),
        ("referral_enabled", 1, "The referral enabled field must be true or false."),
        ("referral_enabled", "true", "The referral enabled field must be true or false."),
        ("referral_reward_event", None, "The referral reward event field must be one of: signup, first_purchase."),
        ("referral_reward_event", "Signup", "The referral reward event field must be one of: signup, first_purchase."),
        (
            "referral_reward_event",
            ["signup"],
            "The referral reward event field must be one of: signup, first_purchase.",
        ),
        (
            "referral_welcome_discount_enabled",
            0,
            "The referral welcome discount enabled field must be true or false.",
        ),
        (
            "referral_welcome_discount_type",
            "percentage_discount",
            "The referral welcome discount type field must be one of: percentage, fixed.",
        ),
        ("referral_welcome_discount_value", None, NOT_MONEY),
        ("referral_welcome_discount_value", True, NOT_MONEY),
        ("referral_welcome_discount_value", [], NOT_MONEY),
        ("referral_welcome_discount_value", "", NOT_MONEY),
        ("referral_welcome_discount_value", " 5", NOT_MONEY),
        ("referral_welcome_discount_value", "+5", NOT_MONEY),
        ("referral_welcome_discount_value", "5,00", NOT_MONEY),
        ("referral_welcome_discount_value", "٥", NOT_MONEY),
        ("referral_welcome_discount_value", "1e1", NOT_MONEY),
        ("referral_welcome_discount_value", 1.005, NOT_MONEY),
        ("referral_welcome_discount_value", 1_000_000_000, TOO_LARGE),
        ("referral_welcome_discount_value", 0, TOO_SMALL),
        ("referral_welcome_discount_value", "-0.01", TOO_SMALL),
        ("referral_welcome_discount_value", 100.01, TOO_MUCH),
    ],
)
async def test_a_bad_setting_is_rejected_with_a_message_and_changes_nothing(
    shared_world: World, field: str, value: Any, sentence: str
) -> None:
    answer = await shared_world.put("/referrals/settings", {field: value})
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Validation Error",
        "code": "validation_failed",
        "message": "The given data was invalid.",
        "errors": {field: [sentence]},
    }
    assert await read(shared_world) == DEFAULTS


async def test_every_bad_setting_is_named_at_once(world: World) -> None:
    answer = await world.put("/referrals/settings", {key: {} for key in DEFAULTS})
    assert sorted(answer.json()["errors"]) == sorted(DEFAULTS)


async def test_a_good_setting_next_to_a_bad_one_is_not_changed(world: World) -> None:
    answer = await world.put("/referrals/settings", {"referral_enabled": False, "referral_welcome_discount_value": 101})
    assert answer.status_code == 422
    assert await read(world) == DEFAULTS


async def test_a_large_fixed_discount_cannot_become_a_percentage(world: World) -> None:
    await change(world, referral_welcome_discount_type="fixed", referral_welcome_discount_value=500)
    answer = await world.put("/referrals/settings", {"referral_welcome_discount_type": "percentage"})
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"referral_welcome_discount_value": [TOO_MUCH]}
    assert (await read(world))["referral_welcome_discount_type"] == "fixed"


async def test_a_large_fixed_discount_becomes_a_percentage_together_with_a_smaller_value(world: World) -> None:
    await change(world, referral_welcome_discount_type="fixed", referral_welcome_discount_value=500)
    await change(world, referral_welcome_discount_type="percentage", referral_welcome_discount_value=50)
    assert await read(world) == DEFAULTS | {"referral_welcome_discount_value": 50}


async def test_a_percentage_and_a_large_value_become_a_fixed_discount_in_one_call(world: World) -> None:
    await change(world, referral_welcome_discount_type="fixed", referral_welcome_discount_value=500)
    settings = await read(world)
    assert (settings["referral_welcome_discount_type"], settings["referral_welcome_discount_value"]) == ("fixed", 500)


async def test_concurrent_changes_of_different_settings_are_all_stored(world: World) -> None:
    changes = {
        "referral_enabled": False,
        "referral_reward_event": "signup",
        "referral_welcome_discount_enabled": True,
        "referral_welcome_discount_value": 20,
    }
    await asyncio.gather(*(change(world, **{field: value}) for field, value in changes.items()))
    assert await read(world) == DEFAULTS | changes
