"""Gift cards at the checkout: what they pay, what comes back to them, and the cards that orders buy."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from lootkeep.kernel.clock import DAY, MINUTE, SECOND
from lootkeep.storage.tables import gift_cards, orders, products
from tests.builders import STORE, new_customer, new_gift_card, new_order, new_product, paid_order
from tests.recount import kept, recounted, rows, sent
from tests.world import World

ORDERS = f"{STORE}/orders"


async def buyer(world: World) -> int:
    return int((await new_customer(world))["customer"]["id"])


async def place(world: World, code: str | None, quantity: int = 1, **fields: Any) -> httpx.Response:
    body = {"customer_id": 1, "items": [{"product_id": 1, "quantity": quantity}], "ip_address": "203.0.113.9"}
    return await world.post(ORDERS, body | ({} if code is None else {"gift_card_code": code}) | fields)


async def placed(world: World, code: str | None, quantity: int = 1, **fields: Any) -> dict[str, Any]:
    answer = await place(world, code, quantity, **fields)
    assert answer.status_code == 201, answer.text
    order: dict[str, Any] = answer.json()["data"]["order"]
    return order


async def step(world: World, order_id: int, name: str, body: Any = None) -> httpx.Response:
    return await world.post(f"{ORDERS}/{order_id}/{name}", body)


async def card(world: World, card_id: int = 1) -> dict[str, Any]:
    data: dict[str, Any] = (await world.get(f"/gift-cards/{card_id}")).json()["data"]
    return data


def ledger(card: dict[str, Any]) -> list[tuple[str, str, int | None]]:
    return [(t["type"], t["amount"], t["order_id"]) for t in card["transactions"]]


async def assert_all_totals_agree(world: World) -> None:
    assert await kept(world.db) == await recounted(world.db)


# --- placing and paying


async def test_after_ten_unknown_codes_in_a_minute_no_order_is_paid_with_a_card(world: World) -> None:
    await buyer(world)
    await new_product(world, price="1.00")
    code = (await new_gift_card(world))["code"]
    for number in range(10):
        assert (await place(world, f"GUESS-{number}")).status_code == 422
        if number < 9:
            await placed(world, code)
        world.clock.advance(SECOND)
    for asked in ("GUESS-10", code):
        refused = await place(world, asked)
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert refused.headers["Retry-After"] == "50"
    # The misses are those of the token, wherever it sends its codes; an order without a card is none of them.
    assert (await world.post("/gift-cards/validate", {"code": code})).status_code == 429
    await placed(world, None)
    world.clock.advance(50 * SECOND)
    await placed(world, code)
    await assert_all_totals_agree(world)


async def test_a_card_pays_what_it_holds_and_the_rest_is_due(world: World) -> None:
    await buyer(world)
    await new_product(world, price="20.00")
    code = (await new_gift_card(world))["code"]
    order = await placed(world, code.lower(), 2)
    assert (order["total"], order["gift_card_total"], order["amount_due"]) == ("40.00", "25.00", "15.00")
    assert (order["status"], order["discount_total"]) == ("pending", "0.00")
    found = await card(world)
    assert (found["balance"], found["status"]) == ("0.00", "redeemed")
    assert ledger(found) == [("issue", "25.00", None), ("redeem", "-25.00", 1)]
    paid = (await step(world, 1, "pay", {"payment_method": "card"})).json()["data"]
    assert (paid["status"], paid["payment_method"], paid["amount_due"]) == ("paid", "card", "15.00")
    assert ledger(await card(world)) == [("issue", "25.00", None), ("redeem", "-25.00", 1)]
    await assert_all_totals_agree(world)


@pytest.mark.parametrize(("price", "left"), [("20.00", "5.00"), ("25.00", "0.00")])
async def test_an_order_that_a_card_pays_alone_is_paid_at_once(world: World, price: str, left: str) -> None:
    await buyer(world)
    await new_product(world, price=price)
    code = (await new_gift_card(world))["code"]
    order = await placed(world, code)
    assert (order["status"], order["amount_due"], order["payment_method"]) == ("paid", "0.00", "gift_card")
    assert order["paid_at"] == "2026-11-15T12:00:00Z"
    assert (await card(world))["balance"] == left
    assert await sent(world.db) == ["order.created", "order.paid"]
    await assert_all_totals_agree(world)


async def test_what_was_taken_is_gone_for_every_other_order(world: World) -> None:
    await buyer(world)
    await new_product(world, price="15.00")
    code = (await new_gift_card(world))["code"]
    first, second = await placed(world, code), await placed(world, code)
    assert (first["gift_card_total"], second["gift_card_total"]) == ("15.00", "10.00")
    third = await place(world, code)
    assert third.json()["errors"] == {
        "gift_card_code": ["The gift card code field names a gift card that has nothing left on it."]
    }


async def test_a_free_order_takes_nothing_from_a_card(world: World) -> None:
    await buyer(world)
    await new_product(world, price="0.00")
    code = (await new_gift_card(world))["code"]
    order = await placed(world, code)
    assert (order["status"], order["gift_card_total"], order["payment_method"]) == ("paid", "0.00", None)
    assert ledger(await card(world)) == [("issue", "25.00", None)]


async def test_the_same_external_id_takes_from_the_card_once(world: World) -> None:
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
        ("scheduled", "names a gift card that is not valid yet"),
        ("expired", "names a gift card that has expired"),
        ("revoked", "names a gift card that was revoked"),
        ("redeemed", "names a gift card that has nothing left on it"),
        ("foreign", "names a gift card in EUR, not USD"),
    ],
)
async def test_a_card_that_cannot_pay_is_refused_and_nothing_is_kept(world: World, state: str, predicate: str) -> None:
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


async def test_an_order_of_the_past_takes_nothing_from_a_card(world: World) -> None:
    await buyer(world)
    await new_product(world)
    code = (await new_gift_card(world))["code"]
    answer = await place(world, code, created_at="2026-11-01T00:00:00Z")
    assert answer.json()["errors"] == {
        "gift_card_code": ["The gift card code field cannot be used for an order of the past."]
    }


async def test_a_refused_order_gives_the_card_back_what_it_took(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=1)
    code = (await new_gift_card(world))["code"]
    assert (await place(world, code, 2)).status_code == 422
    assert (await card(world))["balance"] == "25.00"


# --- cancelling


async def test_cancelling_puts_back_what_was_taken(world: World) -> None:
    await buyer(world)
    await new_product(world, price="40.00")
    code = (await new_gift_card(world))["code"]
    await placed(world, code)
    assert (await step(world, 1, "cancel")).json()["data"]["status"] == "cancelled"
    found = await card(world)
    assert (found["balance"], found["status"]) == ("25.00", "active")
    assert ledger(found) == [("issue", "25.00", None), ("redeem", "-25.00", 1), ("refund", "25.00", 1)]
    await assert_all_totals_agree(world)


async def test_cancelling_puts_nothing_on_a_card_that_was_revoked_meanwhile(world: World) -> None:
    await buyer(world)
    await new_product(world, price="20.00")
    code = (await new_gift_card(world))["code"]
    await new_order(world, 1, (1, 2), gift_card_code=code)
    await world.post("/gift-cards/1/revoke")
    assert (await step(world, 1, "cancel")).status_code == 200
    assert ledger(await card(world)) == [("issue", "25.00", None), ("redeem", "-25.00", 1)]
    await assert_all_totals_agree(world)


# --- refunding


async def a_mixed_order(world: World) -> None:
    """40.00: 25.00 by card 1 and 15.00 by money."""
    await buyer(world)
    await new_product(world, price="20.00")
    code = (await new_gift_card(world, expires_at="2026-11-20T00:00:00Z"))["code"]
    await paid_order(world, 1, (1, 2), gift_card_code=code)


async def test_money_goes_back_first_and_then_the_card(world: World) -> None:
    await a_mixed_order(world)
    seen = []
    for amount in ("10.00", "10.00", None):
        refund = (await step(world, 1, "refund", {} if amount is None else {"amount": amount})).json()["data"]["refund"]
        seen.append((refund["amount"], refund["payment_amount"], refund["gift_card_amount"]))
    assert seen == [("10.00", "10.00", "0.00"), ("10.00", "5.00", "5.00"), ("20.00", "0.00", "20.00")]
    found = await card(world)
    assert (found["balance"], found["status"]) == ("25.00", "active")
    assert ledger(found)[2:] == [("refund", "5.00", 1), ("refund", "20.00", 1)]
    await assert_all_totals_agree(world)


async def test_a_revoked_card_gets_nothing_back_and_the_answer_says_so(world: World) -> None:
    await a_mixed_order(world)
    await world.post("/gift-cards/1/revoke")
    answer = (await step(world, 1, "refund")).json()
    assert answer["message"] == "Order refunded; the gift card that paid for it was revoked and got nothing back"
    refund = answer["data"]["refund"]
    assert (refund["amount"], refund["payment_amount"], refund["gift_card_amount"], refund["unreturned_amount"]) == (
        "40.00",
        "15.00",
        "0.00",
        "25.00",
    )
    assert answer["data"]["order"]["status"] == "refunded"
    assert (await card(world))["balance"] == "0.00"
    await assert_all_totals_agree(world)


async def test_cancelling_an_order_says_that_a_revoked_card_got_nothing_back(world: World) -> None:
    await buyer(world)
    await new_product(world, price="20.00")
    for number in (1, 2):
        code = (await new_gift_card(world))["code"]
        await placed(world, code, 2)
        if number == 2:
            await world.post("/gift-cards/2/revoke")
    answers = [(await step(world, number, "cancel")).json() for number in (1, 2)]
    assert [answer["message"] for answer in answers] == [
        "Order cancelled successfully",
        "Order cancelled; the gift card that paid for it was revoked and got nothing back",
    ]
    assert [answer["data"]["gift_card_total"] for answer in answers] == ["25.00", "25.00"]
    assert [(await card(world, number))["balance"] for number in (1, 2)] == ["25.00", "0.00"]
    await assert_all_totals_agree(world)


async def test_an_expired_card_gets_its_money_back_and_can_be_prolonged(world: World) -> None:
    await a_mixed_order(world)
    world.clock.advance(10 * DAY)
    await step(world, 1, "refund")
    found = await card(world)
    assert (found["balance"], found["status"]) == ("25.00", "expired")
    await world.put("/gift-cards/1", {"expires_at": None})
    assert (await card(world))["status"] == "active"
    await assert_all_totals_agree(world)


# --- buying


async def test_a_card_of_the_price_is_issued_for_each_unit_when_the_order_is_paid(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    await new_product(world, name="Gift card", delivery_type="gift_card", price="50.00")
    order = await new_order(world, customer["id"], (1, 2))
    assert await rows(world.db, gift_cards) == []
    paid = (await step(world, order["id"], "pay")).json()["data"]
    assert (paid["status"], paid["items"][0]["fulfilled_quantity"]) == ("completed", 2)
    for number in (1, 2):
        found = await card(world, number)
        assert (found["initial_balance"], found["balance"], found["currency"]) == ("50.00", "50.00", "USD")
        assert (found["customer_id"], found["order_id"]) == (customer["id"], order["id"])
        assert (found["recipient_email"], found["recipient_name"]) == (customer["email"], customer["name"])
        assert ledger(found) == [("issue", "50.00", order["id"])]
    assert await sent(world.db) == ["order.created", "order.paid", "order.completed"]
    await assert_all_totals_agree(world)


async def test_an_order_with_something_else_in_it_waits_for_that(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type="gift_card", price="50.00")
    await new_product(world, name="Map", delivery_type="manual")
    order = await paid_order(world, customer, (1, 1), (2, 1))
    assert order["status"] == "paid"
    assert [item["fulfilled_quantity"] for item in order["items"]] == [1, 0]
    assert len(await rows(world.db, gift_cards)) == 1


async def test_a_full_refund_revokes_what_is_left_on_the_cards_that_were_bought(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type="gift_card", price="50.00")
    order = await paid_order(world, customer, (1, 3))
    await world.post("/gift-cards/1/redeem", {"amount": "50.00"})
    await world.post("/gift-cards/2/redeem", {"amount": "20.00"})
    await step(world, order["id"], "refund", {"amount": "10.00"})
    assert [(await card(world, number))["status"] for number in (1, 2, 3)] == ["redeemed", "active", "active"]
    await step(world, order["id"], "refund")
    found = [await card(world, number) for number in (1, 2, 3)]
    assert [one["status"] for one in found] == ["redeemed", "revoked", "revoked"]
    assert [one["revoke_reason"] for one in found] == [None, "order refunded", "order refunded"]
    assert ledger(found[1])[-1] == ("revoke", "-30.00", None)
    await assert_all_totals_agree(world)


async def test_a_card_bought_with_a_card_is_taken_back_and_the_other_filled_again(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type="gift_card", price="20.00")
    code = (await new_gift_card(world))["code"]
    order = await new_order(world, customer, (1, 1), gift_card_code=code)
    assert order["status"] == "completed"
    await step(world, order["id"], "refund")
    assert [(await card(world, number))["balance"] for number in (1, 2)] == ["25.00", "0.00"]
    await assert_all_totals_agree(world)


async def test_history_issues_no_cards(world: World) -> None:
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
async def test_a_gift_card_product_has_a_price_that_a_card_can_hold(world: World, price: str) -> None:
    answer = await world.post(f"{STORE}/products", {"name": "Card", "delivery_type": "gift_card", "price": price})
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
