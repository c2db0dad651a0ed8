"""Orders over the Store API: placing, paying, refunding and cancelling, and what each step tells the outbox."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, get_args

import httpx
import pytest
from sqlalchemy import bindparam, update

from lootkeep.domain.orders import ALLOWED, OrderStatus, Step
from lootkeep.kernel.clock import DAY
from lootkeep.storage.query import Query
from lootkeep.storage.tables import customers, orders
from tests.builders import STORE, new_customer, new_order, new_product, paid_order, referred
from tests.recount import kept, outbox, recounted, rows, sent
from tests.world import World

ORDERS = f"{STORE}/orders"
MINUTE = 60_000_000
LATER = "2026-11-15T12:01:00Z"
OUT_OF_STOCK = "The items.0.quantity field is more than what is in stock."
NOT_FOR_SALE = "The items.0.product id field is not for sale at present."
NO_SUCH_PRODUCT = "The items.0.product id field is not a product of this store."

_BLOCK = Query(update(customers).values(status="blocked"))
_SET_STATUS = Query(update(orders).where(orders.c.id == bindparam("order")).values(status=bindparam("new_status")))


async def buyer(world: World, **fields: Any) -> int:
    return int((await new_customer(world, **{"email": "jun@j.example", "name": "Jun Park"} | fields))["customer"]["id"])


async def place(world: World, *lines: tuple[int, int], **fields: Any) -> httpx.Response:
    """Places an order of customer 1 whatever comes of it."""
    items = [{"product_id": product_id, "quantity": quantity} for product_id, quantity in lines]
    return await world.post(ORDERS, {"customer_id": 1, "items": items, "ip_address": "203.0.113.9"} | fields)


async def step(world: World, order_id: int, name: str, body: Any = None) -> httpx.Response:
    return await world.post(f"{ORDERS}/{order_id}/{name}", body)


async def welcomed(world: World, kind: str = "percentage", value: Any = 10) -> tuple[int, str]:
    """A referred customer, and the code of the welcome coupon."""
    settings = {
        "referral_welcome_discount_enabled": True,
        "referral_welcome_discount_type": kind,
        "referral_welcome_discount_value": value,
    }
    assert (await world.put("/referrals/settings", settings)).status_code == 200
    friend = (await new_customer(world))["customer"]
    answer = await new_customer(world, referral_code=friend["referral_code"])
    return answer["customer"]["id"], answer["welcome_coupon"]["code"]


async def stock_of(world: World, product_id: int) -> int | None:
    answer = await world.put(f"{STORE}/products/{product_id}", {})
    stock: int | None = answer.json()["data"]["stock"]
    return stock


def errors(answer: httpx.Response) -> dict[str, list[str]]:
    assert answer.status_code == 422, answer.text
    found: dict[str, list[str]] = answer.json()["errors"]
    return found


# --- placing


async def test_a_placed_order_is_answered_with_every_field(world: World) -> None:
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
                "ip_address": "203.0.113.9",
                "billing_country": "KR",
                "fraud": None,
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
            },
            "fraud_check": None,
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


async def test_the_code_that_brought_the_customer_stands_on_the_order(world: World) -> None:
    friend = (await new_customer(world))["customer"]
    customer = await referred(world, friend["referral_code"])
    await new_product(world)
    order = await new_order(world, customer["id"], (1, 1))
    assert order["referral_code"] == friend["referral_code"]


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
        ("metadata", {"a": {}}, "The metadata field must hold only strings, numbers, booleans and nulls."),
        ("paid_at", "yesterday", "The paid at field must be a time like 2026-11-15T10:30:00Z."),
    ],
)
async def test_a_bad_field_is_refused_in_words(world: World, field: str, value: Any, sentence: str) -> None:
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


async def test_products_of_two_currencies_are_not_mixed(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await new_product(world, name="Map", currency="EUR")
    answer = await place(world, (1, 1), (2, 1))
    assert errors(answer) == {"items": ["The items field mixes products of different currencies."]}


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
async def test_what_cannot_be_bought_is_refused_and_nothing_is_kept(
    world: World, fields: dict[str, Any], field: str, sentence: str
) -> None:
    await buyer(world)
    await new_product(world, **fields)
    assert errors(await place(world, (1, 2))) == {f"items.0.{field}": [sentence]}
    assert await stock_of(world, 1) == fields.get("stock")
    assert await rows(world.db, orders) == []
    assert await sent(world.db) == []


async def test_a_deleted_or_unknown_product_is_not_of_this_store(world: World) -> None:
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


async def test_stock_is_reserved_by_an_order_and_released_by_its_cancellation(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=5)
    await place(world, (1, 1), (1, 3))
    reserved = await stock_of(world, 1)
    refused = await place(world, (1, 2))
    await step(world, 1, "cancel")
    assert reserved == 1
    assert errors(refused) == {"items.0.quantity": [OUT_OF_STOCK]}
    assert await stock_of(world, 1) == 5


async def test_stock_that_was_sold_does_not_come_back_with_a_refund(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, stock=5)
    await paid_order(world, customer, (1, 2))
    await step(world, 1, "refund")
    assert await stock_of(world, 1) == 3


async def test_unlimited_stock_stays_unlimited(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 100_000))
    await step(world, 1, "cancel")
    assert await stock_of(world, 1) is None


async def test_an_order_of_unlimited_stock_adds_nothing_when_it_is_cancelled_after_a_stock_was_set(
    world: World,
) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 2))
    await world.put(f"{STORE}/products/1", {"stock": 7})
    await step(world, 1, "cancel")
    assert await stock_of(world, 1) == 7


async def test_when_one_line_is_out_of_stock_the_others_are_not_reserved(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=5)
    await new_product(world, name="Map", stock=0)
    await place(world, (1, 5), (2, 1))
    assert await stock_of(world, 1) == 5


@pytest.mark.parametrize(("delivery", "status"), [("manual", "paid"), ("keys", "completed")])
async def test_a_free_order_is_paid_at_once(world: World, delivery: str, status: str) -> None:
    await buyer(world)
    await new_product(world, price=0, delivery_type=delivery)
    order = (await place(world, (1, 1))).json()["data"]["order"]
    assert (order["status"], order["total"], order["paid_at"]) == (status, "0.00", "2026-11-15T12:00:00Z")
    assert (await sent(world.db))[:2] == ["order.created", "order.paid"]
    assert await kept(world.db) == await recounted(world.db)


# --- coupons


async def test_a_coupon_takes_its_part_and_is_used_with_the_payment(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world, price="19.95")
    order = await new_order(world, customer, (1, 1), coupon_code=f" {code.lower()} ")
    before = (await kept(world.db))["coupons"][1]
    paid = (await step(world, order["id"], "pay")).json()["data"]
    assert (order["subtotal"], order["discount_total"], order["total"]) == ("19.95", "2.00", "17.95")
    assert order["coupon_code"] == paid["coupon_code"] == code
    assert before == ("reserved", 1, 200)
    assert (await kept(world.db))["coupons"][1] == ("used", 1, 200)
    assert (await world.get("/referrals/statistics")).json()["data"]["total_coupons_value"] == 2


@pytest.mark.parametrize(
    ("kind", "value", "price", "discount"),
    [
        ("percentage", 10, "0.05", "0.01"),
        ("percentage", 10, "0.04", "0.00"),
        ("percentage", 33.33, "9.99", "3.33"),
        ("percentage", 100, "9.99", "9.99"),
        ("fixed", "5.00", "9.99", "5.00"),
        ("fixed", "9.99", "9.99", "9.99"),
        ("fixed", "500.00", "9.99", "9.99"),
    ],
)
async def test_a_discount_is_rounded_to_the_cent_and_never_below_zero(
    world: World, kind: str, value: Any, price: str, discount: str
) -> None:
    customer, code = await welcomed(world, kind, value)
    await new_product(world, price=price)
    order = await new_order(world, customer, (1, 1), coupon_code=code)
    assert order["discount_total"] == discount
    assert order["status"] == ("paid" if order["total"] == "0.00" else "pending")


async def test_a_coupon_of_another_customer_looks_like_none(world: World) -> None:
    _, code = await welcomed(world)
    stranger = (await new_customer(world))["customer"]["id"]
    await new_product(world)
    others = await place(world, (1, 1), customer_id=stranger, coupon_code=code)
    unknown = await place(world, (1, 1), customer_id=stranger, coupon_code="HI-NOPENOPE")
    assert errors(others) == {"coupon_code": ["The coupon code field is not a coupon of this customer."]}
    assert errors(unknown) == errors(others)


@pytest.mark.parametrize("steps", [["pay"], [], ["pay", "refund"]])
async def test_a_used_or_reserved_coupon_is_not_used_again(world: World, steps: list[str]) -> None:
    customer, code = await welcomed(world)
    await new_product(world, stock=5)
    order = await new_order(world, customer, (1, 1), coupon_code=code)
    for name in steps:
        await step(world, order["id"], name)
    again = await place(world, (1, 1), customer_id=customer, coupon_code=code)
    assert errors(again) == {"coupon_code": ["The coupon code field names a coupon that has already been used."]}
    assert await stock_of(world, 1) == 4


async def test_a_cancelled_order_gives_its_coupon_back(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world)
    await new_order(world, customer, (1, 1), coupon_code=code)
    await step(world, 1, "cancel")
    assert (await kept(world.db))["coupons"][1] == ("available", None, 0)
    assert (await new_order(world, customer, (1, 2), coupon_code=code))["discount_total"] == "4.00"


@pytest.mark.parametrize(("early", "status"), [(1, 201), (0, 422)])
async def test_a_coupon_expires_by_the_clock(world: World, early: int, status: int) -> None:
    customer, code = await welcomed(world)
    await new_product(world)
    world.clock.advance(30 * DAY - early)
    answer = await place(world, (1, 1), customer_id=customer, coupon_code=code)
    assert answer.status_code == status
    if status == 422:
        assert errors(answer) == {"coupon_code": ["The coupon code field names a coupon that has expired."]}


async def test_a_coupon_that_expires_while_it_is_reserved_is_still_used(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world)
    await new_order(world, customer, (1, 1), coupon_code=code)
    world.clock.advance(31 * DAY)
    assert (await step(world, 1, "pay")).json()["data"]["total"] == "18.00"
    assert (await kept(world.db))["coupons"][1] == ("used", 1, 200)


async def test_a_fixed_coupon_is_refused_in_another_currency_and_a_percentage_is_not(world: World) -> None:
    customer, fixed = await welcomed(world, "fixed", 5)
    other, percentage = await welcomed(world)
    await new_product(world, currency="EUR")
    refused = await place(world, (1, 1), customer_id=customer, coupon_code=fixed)
    taken = await place(world, (1, 1), customer_id=other, coupon_code=percentage)
    assert errors(refused) == {"coupon_code": ["The coupon code field names a coupon in USD, not EUR."]}
    assert taken.json()["data"]["order"]["discount_total"] == "2.00"


# --- the same order again, and history


async def test_an_external_id_sent_again_gives_the_same_order(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=5)
    first = await place(world, (1, 2), external_id="shop-1")
    again = await place(world, (1, 1), external_id="shop-1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["data"] == first.json()["data"]
    assert again.json()["message"] == "The order had been placed before"
    assert await stock_of(world, 1) == 3
    assert await sent(world.db) == ["order.created"]


async def test_an_external_id_sent_again_tells_where_the_order_stands_now(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1), external_id="shop-1")
    await step(world, 1, "cancel")
    assert (await place(world, (1, 1), external_id="shop-1")).json()["data"]["order"]["status"] == "cancelled"


async def test_history_brings_its_own_times_and_sends_nothing(world: World) -> None:
    friend = (await new_customer(world, created_at="2024-01-01T00:00:00Z"))["customer"]
    customer = await referred(world, friend["referral_code"], created_at="2024-01-02T00:00:00Z")
    await new_product(world, status="archived", stock=1, max_per_order=1)
    times = {"created_at": "2024-02-01T10:00:00Z", "paid_at": "2024-02-02T10:00:00Z"}
    delivered = times | {"completed_at": "2024-02-03T10:00:00Z"}
    order = await new_order(world, customer["id"], (1, 3), **delivered)
    assert order["status"] == "completed"
    assert order | delivered == order
    assert [item["fulfilled_quantity"] for item in order["items"]] == [3]
    assert await stock_of(world, 1) == 1
    assert await sent(world.db) == []
    (referral,) = (await world.get("/referrals")).json()["data"]
    assert (referral["status"], referral["first_order_at"]) == ("successful", "2024-02-02T10:00:00Z")
    assert await kept(world.db) == await recounted(world.db)


async def test_history_that_was_only_paid_is_paid_and_keys_are_delivered_with_it(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    await new_product(world, name="Map", delivery_type="keys")
    times = {"created_at": "2024-02-01T10:00:00Z", "paid_at": "2024-02-02T10:00:00Z"}
    manual = await new_order(world, customer, (1, 1), **times)
    keys = await new_order(world, customer, (2, 1), **times)
    assert (manual["status"], manual["completed_at"]) == ("paid", None)
    assert (keys["status"], keys["completed_at"]) == ("completed", "2024-02-02T10:00:00Z")


async def test_history_that_was_never_paid_waits_for_its_payment(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, stock=5)
    order = await new_order(world, customer, (1, 1), created_at="2026-11-15T11:00:00Z")
    assert (order["status"], order["created_at"]) == ("pending", "2026-11-15T11:00:00Z")
    assert await stock_of(world, 1) == 4
    assert await sent(world.db) == []


async def test_an_older_order_that_comes_in_late_becomes_the_first(world: World) -> None:
    friend = (await new_customer(world))["customer"]
    customer = await referred(world, friend["referral_code"])
    await new_product(world)
    await paid_order(world, customer["id"], (1, 1))
    old = {"created_at": "2024-02-01T10:00:00Z", "paid_at": "2024-02-02T10:00:00Z"}
    await new_order(world, customer["id"], (1, 1), **old)
    (referral,) = (await world.get("/referrals")).json()["data"]
    assert referral["first_order_at"] == "2024-02-02T10:00:00Z"
    assert await kept(world.db) == await recounted(world.db)


@pytest.mark.parametrize(
    ("times", "field", "sentence"),
    [
        ({"paid_at": "2024-01-02T00:00:00Z"}, "created_at", "is required when paid at is given"),
        (
            {"created_at": "2024-01-01T00:00:00Z", "completed_at": "2024-01-02T00:00:00Z"},
            "paid_at",
            "is required when completed at is given",
        ),
        (
            {"created_at": "2024-01-02T00:00:00Z", "paid_at": "2024-01-01T23:59:59Z"},
            "paid_at",
            "must not lie before the step that precedes it",
        ),
        (
            {
                "created_at": "2024-01-01T00:00:00Z",
                "paid_at": "2024-01-03T00:00:00Z",
                "completed_at": "2024-01-02T00:00:00Z",
            },
            "completed_at",
            "must not lie before the step that precedes it",
        ),
        ({"created_at": "2026-11-15T12:00:01Z"}, "created_at", "must not lie in the future"),
        (
            {"created_at": "2024-01-01T00:00:00Z", "paid_at": "2026-11-16T00:00:00Z"},
            "paid_at",
            "must not lie in the future",
        ),
    ],
)
async def test_history_out_of_order_is_refused(world: World, times: dict[str, str], field: str, sentence: str) -> None:
    await buyer(world)
    await new_product(world)
    answer = await place(world, (1, 1), **times)
    assert errors(answer) == {field: [f"The {field.replace('_', ' ')} field {sentence}."]}


@pytest.mark.parametrize("field", ["created_at", "paid_at", "completed_at"])
async def test_only_a_token_for_imports_may_give_times(world: World, field: str) -> None:
    await buyer(world)
    await new_product(world)
    body = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"}
    token = await world.new_token("store:write")
    answer = await world.post(ORDERS, body | {field: "2024-01-01T00:00:00Z"}, token=token)
    assert answer.status_code == 403
    assert answer.json()["message"] == "The token lacks the required scope store:import."


# --- paying


async def test_a_payment_is_noted_and_adds_to_the_customers_totals(world: World) -> None:
    await buyer(world)
    await new_product(world, price="12.34")
    await place(world, (1, 2))
    world.clock.advance(MINUTE)
    answer = await step(world, 1, "pay", {"payment_method": "card", "transaction_id": "pi_1"})
    order = answer.json()["data"]
    assert (answer.status_code, answer.json()["message"]) == (200, "Order paid successfully")
    assert (order["status"], order["paid_at"], order["updated_at"]) == ("paid", LATER, LATER)
    assert (order["payment_method"], order["transaction_id"]) == ("card", "pi_1")
    (row,) = await rows(world.db, customers)
    assert (row["orders_count"], row["total_spent"]) == (1, 2468)
    assert row["first_order_at"] == row["last_order_at"] == world.clock.now()


async def test_a_payment_needs_neither_method_nor_transaction(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1))
    order = (await step(world, 1, "pay")).json()["data"]
    assert (order["status"], order["payment_method"], order["transaction_id"]) == ("paid", None, None)


async def test_the_same_transaction_again_changes_nothing(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    paid = await paid_order(world, customer, (1, 1))
    world.clock.advance(MINUTE)
    again = await step(world, paid["id"], "pay", {"transaction_id": paid["transaction_id"], "payment_method": "cash"})
    assert (again.status_code, again.json()["data"]) == (200, paid)
    assert await sent(world.db) == ["order.created", "order.paid"]
    assert await kept(world.db) == await recounted(world.db)


async def test_the_same_transaction_again_after_a_refund_tells_where_the_order_stands(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    paid = await paid_order(world, customer, (1, 1))
    await step(world, 1, "refund")
    again = await step(world, 1, "pay", {"transaction_id": paid["transaction_id"]})
    assert (again.status_code, again.json()["data"]["status"]) == (200, "refunded")


@pytest.mark.parametrize("body", [{"transaction_id": "another"}, {}, None])
async def test_another_payment_of_a_paid_order_is_a_conflict(world: World, body: Any) -> None:
    customer = await buyer(world)
    await new_product(world)
    await paid_order(world, customer, (1, 1))
    answer = await step(world, 1, "pay", body)
    assert answer.status_code == 409
    assert answer.json() == {
        "success": False,
        "error": "Conflict",
        "code": "order_paid",
        "message": "Order ORD-000001 is paid and cannot be paid.",
    }
    assert await sent(world.db) == ["order.created", "order.paid"]


async def test_an_order_in_another_currency_counts_as_an_order_but_not_as_money(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, currency="EUR")
    await paid_order(world, customer, (1, 1))
    (row,) = await rows(world.db, customers)
    assert (row["orders_count"], row["total_spent"]) == (1, 0)
    await step(world, 1, "refund")
    assert await kept(world.db) == await recounted(world.db)


async def test_an_idempotency_key_on_a_payment_gives_one_event(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1))
    headers = {"Idempotency-Key": "pay-1"}
    first = await world.post(f"{ORDERS}/1/pay", {}, headers=headers)
    again = await world.post(f"{ORDERS}/1/pay", {}, headers=headers)
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.content == first.content
    assert again.headers["Idempotent-Replayed"] == "true"
    assert await sent(world.db) == ["order.created", "order.paid"]


async def test_a_refused_payment_is_not_kept_under_its_key(world: World) -> None:
    headers = {"Idempotency-Key": "pay-1"}
    before = await world.post(f"{ORDERS}/1/pay", {}, headers=headers)
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1))
    after = await world.post(f"{ORDERS}/1/pay", {}, headers=headers)
    assert (before.status_code, after.status_code) == (404, 200)


# --- automatic delivery


@pytest.mark.parametrize("delivery", ["keys", "file"])
async def test_keys_and_files_are_delivered_with_the_payment(world: World, delivery: str) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type=delivery)
    order = await paid_order(world, customer, (1, 3))
    assert order["status"] == "completed"
    assert order["completed_at"] == order["paid_at"] == "2026-11-15T12:00:00Z"
    assert [item["fulfilled_quantity"] for item in order["items"]] == [3]
    assert await sent(world.db) == ["order.created", "order.paid", "order.completed"]


@pytest.mark.parametrize("delivery", ["command", "manual"])
async def test_what_somebody_has_to_deliver_waits_for_them(world: World, delivery: str) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type=delivery)
    await new_product(world, name="Map", delivery_type="keys")
    order = await paid_order(world, customer, (1, 1), (2, 2))
    assert (order["status"], order["completed_at"]) == ("paid", None)
    assert [item["fulfilled_quantity"] for item in order["items"]] == [0, 2]
    assert await sent(world.db) == ["order.created", "order.paid"]


# --- refunding


async def test_a_part_is_given_back_and_then_the_rest(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    await paid_order(world, customer, (1, 1))
    world.clock.advance(MINUTE)
    part = await step(world, 1, "refund", {"amount": "5.00", "reason": "one key was used"})
    (between,) = await rows(world.db, customers)
    rest = (await step(world, 1, "refund", {})).json()["data"]
    (after,) = await rows(world.db, customers)
    assert (part.status_code, part.json()["message"]) == (200, "Order refunded successfully")
    assert part.json()["data"]["refund"] == {
        "id": 1,
        "amount": "5.00",
        "payment_amount": "5.00",
        "gift_card_amount": "0.00",
        "unreturned_amount": "0.00",
        "reason": "one key was used",
        "created_at": LATER,
    }
    order = part.json()["data"]["order"]
    assert (order["status"], order["refunded_total"], order["refunded_at"]) == ("partially_refunded", "5.00", LATER)
    assert (rest["order"]["status"], rest["order"]["refunded_total"]) == ("refunded", "20.00")
    assert (rest["refund"]["amount"], rest["refund"]["reason"]) == ("15.00", None)
    assert (between["orders_count"], between["total_spent"]) == (1, 1500)
    assert (after["orders_count"], after["total_spent"]) == (0, 0)


async def test_giving_back_exactly_the_total_is_a_full_refund(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    await paid_order(world, customer, (1, 1))
    assert (await step(world, 1, "refund", {"amount": 20})).json()["data"]["order"]["status"] == "refunded"


@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({"amount": "15.01"}, "amount", "The amount field must not be greater than 15.00, what is left."),
        ({"amount": 0}, "amount", "The amount field must be at least 0.01."),
        ({"amount": "-1"}, "amount", "The amount field must be at least 0.01."),
        ({"amount": 1.001}, "amount", "The amount field must be a number with at most two decimals."),
        ({"reason": "x" * 2001}, "reason", "The reason field must not be greater than 2000 characters."),
    ],
)
async def test_a_bad_refund_is_refused_and_gives_nothing_back(
    world: World, body: dict[str, Any], field: str, sentence: str
) -> None:
    customer = await buyer(world)
    await new_product(world)
    await paid_order(world, customer, (1, 1))
    await step(world, 1, "refund", {"amount": "5.00"})
    assert errors(await step(world, 1, "refund", body)) == {field: [sentence]}
    assert (await sent(world.db)).count("order.refunded") == 1
    assert await kept(world.db) == await recounted(world.db)


async def test_a_free_order_cannot_be_refunded(world: World) -> None:
    await buyer(world)
    await new_product(world, price=0)
    await place(world, (1, 1))
    answer = await step(world, 1, "refund")
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Unprocessable",
        "code": "nothing_to_refund",
        "message": "Order ORD-000001 was free: there is nothing to refund.",
    }


async def test_a_refund_takes_back_this_customers_order_only(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    for _ in range(2):
        await paid_order(world, customer, (1, 1))
    await step(world, 2, "refund")
    (row,) = await rows(world.db, customers)
    assert (row["orders_count"], row["total_spent"]) == (1, 2000)
    assert await kept(world.db) == await recounted(world.db)


# --- cancelling


async def test_a_cancelled_order_says_why_and_sends_nothing(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1))
    world.clock.advance(MINUTE)
    answer = await step(world, 1, "cancel", {"reason": "never paid"})
    order = answer.json()["data"]
    assert (answer.status_code, answer.json()["message"]) == (200, "Order cancelled successfully")
    assert (order["status"], order["cancel_reason"]) == ("cancelled", "never paid")
    assert (order["cancelled_at"], order["updated_at"], order["paid_at"]) == (LATER, LATER, None)
    assert await sent(world.db) == ["order.created"]
    assert await kept(world.db) == await recounted(world.db)


# --- every step in every state


async def _pending(world: World, order_id: int) -> None:
    """Placed, and nothing more."""


async def _on_hold(world: World, order_id: int) -> None:
    """Nothing holds orders back yet, so the row is set by hand."""
    async with world.db.write() as tx:
        await tx.run(_SET_STATUS, order=order_id, new_status="on_hold")


async def _paid(world: World, order_id: int) -> None:
    await step(world, order_id, "pay")


async def _completed(world: World, order_id: int) -> None:
    await _paid(world, order_id)
    async with world.db.write() as tx:
        await tx.run(_SET_STATUS, order=order_id, new_status="completed")


async def _partially_refunded(world: World, order_id: int) -> None:
    await _paid(world, order_id)
    await step(world, order_id, "refund", {"amount": "1.00"})


async def _refunded(world: World, order_id: int) -> None:
    await _paid(world, order_id)
    await step(world, order_id, "refund")


async def _cancelled(world: World, order_id: int) -> None:
    await step(world, order_id, "cancel")


LEAD_TO: dict[OrderStatus, Callable[[World, int], Awaitable[None]]] = {
    "pending": _pending,
    "on_hold": _on_hold,
    "paid": _paid,
    "completed": _completed,
    "partially_refunded": _partially_refunded,
    "refunded": _refunded,
    "cancelled": _cancelled,
}
DEEDS: dict[Step, tuple[str, OrderStatus]] = {
    "pay": ("paid", "paid"),
    "cancel": ("cancelled", "cancelled"),
    "refund": ("refunded", "refunded"),
}


def test_every_state_is_led_to() -> None:
    assert set(LEAD_TO) == set(get_args(OrderStatus))


@pytest.mark.parametrize("status", get_args(OrderStatus))
async def test_each_step_is_taken_where_it_is_allowed_and_a_conflict_elsewhere(
    world: World, status: OrderStatus
) -> None:
    customer = await buyer(world)
    await new_product(world)
    for name, (deed, reached) in DEEDS.items():
        order = await new_order(world, customer, (1, 1))
        await LEAD_TO[status](world, order["id"])
        before = await sent(world.db)
        answer = await step(world, order["id"], name)
        if status in ALLOWED[name]:
            data = answer.json()["data"]
            assert (answer.status_code, data.get("order", data)["status"]) == (200, reached)
            continue
        assert (answer.status_code, answer.json()["error"], answer.json()["code"]) == (
            409,
            "Conflict",
            f"order_{status}",
        )
        is_now = status.replace("_", " ")
        assert answer.json()["message"] == f"Order {order['order_number']} is {is_now} and cannot be {deed}."
        assert await sent(world.db) == before


@pytest.mark.parametrize("name", ["pay", "refund", "cancel"])
@pytest.mark.parametrize("order_id", [7, 9223372036854775807])
async def test_a_step_of_an_unknown_order_is_not_found(world: World, name: str, order_id: int) -> None:
    answer = await step(world, order_id, name)
    assert answer.status_code == 404
    assert answer.json()["message"] == "Order not found."


# --- what the outbox is told


EIGHT = {
    "order_id": 1,
    "order_number": "ORD-000001",
    "customer_email": "jun@j.example",
    "customer_name": "Jun Park",
    "total": "45.00",
    "currency": "USD",
}
ITEMS = [
    {"product_id": 1, "product_name": "Sword", "quantity": 2, "price": "20.00"},
    {"product_id": 2, "product_name": "Map", "quantity": 1, "price": "5.00"},
]


def data(status: str, **own: Any) -> list[tuple[str, Any]]:
    """The keys in their order: the eight that all order events have, then the event's own."""
    return list((EIGHT | {"status": status, "items": ITEMS} | own).items())


