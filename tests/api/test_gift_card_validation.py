"""Validating the code of a gift card: notations, reasons why it cannot be used, and the limit on guesses."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import SECOND
from tests.api.gift_card_states import STATES, card_in
from tests.builders import new_gift_card
from tests.world import World


async def validated(world: World, code: str, **fields: Any) -> dict[str, Any]:
    answer = await world.post("/gift-cards/validate", {"code": code} | fields)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


@pytest.mark.parametrize(
    ("amount", "applicable"), [(None, "25.00"), ("5.00", "5.00"), ("25.00", "25.00"), ("99.00", "25.00")]
)
async def test_a_valid_code_returns_how_much_it_can_pay(world: World, amount: str | None, applicable: str) -> None:
    card = await new_gift_card(world)
    validation = await validated(world, card["code"], **({} if amount is None else {"amount": amount}))
    assert (validation["valid"], validation["reason"], validation["applicable_amount"]) == (True, None, applicable)
    assert validation["gift_card"] == {name: card[name] for name in validation["gift_card"]}
    assert "code" not in validation["gift_card"]


@pytest.mark.parametrize("typed", ["{}", " {} ", "lower", "without hyphens"])
async def test_a_code_is_accepted_in_any_notation(world: World, typed: str) -> None:
    code = (await new_gift_card(world))["code"]
    written = {"lower": code.lower(), "without hyphens": code.replace("-", "")}.get(typed, typed.format(code))
    assert (await validated(world, written))["valid"]


@pytest.mark.parametrize("state", [state for state in STATES if state != "active"])
async def test_an_unusable_card_returns_the_reason(world: World, state: str) -> None:
    card = await card_in(world, state)
    validation = await validated(world, card["code"])
    assert (validation["valid"], validation["reason"], validation["applicable_amount"]) == (False, state, "0.00")
    assert validation["gift_card"]["status"] == state


async def test_an_unknown_code_is_not_an_error(world: World) -> None:
    assert await validated(world, "NOBO-DYHA-STHI-SONE") == {
        "valid": False,
        "reason": "not_found",
        "gift_card": None,
        "applicable_amount": "0.00",
    }


async def test_after_ten_unknown_codes_in_a_minute_a_token_has_to_wait(world: World) -> None:
    card = await new_gift_card(world)
    for number in range(9):
        await validated(world, f"GUESS-{number}")
        assert (await validated(world, card["code"]))["valid"]
        world.clock.advance(SECOND)
    await validated(world, "GUESS-9")
    refused = await world.post("/gift-cards/validate", {"code": card["code"]})
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert refused.headers["Retry-After"] == "51"
    other_token = await world.new_token("gift-cards:read")
    answer = await world.post("/gift-cards/validate", {"code": card["code"]}, token=other_token)
    assert answer.json()["data"]["valid"]
    world.clock.advance(51 * SECOND)
    assert (await validated(world, card["code"]))["valid"]


@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({}, "code", "The code field is required."),
        ({"code": ""}, "code", "The code field must not be empty."),
        ({"code": 5}, "code", "The code field must be a string."),
        ({"code": "x" * 256}, "code", "The code field must not be greater than 255 characters."),
        ({"code": "x", "amount": 0}, "amount", "The amount field must be at least 0.01."),
    ],
)
async def test_a_malformed_code_is_rejected(
    shared_world: World, body: dict[str, Any], field: str, sentence: str
) -> None:
    answer = await shared_world.post("/gift-cards/validate", body)
    assert (answer.status_code, answer.json()["errors"]) == (422, {field: [sentence]})
