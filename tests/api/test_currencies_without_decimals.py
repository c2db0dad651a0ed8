"""In a currency without decimals, such as the yen, amounts are whole: nobody could pay a part of a yen."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.storage.engine.database import Engine
from tests.builders import STORE, new_customer, new_gift_card, new_product, paid_order
from tests.conftest import only_sqlite
from tests.world import World

TIER = {"name": "Yen", "referrals_required": 1, "reward_type": "fixed_discount", "reward_currency": "JPY"}


@only_sqlite
@pytest.mark.parametrize(
    ("path", "name", "body"),
    [
        (f"{STORE}/products", "price", {"name": "Map", "currency": "JPY"}),
        (f"{STORE}/products", "compare_at_price", {"name": "Map", "currency": "JPY", "price": "1"}),
        ("/referrals/tiers", "reward_value", TIER),
        ("/coupons", "discount_value", {"discount_type": "fixed", "currency": "JPY"}),
        (f"{STORE}/gift-cards", "initial_balance", {"currency": "JPY"}),
    ],
)
async def test_a_fraction_of_an_amount_is_rejected(world: World, path: str, name: str, body: dict[str, Any]) -> None:
    refused = await world.post(path, body | {name: "5.50"})
    words = name.replace("_", " ")
    assert (refused.status_code, refused.json()["errors"]) == (
        422,
        {name: [f"The {words} field must be a whole amount: JPY has no decimals."]},
    )
    assert (await world.post(path, body | {name: "550.00"})).status_code == 201


@only_sqlite
async def test_a_payout_and_a_fixed_welcome_discount_are_whole_amounts(db: Engine) -> None:
    world = World(db, currency="JPY")
    await world.begin()
    creator = {"name": "Luna", "code": "LUNA", "commission_percent": 10}
    assert (await world.post("/creators", creator)).status_code == 201
    payout = await world.post("/creators/1/payouts", {"amount": "5.50", "reference": "t-1"})
    value = {"referral_welcome_discount_value": "5.50"}
    assert (await world.put("/referrals/settings", value)).status_code == 200
    welcome = await world.put("/referrals/settings", value | {"referral_welcome_discount_type": "fixed"})
    await world.close()
    whole = "must be a whole amount: JPY has no decimals."
    assert [answer.json()["errors"] for answer in (payout, welcome)] == [
        {"amount": [f"The amount field {whole}"]},
        {"referral_welcome_discount_value": [f"The referral welcome discount value field {whole}"]},
    ]


@only_sqlite
async def test_every_wrong_amount_is_named_at_once_and_beside_other_errors(world: World) -> None:
    body = {"name": "Map", "currency": "JPY", "price": "5.50", "compare_at_price": "6.50", "billing_interval": "day"}
    refused = await world.post(f"{STORE}/products", body)
    assert set(refused.json()["errors"]) == {"price", "compare_at_price", "billing_interval"}


async def test_a_refund_is_a_whole_amount_or_all_that_is_left(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    await new_product(world, price="2000", currency="JPY")
    await paid_order(world, customer["id"], (1, 1))
    refused = await world.post(f"{STORE}/orders/1/refund", {"amount": "10.50"})
    assert list(refused.json()["errors"]) == ["amount"]
    assert (await world.post(f"{STORE}/orders/1/refund", {"amount": "500"})).status_code == 200
    assert (await world.post(f"{STORE}/orders/1/refund", {"amount": "1500"})).status_code == 200


async def test_a_redemption_is_a_whole_amount_or_all_that_is_left(world: World) -> None:
    await new_gift_card(world, initial_balance="1000", currency="JPY")
    refused = await world.post("/gift-cards/1/redeem", {"amount": "10.50"})
    assert refused.json()["errors"] == {"amount": ["The amount field must be a whole amount: JPY has no decimals."]}
    assert (await world.post("/gift-cards/1/redeem", {"amount": "1000"})).status_code == 200
