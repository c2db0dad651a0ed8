"""The gift cards that orders buy: issued with the payment, at their price."""

from __future__ import annotations

import pytest

from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.clock import DAY
from lootkeep.storage.schema import gift_cards
from tests.api.checkout import assert_all_totals_agree, buyer, card, ledger, place
from tests.api.ordering import errors, place as place_lines, step, stock_of, welcomed
from tests.builders import STORE, new_customer, new_gift_card, new_order, new_product, paid_order
from tests.recount import rows, sent
from tests.world import World


async def test_a_card_of_the_price_is_issued_for_each_unit_when_the_order_is_paid(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    await new_product(world, name="Gift card", delivery_type="gift_card", price="50.00")
    order = await new_order(world, customer["id"], (1, 2))
    assert await rows(world.db, gift_cards) == []
    paid = (await step(world, order["id"], "pay")).json()["data"]
    assert (paid["status"], paid["items"][0]["fulfilled_quantity"]) == ("completed", 2)
    for number in (1, 2):
        gift_card = await card(world, number)
        assert (gift_card["initial_balance"], gift_card["balance"], gift_card["currency"]) == ("50.00", "50.00", "USD")
        assert (gift_card["customer_id"], gift_card["order_id"]) == (customer["id"], order["id"])
        assert (gift_card["recipient_email"], gift_card["recipient_name"]) == (customer["email"], customer["name"])
        assert ledger(gift_card) == [("issue", "50.00", order["id"])]
    assert await sent(world.db) == ["order.created", "order.paid", "order.delivered", "order.completed"]
    await assert_all_totals_agree(world)


async def test_a_card_of_a_disputed_order_is_worth_nothing_until_the_dispute_is_won_and_revoked_once_it_is_lost(
    world: World,
) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type="gift_card", price="50.00")
    await new_product(world, name="Map", price="20.00")
    order = await paid_order(world, customer, (1, 1))
    await step(world, order["id"], "dispute", {"kind": "dispute", "reason": "other"})
    (row,) = await rows(world.db, gift_cards)
    code = CardCodes(world.deps.vault, world.deps.ids).opened(row["sealed_code"])
    redeemed = await world.post("/gift-cards/1/redeem", {"amount": "1.00"})
    assert (redeemed.status_code, redeemed.json()["code"]) == (409, "gift_card_disputed")
    refused = await place_lines(world, (2, 1), gift_card_code=code)
    assert errors(refused)["gift_card_code"] == [
        "The gift card code field is a gift card that was bought with a payment that is disputed."
    ]
    validated = (await world.post("/gift-cards/validate", {"code": code})).json()["data"]
    assert (validated["valid"], validated["reason"], validated["applicable_amount"]) == (False, "disputed", "0.00")
    await step(world, order["id"], "dispute", {"kind": "dispute_won", "reason": "other"})
    assert (await world.post("/gift-cards/1/redeem", {"amount": "1.00"})).status_code == 200
    world.clock.advance(DAY)
    await step(world, order["id"], "dispute", {"kind": "dispute_lost", "reason": "other"})
    lost = await card(world)
    assert (lost["status"], lost["balance"]) == ("revoked", "0.00")
    assert ledger(lost)[-1] == ("revoke", "-49.00", order["id"])
    validated = (await world.post("/gift-cards/validate", {"code": code})).json()["data"]
    assert validated["reason"] == "revoked"
    await assert_all_totals_agree(world)


async def test_an_order_of_cards_and_other_lines_waits_for_the_other_lines(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type="gift_card", price="50.00")
    await new_product(world, name="Map", delivery_type="manual")
    order = await paid_order(world, customer, (1, 1), (2, 1))
    assert order["status"] == "paid"
    assert [item["fulfilled_quantity"] for item in order["items"]] == [1, 0]
    assert len(await rows(world.db, gift_cards)) == 1


async def test_a_gift_card_cannot_pay_for_a_gift_card(world: World) -> None:
    await buyer(world)
    await new_product(world, delivery_type="gift_card", price="20.00", stock=3)
    await new_product(world, name="Free map", price="0.00")
    code = (await new_gift_card(world, expires_at="2026-11-16T00:00:00Z"))["code"]
    for items in ([(1, 1)], [(1, 1), (2, 1)]):
        answer = await place_lines(world, *items, gift_card_code=code)
        assert errors(answer) == {
            "gift_card_code": ["The gift card code field cannot be used here: a gift card cannot pay for gift cards."]
        }
    assert ledger(await card(world)) == [("issue", "25.00", None)]
    assert await stock_of(world, 1) == 3


async def test_a_card_pays_for_the_other_lines_but_not_for_gift_cards(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type="gift_card", price="50.00")
    await new_product(world, name="Map", price="20.00")
    code = (await new_gift_card(world))["code"]
    order = await new_order(world, customer, (1, 1), (2, 1), gift_card_code=code)
    assert (order["total"], order["gift_card_total"], order["amount_due"]) == ("70.00", "20.00", "50.00")
    assert (order["status"], (await card(world))["balance"]) == ("pending", "5.00")
    await assert_all_totals_agree(world)


async def test_a_card_pays_at_most_what_a_coupon_leaves_of_the_other_lines(world: World) -> None:
    customer, coupon = await welcomed(world)
    await new_product(world, delivery_type="gift_card", price="50.00")
    await new_product(world, name="Map", price="20.00")
    code = (await new_gift_card(world))["code"]
    order = await new_order(world, customer, (1, 1), (2, 1), gift_card_code=code, coupon_code=coupon)
    assert (order["total"], order["gift_card_total"], order["amount_due"]) == ("68.00", "18.00", "50.00")


async def test_past_orders_issue_no_cards(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type="gift_card", price="20.00")
    times = {"created_at": "2026-11-01T00:00:00Z", "paid_at": "2026-11-01T00:00:00Z"}
    order = await new_order(world, customer, (1, 1), **times)
    assert order["status"] == "completed"
    assert await rows(world.db, gift_cards) == []


async def test_no_more_than_a_hundred_cards_are_bought_at_once(world: World) -> None:
    await buyer(world)
    await new_product(world, delivery_type="gift_card", price="1.00")
    answer = await place(world, None, 101)
    sentence = "The items.0.quantity field must not be greater than 100 gift cards per order."
    assert answer.json()["errors"] == {"items.0.quantity": [sentence]}
    order = await paid_order(world, 1, (1, 100))
    assert order["status"] == "completed"
    assert len(await rows(world.db, gift_cards)) == 100


@pytest.mark.parametrize("price", ["0.00", "10000.01"])
async def test_a_gift_card_product_needs_a_price_that_a_card_can_hold(shared_world: World, price: str) -> None:
    answer = await shared_world.post(
        f"{STORE}/products", {"name": "Card", "delivery_type": "gift_card", "price": price}
    )
    assert (answer.status_code, answer.json()["errors"]) == (
        422,
        {"price": ["The price field of a gift card must be 0.01 to 10000.00."]},
    )


async def test_a_subscription_to_gift_cards_issues_one_each_period(world: World) -> None:
    customer = await buyer(world)
    recurring = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}
    await new_product(world, delivery_type="gift_card", price="5.00", **recurring)
    answer = await world.post(f"{STORE}/subscriptions", {"customer_id": customer, "product_id": 1})
    assert answer.json()["data"]["order"]["status"] == "completed"
    assert (await card(world))["balance"] == "5.00"
