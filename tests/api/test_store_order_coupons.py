"""Orders with a coupon: what it takes off, who may use it, and when it is used."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY
from tests.api.ordering import errors, place, step, stock_of, welcomed
from tests.builders import new_customer, new_order, new_product
from tests.recount import maintained
from tests.world import World


async def test_a_coupon_is_deducted_and_used_with_the_payment(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world, price="19.95")
    order = await new_order(world, customer, (1, 1), coupon_code=f" {code.lower()} ")
    before = (await maintained(world.db))["coupons"][1]
    paid = (await step(world, order["id"], "pay")).json()["data"]
    assert (order["subtotal"], order["discount_total"], order["total"]) == ("19.95", "2.00", "17.95")
    assert order["coupon_code"] == paid["coupon_code"] == code
    assert before == (0, 1)
    assert (await maintained(world.db))["coupons"][1] == (1, 0)
    assert (await world.get("/referrals/statistics")).json()["data"]["total_coupons_value"] == 2


async def test_yen_with_a_coupon_of_a_creator_stay_whole(world: World) -> None:
    """The provider takes whole yen only, so any other amount would fit no payment."""
    customer = (await new_customer(world))["customer"]
    await new_product(world, price="333.00", currency="JPY")
    terms = {"discount_type": "percentage", "discount_value": 15, "commission_percent": 12.5}
    await world.post("/creators", {"name": "Luna Plays", "code": "LUNA"} | terms)
    order = await new_order(world, customer["id"], (1, 1), coupon_code="LUNA")
    assert (order["discount_total"], order["amount_due"]) == ("50.00", "283.00")
    await step(world, order["id"], "pay")
    await step(world, order["id"], "refund", {"amount": "100.00"})
    ledger = (await world.get("/creators/1/ledger")).json()["data"]
    assert [entry["amount"] for entry in ledger] == ["-12.00", "35.00"]


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


async def test_a_coupon_does_not_discount_an_order_of_gift_cards_only(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world, delivery_type="gift_card", price="10000.00", stock=3)
    await new_product(world, name="Free map", price="0.00")
    sentence = "The coupon code field cannot be used here: gift cards are not discounted."
    for lines in ([(1, 1)], [(1, 1), (2, 1)]):
        answer = await place(world, *lines, customer_id=customer, coupon_code=code)
        assert errors(answer) == {"coupon_code": [sentence]}
    assert await stock_of(world, 1) == 3
    assert (await maintained(world.db))["coupons"][1] == (0, 0)


@pytest.mark.parametrize(("kind", "value", "discount"), [("percentage", 10, "2.00"), ("fixed", "500.00", "20.00")])
async def test_a_coupon_applies_to_lines_that_are_not_gift_cards(
    world: World, kind: str, value: Any, discount: str
) -> None:
    customer, code = await welcomed(world, kind, value)
    await new_product(world, price="20.00")
    await new_product(world, name="Gift card", delivery_type="gift_card", price="50.00")
    order = await new_order(world, customer, (2, 2), (1, 1), coupon_code=code)
    assert (order["subtotal"], order["discount_total"]) == ("120.00", discount)
    assert (await maintained(world.db))["coupons"][1] == (0, 1)


async def test_a_past_order_keeps_its_discount_and_issues_no_cards(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world, delivery_type="gift_card", price="50.00")
    times = {"created_at": "2026-11-01T00:00:00Z", "paid_at": "2026-11-01T00:00:00Z"}
    order = await new_order(world, customer, (1, 1), coupon_code=code, **times)
    assert (order["discount_total"], order["status"]) == ("5.00", "completed")
    assert (await world.get("/gift-cards")).json()["data"] == []


async def test_another_customers_coupon_looks_nonexistent(world: World) -> None:
    _, code = await welcomed(world)
    stranger = (await new_customer(world))["customer"]["id"]
    await new_product(world)
    strangers_answer = await place(world, (1, 1), customer_id=stranger, coupon_code=code)
    unknown = await place(world, (1, 1), customer_id=stranger, coupon_code="HI-NOPENOPE")
    assert errors(strangers_answer) == {"coupon_code": ["The coupon code field is not a coupon of this customer."]}
    assert errors(unknown) == errors(strangers_answer)


@pytest.mark.parametrize("steps", [["pay"], [], ["pay", "refund"]])
async def test_a_used_or_reserved_coupon_cannot_be_used_again(world: World, steps: list[str]) -> None:
    customer, code = await welcomed(world)
    await new_product(world, stock=5)
    order = await new_order(world, customer, (1, 1), coupon_code=code)
    for name in steps:
        await step(world, order["id"], name)
    again = await place(world, (1, 1), customer_id=customer, coupon_code=code)
    assert errors(again) == {"coupon_code": ["The coupon code field is a coupon that has already been used."]}
    assert await stock_of(world, 1) == 4


async def test_cancelling_an_order_returns_its_coupon(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world)
    await new_order(world, customer, (1, 1), coupon_code=code)
    await step(world, 1, "cancel")
    assert (await maintained(world.db))["coupons"][1] == (0, 0)
    assert (await new_order(world, customer, (1, 2), coupon_code=code))["discount_total"] == "4.00"


@pytest.mark.parametrize(("early", "status"), [(1, 201), (0, 422)])
async def test_a_coupon_expires_by_the_clock(world: World, early: int, status: int) -> None:
    customer, code = await welcomed(world)
    await new_product(world)
    world.clock.advance(30 * DAY - early)
    answer = await place(world, (1, 1), customer_id=customer, coupon_code=code)
    assert answer.status_code == status
    if status == 422:
        assert errors(answer) == {"coupon_code": ["The coupon code field is a coupon that has expired."]}


async def test_a_coupon_that_expires_while_it_is_reserved_is_still_used(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world)
    await new_order(world, customer, (1, 1), coupon_code=code)
    world.clock.advance(31 * DAY)
    assert (await step(world, 1, "pay")).json()["data"]["total"] == "18.00"
    assert (await maintained(world.db))["coupons"][1] == (1, 0)


async def test_a_fixed_coupon_is_rejected_in_another_currency_and_a_percentage_is_not(world: World) -> None:
    customer, fixed = await welcomed(world, "fixed", 5)
    other, percentage = await welcomed(world)
    await new_product(world, currency="EUR")
    refused = await place(world, (1, 1), customer_id=customer, coupon_code=fixed)
    taken = await place(world, (1, 1), customer_id=other, coupon_code=percentage)
    assert errors(refused) == {"coupon_code": ["The coupon code field is a coupon in USD, not EUR."]}
    assert taken.json()["data"]["order"]["discount_total"] == "2.00"
