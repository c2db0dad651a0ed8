"""Placing orders over the Store API: every field, and what cannot be bought."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, orders
from tests.api.ordering import ORDERS, OUT_OF_STOCK, buyer, errors, place, step, stock_of
from tests.builders import STORE, new_customer, new_order, new_product, referred
from tests.conftest import only_sqlite
from tests.recount import maintained, recounted, rows, sent
from tests.world import World

NOT_FOR_SALE = "The items.0.product id field is currently not for sale."
NO_SUCH_PRODUCT = "The items.0.product id field is not a product of this store."

_BLOCK = Query(update(customers).values(status="blocked"))


async def test_a_placed_order_is_returned_with_every_field(world: World) -> None:
    await buyer(world)
    await new_product(world, sku="VIP-1")
    answer = await place(world, (1, 2), billing_country="kr", metadata={"cart": 7}, external_id="shop-1")
    assert answer.status_code == 201
    assert answer.json() == {
        "success": True,
        "message": "Order placed successfully",
        "data": {
            "order": {
                "id": 1,
                "order_number": "ORD-000001",
                "status": "pending",
                "customer": {"id": 1, "name": "Jun Park", "email": "jun@j.example"},
                "items": [
                    {
                        "id": 1,
                        "product_id": 1,
                        "product_name": "VIP rank",
                        "sku": "VIP-1",
                        "quantity": 2,
                        "price": "20.00",
                        "total": "40.00",
                        "fulfilled_quantity": 0,
                    }
                ],
                "subtotal": "40.00",
                "discount_total": "0.00",
                "total": "40.00",
                "gift_card_total": "0.00",
                "amount_due": "40.00",
                "refunded_total": "0.00",
                "currency": "USD",
                "coupon_code": None,
                "referral_code": None,
                "payment_method": None,
                "transaction_id": None,
                "ip_address": "203.0.113.1",
                "billing_country": "KR",
                "fraud": {"check_id": 1, "risk_score": 20, "risk_level": "low", "action_taken": "allowed"},
                "cancel_reason": None,
                "external_id": "shop-1",
                "metadata": {"cart": 7},
                "created_at": "2026-11-15T12:00:00Z",
                "updated_at": "2026-11-15T12:00:00Z",
                "paid_at": None,
                "completed_at": None,
                "cancelled_at": None,
                "refunded_at": None,
                "fulfillment_note": None,
                "page_url": None,
                "player": None,
                "payment": None,
                "tax_total": None,
                "tax_rate": None,
                "tax_country": None,
            },
            "next": "pay",
            "fraud_check": {
                "id": 1,
                "risk_score": 20,
                "risk_level": "low",
                "action_taken": "allowed",
                "detected_signals": ["New account"],
            },
        },
    }


async def test_several_lines_add_up_and_keep_their_order(world: World) -> None:
    await buyer(world)
    await new_product(world, price="19.99")
    await new_product(world, name="Map", price="0.01")
    order = (await place(world, (2, 3), (1, 2), (2, 1))).json()["data"]["order"]
    assert [(item["product_id"], item["total"]) for item in order["items"]] == [(2, "0.03"), (1, "39.98"), (2, "0.01")]
    assert (order["subtotal"], order["total"], order["amount_due"]) == ("40.02", "40.02", "40.02")


async def test_a_line_keeps_the_name_and_price_it_was_ordered_at(world: World) -> None:
    await buyer(world)
    product = await new_product(world, name="Sword", price="20.00")
    await place(world, (1, 1))
    await world.put(f"{STORE}/products/{product['id']}", {"name": "Axe", "price": "99.00"})
    (item,) = (await step(world, 1, "pay")).json()["data"]["items"]
    assert (item["product_name"], item["price"]) == ("Sword", "20.00")


async def test_an_order_carries_the_referral_code_of_its_customer(world: World) -> None:
    friend = (await new_customer(world))["customer"]
    customer = await referred(world, friend["referral_code"])
    await new_product(world)
    order = await new_order(world, customer["id"], (1, 1))
    assert order["referral_code"] == friend["referral_code"]


@only_sqlite
@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("customer_id", 0, "The customer id field must be at least 1."),
        ("customer_id", "1", "The customer id field must be an integer."),
        ("customer_id", 77, "The customer id field is not a customer of this store."),
        ("items", [], "The items field must not be empty."),
        ("items", {"product_id": 1, "quantity": 1}, "The items field must be a list."),
        ("items", [{"product_id": 1, "quantity": 1}] * 101, "The items field must not have more than 100 entries."),
        ("ip_address", None, "The ip address field must be a string."),
        ("ip_address", "nowhere", "The ip address field must be a valid IP address."),
        ("billing_country", "UK", "The billing country field must be an ISO 3166-1 alpha-2 country code."),
        ("user_agent", "x" * 2001, "The user agent field must not be greater than 2000 characters."),
        ("device_id", "", "The device id field must not be empty."),
        ("coupon_code", "x" * 256, "The coupon code field must not be greater than 255 characters."),
        ("gift_card_code", "GIFT-1", "The gift card code field is not a gift card of this store."),
        ("external_id", "", "The external id field must not be empty."),
        ("metadata", [], "The metadata field must be an object."),
        ("metadata", {"a": {}}, "The metadata field must contain only strings, numbers, booleans and nulls."),
        ("paid_at", "yesterday", "The paid at field must be a time like 2026-11-15T10:30:00Z."),
    ],
)
async def test_a_bad_field_is_rejected_with_a_message(world: World, field: str, value: Any, sentence: str) -> None:
    await buyer(world)
    await new_product(world)
    assert errors(await place(world, (1, 1), **{field: value})) == {field: [sentence]}
    assert await rows(world.db, orders) == []


@pytest.mark.parametrize(
    ("line", "field", "sentence"),
    [
        ({"quantity": 1}, "product_id", "The items.1.product id field is required."),
        ({"product_id": 1, "quantity": 0}, "quantity", "The items.1.quantity field must be at least 1."),
        ({"product_id": 1, "quantity": 1.5}, "quantity", "The items.1.quantity field must be an integer."),
        (
            {"product_id": 1, "quantity": 100_001},
            "quantity",
            "The items.1.quantity field must not be greater than 100000.",
        ),
    ],
)
async def test_a_bad_line_is_named(world: World, line: dict[str, Any], field: str, sentence: str) -> None:
    await buyer(world)
    await new_product(world)
    answer = await place(world, items=[{"product_id": 1, "quantity": 1}, line])
    assert errors(answer) == {f"items.1.{field}": [sentence]}


async def test_every_missing_field_is_named_at_once(world: World) -> None:
    assert sorted(errors(await world.post(ORDERS, {}))) == ["customer_id", "ip_address", "items"]


async def test_a_blocked_customer_cannot_order(world: World) -> None:
    await buyer(world)
    await new_product(world)
    async with world.db.write() as tx:
        await tx.run(_BLOCK)
    answer = await place(world, (1, 1))
    assert answer.status_code == 422
    assert (answer.json()["error"], answer.json()["code"]) == ("Unprocessable", "customer_blocked")


async def test_products_in_two_currencies_cannot_be_mixed(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await new_product(world, name="Map", currency="EUR")
    answer = await place(world, (1, 1), (2, 1))
    assert errors(answer) == {"items": ["The items field mixes products with different currencies."]}


async def test_an_order_is_in_the_currency_of_its_products(world: World) -> None:
    await buyer(world)
    await new_product(world, currency="EUR")
    assert (await place(world, (1, 1))).json()["data"]["order"]["currency"] == "EUR"


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"status": "draft"}, "product_id", NOT_FOR_SALE),
        ({"status": "archived"}, "product_id", NOT_FOR_SALE),
        ({"max_per_order": 1}, "quantity", "The items.0.quantity field must not be greater than 1 per order."),
        ({"stock": 1}, "quantity", OUT_OF_STOCK),
        ({"stock": 0}, "quantity", OUT_OF_STOCK),
    ],
)
async def test_an_order_of_an_unavailable_product_is_rejected_and_nothing_is_stored(
    world: World, fields: dict[str, Any], field: str, sentence: str
) -> None:
    await buyer(world)
    await new_product(world, **fields)
    assert errors(await place(world, (1, 2))) == {f"items.0.{field}": [sentence]}
    assert await stock_of(world, 1) == fields.get("stock")
    assert await rows(world.db, orders) == []
    assert await sent(world.db) == []


async def test_a_deleted_or_unknown_product_cannot_be_ordered(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await world.delete(f"{STORE}/products/1")
    assert errors(await place(world, (1, 1))) == {"items.0.product_id": [NO_SUCH_PRODUCT]}
    assert errors(await place(world, (9, 1))) == {"items.0.product_id": [NO_SUCH_PRODUCT]}


async def test_a_product_that_is_deleted_after_the_order_can_still_be_paid(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=5)
    await place(world, (1, 1))
    await world.delete(f"{STORE}/products/1")
    assert (await step(world, 1, "pay")).json()["data"]["status"] == "paid"


@pytest.mark.parametrize(("delivery", "status"), [("manual", "paid"), ("keys", "completed")])
async def test_a_free_order_is_paid_at_once(world: World, delivery: str, status: str) -> None:
    await buyer(world)
    await new_product(world, price=0, delivery_type=delivery)
    order = (await place(world, (1, 1))).json()["data"]["order"]
    assert (order["status"], order["total"], order["paid_at"]) == (status, "0.00", "2026-11-15T12:00:00Z")
    assert (await sent(world.db))[:2] == ["order.created", "order.paid"]
    assert await maintained(world.db) == await recounted(world.db)