async def test_each_event_carries_exactly_its_keys_and_values(world: World) -> None:
    await buyer(world)
    await new_product(world, name="Sword", price="20.00", delivery_type="keys")
    await new_product(world, name="Map", price="5.00", delivery_type="file")
    await place(world, (1, 2), (2, 1))
    world.clock.advance(MINUTE)
    await step(world, 1, "pay", {"transaction_id": "pi_1"})
    world.clock.advance(MINUTE)
    await step(world, 1, "refund", {"amount": "1.50", "reason": "late"})
    world.clock.advance(MINUTE)
    await step(world, 1, "refund")
    created, paid, completed, partly, wholly = [
        (kind, list(payload.items())) for kind, payload in await outbox(world.db)
    ]
    assert created == ("order.created", data("pending", created_at="2026-11-15T12:00:00Z"))
    assert paid == ("order.paid", data("paid"))
    assert completed == ("order.completed", data("completed", completed_at="2026-11-15T12:01:00Z"))
    assert partly == (
        "order.refunded",
        data(
            "partially_refunded",
            refund_id=1,
            refund_amount="1.50",
            refunded_total="1.50",
            is_partial=True,
            reason="late",
            refunded_at="2026-11-15T12:02:00Z",
        ),
    )
    assert wholly == (
        "order.refunded",
        data(
            "refunded",
            refund_id=2,
            refund_amount="43.50",
            refunded_total="45.00",
            is_partial=False,
            reason=None,
            refunded_at="2026-11-15T12:03:00Z",
        ),
    )


async def test_an_event_tells_the_total_after_the_discount(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world)
    await new_order(world, customer, (1, 1), coupon_code=code)
    ((_, created),) = await outbox(world.db)
    assert (created["total"], created["items"][0]["price"]) == ("18.00", "20.00")


async def test_what_is_refused_tells_the_outbox_nothing(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=0)
    await place(world, (1, 1))
    await step(world, 1, "pay")
    assert await outbox(world.db) == []
