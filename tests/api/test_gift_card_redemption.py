"""Redeeming an amount of a gift card: once for each reference, never more than there is."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY, HOUR
from tests.api.gift_card_states import TOMORROW, card_in, detail, redeem
from tests.builders import new_customer, new_gift_card, new_order, new_product
from tests.world import World


async def test_an_amount_is_redeemed(world: World) -> None:
    card = await new_gift_card(world)
    customer = (await new_customer(world))["customer"]
    await new_product(world)
    order = await new_order(world, customer["id"], (1, 1))
    answer = await redeem(world, "5.00", order_id=order["id"], reference="till-7-0042")
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "success": True,
            "message": "Gift card redeemed successfully",
            "data": {
                "gift_card_id": 1,
                "masked_code": card["masked_code"],
                "amount": "5.00",
                "balance": "20.00",
                "currency": "USD",
                "transaction": {
                    "id": 2,
                    "type": "redeem",
                    "amount": "-5.00",
                    "balance_after": "20.00",
                    "order_id": order["id"],
                    "reference": "till-7-0042",
                    "created_at": "2026-11-15T12:00:00Z",
                },
            },
        },
    )
    after = await detail(world)
    assert (after["balance"], after["last_used_at"]) == ("20.00", "2026-11-15T12:00:00Z")


async def test_naming_an_order_does_not_pay_for_it(world: World) -> None:
    await new_gift_card(world)
    customer = (await new_customer(world))["customer"]
    await new_product(world)
    order = await new_order(world, customer["id"], (1, 1))
    await redeem(world, "5.00", order_id=order["id"])
    cancelled = await world.post(f"/api/store/v1/orders/{order['id']}/cancel")
    assert cancelled.json()["data"]["gift_card_total"] == "0.00"
    assert (await detail(world))["balance"] == "20.00"


async def test_repeating_a_reference_and_amount_returns_the_same_answer_and_redeems_nothing(world: World) -> None:
    await new_gift_card(world)
    first = await redeem(world, "5.00", reference="till-1")
    await redeem(world, "7.00", reference="till-2")
    world.clock.advance(HOUR)
    again = await redeem(world, "5.00", reference="till-1")
    assert (again.status_code, again.json()) == (200, first.json())
    assert (await detail(world))["balance"] == "13.00"


@pytest.mark.parametrize("end", ["redeemed", "expired", "revoked"])
async def test_repeating_a_reference_returns_the_same_answer_after_the_card_ended(world: World, end: str) -> None:
    await new_gift_card(world, expires_at=TOMORROW)
    first = await redeem(world, "5.00", reference="till-1")
    if end == "redeemed":
        await redeem(world, "20.00")
    if end == "revoked":
        await world.post("/gift-cards/1/revoke")
    if end == "expired":
        world.clock.advance(DAY)
    assert (await redeem(world, "5.00", reference="till-1")).json() == first.json()


async def test_repeating_a_reference_with_another_amount_is_a_conflict(world: World) -> None:
    await new_gift_card(world)
    await redeem(world, "5.00", reference="till-1")
    answer = await redeem(world, "5.01", reference="till-1")
    assert (answer.status_code, answer.json()["code"]) == (409, "reference_reused")
    assert (await detail(world))["balance"] == "20.00"


async def test_a_reference_belongs_to_one_card(world: World) -> None:
    await new_gift_card(world)
    await new_gift_card(world)
    await redeem(world, "5.00", reference="till-1")
    answer = await redeem(world, "6.00", card_id=2, reference="till-1")
    assert answer.json()["data"]["balance"] == "19.00"


@pytest.mark.parametrize(("amount", "left"), [("25.01", "25.00"), (10000, "25.00")])
async def test_no_more_than_the_balance_is_redeemed(world: World, amount: Any, left: str) -> None:
    await new_gift_card(world)
    answer = await redeem(world, amount)
    sentence = f"The amount field must not be greater than {left}, the card's balance."
    assert (answer.status_code, answer.json()["errors"]) == (422, {"amount": [sentence]})


async def test_a_card_that_is_used_up_has_nothing_to_redeem(world: World) -> None:
    await card_in(world, "redeemed")
    answer = await redeem(world, "0.01")
    sentence = "The amount field must not be greater than 0.00, the card's balance."
    assert (answer.status_code, answer.json()["errors"]) == (422, {"amount": [sentence]})


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("scheduled", "This gift card is not valid yet and cannot be redeemed."),
        ("expired", "This gift card has expired and cannot be redeemed."),
        ("revoked", "This gift card was revoked and cannot be redeemed."),
    ],
)
async def test_a_card_outside_its_validity_cannot_be_redeemed(world: World, state: str, message: str) -> None:
    await card_in(world, state)
    answer = await redeem(world, "1.00")
    assert (answer.status_code, answer.json()["code"], answer.json()["message"]) == (
        409,
        f"gift_card_{state}",
        message,
    )


@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({}, "amount", "The amount field is required."),
        ({"amount": 0}, "amount", "The amount field must be at least 0.01."),
        ({"amount": -5}, "amount", "The amount field must be at least 0.01."),
        ({"amount": 1, "order_id": 77}, "order_id", "The order id field is not an order of this store."),
        ({"amount": 1, "order_id": 0}, "order_id", "The order id field must be at least 1."),
        ({"amount": 1, "reference": ""}, "reference", "The reference field must not be empty."),
        (
            {"amount": 1, "reference": "x" * 101},
            "reference",
            "The reference field must not be greater than 100 characters.",
        ),
    ],
)
async def test_a_bad_redemption_is_rejected_with_a_message(
    shared_world: World, body: dict[str, Any], field: str, sentence: str
) -> None:
    await new_gift_card(shared_world)
    answer = await shared_world.post("/gift-cards/1/redeem", body)
    assert (answer.status_code, answer.json()["errors"]) == (422, {field: [sentence]})
    assert (await detail(shared_world))["balance"] == "25.00"
