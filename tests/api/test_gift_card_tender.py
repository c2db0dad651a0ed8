"""Gift cards at the checkout: what they pay, and which cannot."""

from __future__ import annotations

import pytest

from lootkeep.kernel.clock import MINUTE, SECOND
from lootkeep.storage.schema import orders, products
from tests.api.checkout import assert_all_totals_agree, buyer, card, ledger, place, placed
from tests.api.ordering import step
from tests.builders import new_gift_card, new_product, regular_customers
from tests.recount import rows, sent
from tests.world import World


async def test_after_ten_unknown_codes_in_a_minute_no_order_is_paid_with_a_card(world: World) -> None:
    customers = await regular_customers(world, 10)
    await new_product(world, price="1.00")
    code = (await new_gift_card(world))["code"]
    for number, customer in enumerate(customers):
        assert (await place(world, f"GUESS-{number}", customer_id=customer["id"])).status_code == 422
        if number < 9:
            await placed(world, code, customer_id=customer["id"])
        world.clock.advance(SECOND)
    for attempted in ("GUESS-10", code):
        refused = await place(world, attempted)
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert refused.headers["Retry-After"] == "50"
    # The misses are those of the token, wherever it sends its codes; an order without a card is none of them.
    assert (await world.post("/gift-cards/validate", {"code": code})).status_code == 429
    await placed(world, None)
    world.clock.advance(50 * SECOND)
    await placed(world, code)
    await assert_all_totals_agree(world)


async def test_a_card_pays_its_balance_and_the_remainder_is_due(world: World) -> None:
    await buyer(world)
    await new_product(world, price="20.00")
    code = (await new_gift_card(world))["code"]
    order = await placed(world, code.lower(), 2)
    assert (order["total"], order["gift_card_total"], order["amount_due"]) == ("40.00", "25.00", "15.00")
    assert (order["status"], order["discount_total"]) == ("pending", "0.00")
    gift_card = await card(world)
    assert (gift_card["balance"], gift_card["status"]) == ("0.00", "redeemed")
    assert ledger(gift_card) == [("issue", "25.00", None), ("redeem", "-25.00", 1)]
    paid = (await step(world, 1, "pay", {"payment_method": "card"})).json()["data"]
    assert (paid["status"], paid["payment_method"], paid["amount_due"]) == ("paid", "card", "0.00")
    assert ledger(await card(world)) == [("issue", "25.00", None), ("redeem", "-25.00", 1)]
    await assert_all_totals_agree(world)


@pytest.mark.parametrize(("price", "left"), [("20.00", "5.00"), ("25.00", "0.00")])
async def test_an_order_fully_covered_by_a_card_is_paid_at_once(world: World, price: str, left: str) -> None:
    await buyer(world)
    await new_product(world, price=price)
    code = (await new_gift_card(world))["code"]
    order = await placed(world, code)
    assert (order["status"], order["amount_due"], order["payment_method"]) == ("paid", "0.00", "gift_card")
    assert order["paid_at"] == "2026-11-15T12:00:00Z"
    assert (await card(world))["balance"] == left
    assert await sent(world.db) == ["order.created", "order.paid"]
    await assert_all_totals_agree(world)


async def test_a_redeemed_balance_is_unavailable_to_other_orders(world: World) -> None:
    await buyer(world)
    await new_product(world, price="15.00")
    code = (await new_gift_card(world))["code"]
    first, second = await placed(world, code), await placed(world, code)
    assert (first["gift_card_total"], second["gift_card_total"]) == ("15.00", "10.00")
    third = await place(world, code)
    assert third.json()["errors"] == {
        "gift_card_code": ["The gift card code field is a gift card that has no balance left."]
    }


async def test_a_free_order_takes_nothing_from_a_card(world: World) -> None:
    await buyer(world)
    await new_product(world, price="0.00")
    code = (await new_gift_card(world))["code"]
    order = await placed(world, code)
    assert (order["status"], order["gift_card_total"], order["payment_method"]) == ("paid", "0.00", None)
    assert ledger(await card(world)) == [("issue", "25.00", None)]


async def test_repeating_an_external_id_charges_the_card_once(world: World) -> None:
    await buyer(world)
    await new_product(world, price="10.00")
    code = (await new_gift_card(world))["code"]
    await placed(world, code, external_id="cart-1")
    again = await place(world, code, external_id="cart-1")
    assert again.status_code == 200
    assert (await card(world))["balance"] == "15.00"


@pytest.mark.parametrize(
    ("state", "predicate"),
    [
        ("unknown", "is not a gift card of this store"),
        ("scheduled", "is a gift card that is not valid yet"),
        ("expired", "is a gift card that has expired"),
        ("revoked", "is a gift card that was revoked"),
        ("redeemed", "is a gift card that has no balance left"),
        ("foreign", "is a gift card in EUR, not USD"),
    ],
)
async def test_a_card_that_cannot_pay_is_rejected_and_nothing_is_stored(
    world: World, state: str, predicate: str
) -> None:
    await buyer(world)
    await new_product(world, stock=3)
    terms = {
        "scheduled": {"starts_at": "2026-12-01T00:00:00Z"},
        "expired": {"expires_at": "2026-11-15T12:01:00Z"},
        "foreign": {"currency": "EUR"},
    }
    code = (await new_gift_card(world, **terms.get(state, {})))["code"]
    if state == "revoked":
        await world.post("/gift-cards/1/revoke")
    if state == "redeemed":
        await world.post("/gift-cards/1/redeem", {"amount": "25.00"})
    world.clock.advance(MINUTE)
    answer = await place(world, "NOBODY-HAS-THIS" if state == "unknown" else code)
    assert (answer.status_code, answer.json()["errors"]) == (
        422,
        {"gift_card_code": [f"The gift card code field {predicate}."]},
    )
    assert await rows(world.db, orders) == []
    assert (await rows(world.db, products))[0]["stock"] == 3


async def test_a_past_order_takes_nothing_from_a_card(world: World) -> None:
    await buyer(world)
    await new_product(world)
    code = (await new_gift_card(world))["code"]
    answer = await place(world, code, created_at="2026-11-01T00:00:00Z")
    assert answer.json()["errors"] == {
        "gift_card_code": ["The gift card code field cannot be used for an imported order."]
    }


async def test_a_rejected_order_leaves_the_card_balance_unchanged(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=1)
    code = (await new_gift_card(world))["code"]
    assert (await place(world, code, 2)).status_code == 422
    assert (await card(world))["balance"] == "25.00"
