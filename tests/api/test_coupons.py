"""Coupons of the owner: making, generating, changing and deleting them, and the orders that use them."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from lootkeep.kernel.clock import DAY
from tests.api.ordering import errors, place, step, welcomed
from tests.builders import SALE, STORE, new_coupon, new_customer, new_order, new_product, paid_order, regular_customers
from tests.recount import maintained, recounted
from tests.world import World


async def preview(world: World, *lines: tuple[int, int], code: str = "SALE20", **fields: Any) -> dict[str, Any]:
    items = [{"product_id": product_id, "quantity": quantity} for product_id, quantity in lines]
    answer = await world.post(f"{STORE}/coupons/preview", {"code": code, "items": items} | fields)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def code_of(answer: httpx.Response) -> str:
    assert answer.status_code == 422, answer.text
    body = answer.json()
    assert list(body["errors"]) == ["coupon_code"]
    return str(body["code"])


async def test_a_coupon_is_created_with_its_defaults(world: World) -> None:
    answer = await world.post("/coupons", SALE)
    assert answer.json() == {
        "success": True,
        "message": "Coupon created successfully",
        "data": {
            "id": 1,
            "code": "SALE20",
            "origin": "owner",
            "state": "active",
            "discount_type": "percentage",
            "discount_value": "20.00",
            "currency": None,
            "product_ids": [],
            "categories": [],
            "min_total": None,
            "first_order_only": False,
            "max_uses": None,
            "max_uses_per_customer": 1,
            "starts_at": None,
            "ends_at": None,
            "is_active": True,
            "note": None,
            "batch": None,
            "customer_id": None,
            "uses_count": 0,
            "reserved_count": 0,
            "created_at": "2026-11-15T12:00:00Z",
            "updated_at": "2026-11-15T12:00:00Z",
        },
    }
    assert (await world.get("/coupons/1")).json()["data"] == answer.json()["data"]


async def test_a_fixed_coupon_without_a_currency_is_in_the_stores_and_a_code_is_generated(world: World) -> None:
    coupon = await new_coupon(world, code=None, discount_type="fixed", discount_value="5.00")
    assert (coupon["currency"], len(coupon["code"])) == ("USD", 8)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"code": "abc"}, "code"),
        ({"code": "x" * 41}, "code"),
        ({"code": "SALE!"}, "code"),
        ({"code": "TAKEN"}, "code"),
        ({"code": " ta ken"}, "code"),
        ({"discount_value": "100.01"}, "discount_value"),
        ({"discount_value": 0}, "discount_value"),
        ({"discount_type": "free"}, "discount_type"),
        ({"product_ids": [7]}, "product_ids.0"),
        ({"max_uses": 0}, "max_uses"),
        ({"starts_at": "2026-11-16T00:00:00Z", "ends_at": "2026-11-16T00:00:00Z"}, "ends_at"),
    ],
)
async def test_a_coupon_that_makes_no_sense_is_refused(world: World, fields: dict[str, Any], field: str) -> None:
    await new_coupon(world, code="taken")
    assert list(errors(await world.post("/coupons", SALE | fields))) == [field]
    assert (await world.get("/coupons")).json()["meta"]["total"] == 1


async def test_only_lines_that_match_are_discounted_and_the_minimum_looks_at_all(world: World) -> None:
    customer = (await new_customer(world))["customer"]["id"]
    await new_product(world, price="10.00", category="Ranks")
    await new_product(world, name="Crate", price="30.00", category="Keys")
    await new_product(world, name="Map", price="50.00", category="Maps")
    await new_product(world, name="Card", delivery_type="gift_card", price="25.00", category="Ranks")
    await new_coupon(world, product_ids=[2], categories=["Ranks"], min_total="40.00")
    assert code_of(await place(world, (1, 1), customer_id=customer, coupon_code="SALE20")) == "coupon_below_minimum"
    assert code_of(await place(world, (3, 1), customer_id=customer, coupon_code="SALE20")) == "coupon_no_product"
    order = await new_order(world, customer, (1, 1), (2, 1), (3, 1), (4, 1), coupon_code=" sale20 ")
    assert (order["subtotal"], order["discount_total"], order["coupon_code"]) == ("115.00", "8.00", "SALE20")


async def test_a_customer_orders_only_once_with_coupons_for_the_first_order(world: World) -> None:
    (buyer,) = await regular_customers(world, 1)
    await new_product(world, price="10.00")
    for code in ("FIRST1", "FIRST2"):
        await new_coupon(world, code=code, first_order_only=True, max_uses_per_customer=None)
    # A cart that was left at the full price takes nothing away.
    await place(world, (1, 1), customer_id=buyer["id"])
    first = await place(world, (1, 1), customer_id=buyer["id"], coupon_code="FIRST1")
    assert first.status_code == 201
    for code in ("FIRST1", "FIRST2"):
        again = await place(world, (1, 1), customer_id=buyer["id"], coupon_code=code)
        assert code_of(again) == "coupon_not_first_order"
    await step(world, first.json()["data"]["order"]["id"], "cancel")
    assert (await place(world, (1, 1), customer_id=buyer["id"], coupon_code="FIRST2")).status_code == 201


async def test_a_coupon_is_refused_with_its_reason_at_the_checkout_and_in_the_preview(world: World) -> None:
    buyer, regular = await regular_customers(world, 2)
    await new_product(world, price="10.00")
    await paid_order(world, regular["id"], (1, 1))
    cases: list[tuple[str, int, dict[str, Any]]] = [
        ("scheduled", buyer["id"], {"starts_at": "2027-01-01T00:00:00Z"}),
        ("expired", buyer["id"], {"ends_at": "2026-11-15T12:00:01Z"}),
        ("inactive", buyer["id"], {"is_active": False}),
        ("not_first_order", regular["id"], {"first_order_only": True}),
        ("below_minimum", buyer["id"], {"min_total": "10.01"}),
        ("currency", buyer["id"], {"discount_type": "fixed", "currency": "EUR"}),
    ]
    for number, (reason, customer, fields) in enumerate(cases):
        code = (await new_coupon(world, code=f"CASE{number}", **fields))["code"]
        assert code_of(await place(world, (1, 1), customer_id=customer, coupon_code=code)) == f"coupon_{reason}"
        expected = {"valid": False, "reason": reason, "discount_total": "0.00", "total": "10.00"}
        assert await preview(world, (1, 1), code=code, customer_id=customer) == expected
    assert code_of(await place(world, (1, 1), customer_id=buyer["id"], coupon_code="NOPE")) == "coupon_unknown"
    assert (await preview(world, (1, 1), code="NOPE"))["reason"] == "unknown"


async def test_a_preview_prices_a_cart_and_reserves_nothing(world: World) -> None:
    await new_product(world, price="9.99")
    await new_coupon(world, max_uses=1)
    for _ in range(2):
        seen = await preview(world, (1, 2), code=" Sale 20")
        assert seen == {"valid": True, "reason": None, "discount_total": "4.00", "total": "15.98"}
    assert (await world.get("/coupons/1")).json()["data"]["reserved_count"] == 0


async def test_a_preview_of_a_referral_coupon_says_whose_it_is(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world)
    assert (await preview(world, (1, 1), code=code))["reason"] == "not_yours"
    assert (await preview(world, (1, 1), code=code, customer_id=1))["reason"] == "not_yours"
    assert (await preview(world, (1, 1), code=code, customer_id=customer))["valid"]


async def test_a_coupon_is_reserved_used_and_released(world: World) -> None:
    first, second, third = await regular_customers(world, 3)
    await new_product(world)
    await new_coupon(world, max_uses=2)
    cancelled = await new_order(world, first["id"], (1, 1), coupon_code="SALE20")
    paid = await paid_order(world, second["id"], (1, 1), coupon_code="SALE20")
    assert code_of(await place(world, (1, 1), customer_id=third["id"], coupon_code="SALE20")) == "coupon_used_up"
    assert (await world.get("/coupons/1")).json()["data"]["state"] == "used_up"
    await step(world, cancelled["id"], "cancel")
    world.clock.advance(DAY)
    await new_order(world, third["id"], (1, 1), coupon_code="SALE20")
    # A full refund gives no use back.
    await step(world, paid["id"], "refund")
    uses = (await world.get("/coupons/1/uses")).json()
    assert [(use["customer_id"], use["discount"], use["state"]) for use in uses["data"]] == [
        (third["id"], "4.00", "reserved"),
        (second["id"], "4.00", "used"),
    ]
    assert uses["meta"]["total"] == 2
    coupon = (await world.get("/coupons/1")).json()["data"]
    assert (coupon["uses_count"], coupon["reserved_count"]) == (1, 1)
    assert await maintained(world.db) == await recounted(world.db)


async def test_each_customer_can_use_it_as_often_as_it_says(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world)
    await new_coupon(world, max_uses_per_customer=2)
    order = await new_order(world, customer["id"], (1, 1), coupon_code="SALE20")
    await new_order(world, customer["id"], (1, 1), coupon_code="SALE20")
    again = await place(world, (1, 1), customer_id=customer["id"], coupon_code="SALE20")
    assert code_of(again) == "coupon_used_by_customer"
    await step(world, order["id"], "cancel")
    await new_order(world, customer["id"], (1, 1), coupon_code="SALE20")


async def test_the_discounts_of_the_owner_do_not_count_as_those_of_referrals(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world)
    await new_coupon(world)
    await paid_order(world, customer["id"], (1, 1), coupon_code="SALE20")
    assert (await world.get("/referrals/statistics")).json()["data"]["total_coupons_value"] == 0


async def test_a_used_coupon_keeps_its_terms_and_cannot_be_deleted(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world)
    await new_coupon(world)
    assert (await world.put("/coupons/1", {"discount_value": 25, "code": "sale25"})).status_code == 200
    order = await new_order(world, customer["id"], (1, 1), coupon_code="SALE25")
    assert order["discount_total"] == "5.00"
    assert (await world.delete("/coupons/1")).json()["code"] == "coupon_used"
    await step(world, order["id"], "pay")
    for fields in ({"discount_value": 10}, {"code": "OTHER"}, {"min_total": 5}, {"categories": ["Ranks"]}):
        answer = await world.put("/coupons/1", fields)
        assert (answer.status_code, answer.json()["code"]) == (409, "coupon_used")
    assert (await world.delete("/coupons/1")).status_code == 409
    end = "2027-01-01T00:00:00Z"
    changes = {"max_uses": 3, "max_uses_per_customer": None, "ends_at": end, "is_active": False, "note": "Over."}
    changed = (await world.put("/coupons/1", changes | {"discount_value": "25.00"})).json()["data"]
    assert {name: changed[name] for name in changes} == changes
    assert changed["state"] == "inactive"
    assert list(errors(await world.put("/coupons/1", {"max_uses": 0}))) == ["max_uses"]


async def test_a_limit_below_what_is_used_is_refused(world: World) -> None:
    await new_product(world)
    await new_coupon(world)
    for customer in await regular_customers(world, 2):
        await new_order(world, customer["id"], (1, 1), coupon_code="SALE20")
    sentence = "The max uses field must be at least 2: it is used that often."
    assert errors(await world.put("/coupons/1", {"max_uses": 1})) == {"max_uses": [sentence]}
    assert (await world.put("/coupons/1", {"max_uses": 2})).json()["data"]["state"] == "used_up"


async def test_an_unused_coupon_is_deleted_and_its_code_is_free_again(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world)
    await new_coupon(world)
    order = await new_order(world, customer["id"], (1, 1), coupon_code="SALE20")
    await step(world, order["id"], "cancel")
    assert (await world.delete("/coupons/1")).json() == {"success": True, "message": "Coupon deleted successfully"}
    assert (await world.get("/coupons/1")).status_code == 404
    assert (await world.get(f"/orders/{order['id']}")).json()["data"]["coupon_code"] == "SALE20"
    await new_coupon(world)
    assert (await world.get("/coupons/2/uses")).json()["data"] == []


async def test_a_renamed_coupon_is_deleted_too_and_its_orders_keep_the_code_they_were_placed_with(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world)
    await new_coupon(world)
    order = await new_order(world, customer["id"], (1, 1), coupon_code="SALE20")
    await step(world, order["id"], "cancel")
    assert (await world.put("/coupons/1", {"code": "AUTUMN"})).status_code == 200
    assert (await world.delete("/coupons/1")).status_code == 200
    assert (await world.get(f"/orders/{order['id']}")).json()["data"]["coupon_code"] == "SALE20"


async def test_coupons_of_referrals_are_listed_and_keep_what_was_promised(world: World) -> None:
    _, code = await welcomed(world)
    (coupon,) = (await world.get("/coupons?origin=welcome")).json()["data"]
    assert (coupon["code"], coupon["max_uses"], coupon["customer_id"]) == (code, 1, 2)
    for fields in ({"max_uses": 5}, {"discount_value": 90}):
        assert (await world.put("/coupons/1", fields)).json()["code"] == "coupon_not_own"
    assert list(errors(await world.put("/coupons/1", {"ends_at": None}))) == ["ends_at"]
    assert (await world.delete("/coupons/1")).status_code == 409
    assert (await world.put("/coupons/1", {"is_active": False})).json()["data"]["state"] == "inactive"


async def test_many_coupons_are_generated_in_a_batch(world: World) -> None:
    terms = {"discount_type": "fixed", "discount_value": "5.00", "max_uses": 1}
    answer = await world.post("/coupons/generate", terms | {"count": 300, "prefix": "x mas-"})
    generated = answer.json()["data"]
    assert (answer.status_code, generated["created"]) == (201, 300)
    await new_coupon(world)
    listed = (await world.get(f"/coupons?batch={generated['batch']}&per_page=100&page=3")).json()
    assert listed["meta"]["total"] == 300
    codes = {coupon["code"] for coupon in listed["data"]}
    assert len(codes) == 100
    assert all(code.startswith("XMAS-") and len(code) == 13 for code in codes)
    assert list(errors(await world.post("/coupons/generate", terms | {"count": 10_001}))) == ["count"]
    assert list(errors(await world.post("/coupons/generate", terms | {"count": 1, "prefix": "a" * 21}))) == ["prefix"]


async def test_imported_orders_use_a_coupon_no_more_often_than_it_can_be(world: World) -> None:
    customers = await regular_customers(world, 3)
    await new_product(world)
    await new_coupon(world, max_uses=2)
    times = {"created_at": "2026-11-01T00:00:00Z", "paid_at": "2026-11-01T00:00:00Z"}
    lines = {"items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9", "coupon_code": "SALE20"}
    carts = [lines | times | {"customer_id": customer["id"]} for customer in customers]
    statuses = [(await world.post(f"{STORE}/orders", cart)).status_code for cart in carts]
    assert statuses == [201, 201, 422]
    assert (await maintained(world.db))["coupons"] == {1: (2, 0)}
