"""Orders of the past as they were: their own prices, discount, currency, outcome and refunds, and every total right."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.services import recount as recount_service
from tests.api.ordering import ORDERS, buyer, errors, stock_of
from tests.builders import honest_buyer, new_customer, new_product, referred
from tests.recount import sent
from tests.world import World

PLACED = "2024-02-01T10:00:00Z"
PAID = "2024-02-02T10:00:00Z"
BACK = "2024-02-03T10:00:00Z"


def past(customer: int, *prices: str | None, **fields: Any) -> dict[str, Any]:
    """Two of product 1 at each price."""
    items = [{"product_id": 1, "quantity": 2, "price": price} for price in prices]
    return {"customer_id": customer, "items": items, "created_at": PLACED} | honest_buyer(customer) | fields


async def bring(world: World, customer: int, *prices: str | None, **fields: Any) -> dict[str, Any]:
    answer = await world.post(ORDERS, past(customer, *prices, **fields))
    assert answer.status_code == 201, answer.text
    order: dict[str, Any] = answer.json()["data"]["order"]
    return order


async def assert_totals_are_right(world: World) -> None:
    assert {name: count for name, count in (await recount_service.check(world.deps)).items() if count} == {}


async def test_a_past_order_has_its_own_prices_discount_and_currency(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, price="19.99")
    fields = {"status": "paid", "paid_at": PAID, "discount": "1.50", "currency": "eur", "payment_method": "paypal"}
    order = await bring(world, customer, "4.00", "0.00", **fields)
    assert [(item["price"], item["total"]) for item in order["items"]] == [("4.00", "8.00"), ("0.00", "0.00")]
    assert (order["subtotal"], order["discount_total"], order["total"]) == ("8.00", "1.50", "6.50")
    assert (order["currency"], order["payment_method"], order["paid_at"]) == ("EUR", "paypal", PAID)
    assert order["amount_due"] == "0.00"
    await assert_totals_are_right(world)


@pytest.mark.parametrize(
    ("fields", "status", "spent", "orders_count"),
    [
        ({"status": "paid"}, "paid", "8.00", 1),
        ({"status": "completed"}, "completed", "8.00", 1),
        ({"status": "refunded"}, "refunded", "0.00", 0),
        (
            {"status": "partially_refunded", "refunds": [{"amount": "3.00", "reason": "late", "created_at": BACK}]},
            "partially_refunded",
            "5.00",
            1,
        ),
        ({"paid_at": PAID, "refunds": [{"amount": "3.00"}, {"amount": 5, "created_at": BACK}]}, "refunded", "0.00", 0),
        ({"status": "cancelled"}, "cancelled", "0.00", 0),
    ],
    ids=["paid", "completed", "refunded", "partially_refunded", "refunded_in_parts", "cancelled"],
)
async def test_every_outcome_leaves_the_totals_right_and_sends_nothing(
    world: World, fields: dict[str, Any], status: str, spent: str, orders_count: int
) -> None:
    friend = (await new_customer(world, created_at="2024-01-01T00:00:00Z"))["customer"]
    customer = await referred(world, friend["referral_code"], created_at="2024-01-02T00:00:00Z")
    await new_product(world, price="19.99", stock=5)
    order = await bring(world, customer["id"], "4.00", **fields)
    assert order["status"] == status
    stored_customer = (await world.get(f"/customers/{customer['id']}")).json()["data"]
    assert (stored_customer["total_spent"], stored_customer["orders_count"]) == (spent, orders_count)
    product = (await world.get("/products/1")).json()["data"]
    assert (product["sales_count"], await stock_of(world, 1)) == (0 if status == "cancelled" else 2, 5)
    (referral,) = (await world.get("/referrals")).json()["data"]
    assert referral["status"] == ("successful" if orders_count else "pending")
    assert await sent(world.db) == []
    await assert_totals_are_right(world)


async def test_refunds_of_the_past_count_on_their_own_day(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    await bring(world, customer, "4.00", paid_at=PAID, refunds=[{"amount": "3.00", "created_at": BACK}])
    days = (await world.get("/analytics/revenue?from=2024-02-01&to=2024-02-04&interval=day")).json()["data"]["series"]
    assert [day["gross_revenue"] for day in days] == ["0.00", "8.00", "0.00", "0.00"]
    assert [day["net_revenue"] for day in days] == ["0.00", "8.00", "-3.00", "0.00"]


async def test_a_past_order_can_be_refunded_further_now(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    order = await bring(world, customer, "4.00", status="partially_refunded", refunds=[{"amount": "3.00"}])
    answer = await world.post(f"{ORDERS}/{order['id']}/refund", None)
    assert answer.json()["data"]["order"]["status"] == "refunded"
    await assert_totals_are_right(world)


async def test_a_line_without_a_price_has_the_current_price_unless_the_currency_differs(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, price="19.99")
    assert (await bring(world, customer, None, paid_at=PAID))["total"] == "39.98"
    answer = await world.post(ORDERS, past(customer, None, paid_at=PAID, currency="EUR"))
    assert errors(answer) == {"items.0.price": ["The items.0.price field is required: the product is sold in USD now."]}


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "paid"},
        {"discount": "1.00"},
        {"currency": "EUR"},
        {"refunds": [{"amount": 1}]},
        {"cancelled_at": PLACED},
        {"items": [{"product_id": 1, "quantity": 1, "price": "1.00"}]},
    ],
    ids=lambda fields: next(iter(fields)),
)
async def test_only_an_import_token_may_send_past_orders_and_only_with_their_time(
    world: World, fields: dict[str, Any]
) -> None:
    customer = await buyer(world)
    await new_product(world)
    body = {"customer_id": customer, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"} | fields
    refused = await world.post(ORDERS, body, token=await world.new_token("store:write"))
    assert refused.json()["message"] == "The token lacks the required scope store:import."
    assert list(errors(await world.post(ORDERS, body))) == ["created_at"]


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"status": "pending"}, "status", "must be one of: paid, completed, partially_refunded, refunded, cancelled"),
        ({"discount": "-1.00"}, "discount", "must be at least 0"),
        ({"discount": "8.01"}, "discount", "must not be greater than 8.00, the total of the items"),
        ({"currency": "XXQ"}, "currency", "must be an ISO 4217 currency code"),
        ({"refunds": [{"amount": 0}]}, "refunds.0.amount", "must be at least 0.01"),
        ({"refunds": [{"amount": "8.01"}]}, "refunds", "must not come to more than 8.00, the order's total"),
    ],
)
async def test_an_impossible_past_order_is_rejected(
    world: World, fields: dict[str, Any], field: str, sentence: str
) -> None:
    customer = await buyer(world)
    await new_product(world)
    answer = await world.post(ORDERS, past(customer, "4.00", **fields))
    assert errors(answer) == {field: [f"The {field.replace('_', ' ')} field {sentence}."]}
