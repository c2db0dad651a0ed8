"""Coupons at once: the last use goes to one order, and orders, payments and cancellations never deadlock."""

from __future__ import annotations

import asyncio

from tests.builders import new_gift_card, new_order, new_product, paid_order, regular_customers
from tests.races.racing import AT_ONCE, ORDERS, ROUNDS, Call, assert_all_totals_agree, order_of, race, statuses
from tests.world import World

SALE = {"discount_type": "percentage", "discount_value": 20}
DISPUTES = ("dispute", "dispute_won")


async def test_the_last_uses_of_a_coupon_go_to_as_many_orders(world: World) -> None:
    customers = await regular_customers(world, AT_ONCE)
    await new_product(world)
    for number, left in enumerate((1, 10, 1)):
        code = f"SALE{number}"
        await world.post("/coupons", SALE | {"code": code, "max_uses": left})
        answers = await race(world, [order_of(it["id"], (1, 1), coupon_code=code) for it in customers])
        assert statuses(answers) == {201: left, 422: AT_ONCE - left}
        rejected = {answer.json()["code"] for answer in answers if answer.status_code == 422}
        assert rejected == {"coupon_used_up"}
        await assert_all_totals_agree(world)


async def test_one_customer_uses_a_coupon_once_with_any_number_of_orders_at_once(world: World) -> None:
    customers = await regular_customers(world, ROUNDS)
    await new_product(world)
    await world.post("/coupons", SALE | {"code": "SALE"})
    for customer in customers:
        answers = await race(world, [order_of(customer["id"], (1, 1), coupon_code="SALE")] * AT_ONCE)
        assert statuses(answers) == {201: 1, 422: AT_ONCE - 1}
        await assert_all_totals_agree(world)


async def test_orders_payments_and_cancellations_with_one_coupon_never_deadlock(world: World) -> None:
    customers = await regular_customers(world, AT_ONCE)
    await new_product(world, stock=10_000)
    await new_product(world, name="Key", stock=500, delivery_type="keys")
    await world.post("/coupons", SALE | {"code": "SALE", "max_uses_per_customer": None})
    lines = ((1, 1), (2, 1))
    for _ in range(ROUNDS):
        placed = [(await new_order(world, it["id"], *lines, coupon_code="SALE"))["id"] for it in customers[::2]]
        steps = ["pay", "cancel"]
        calls: list[Call] = [(f"{ORDERS}/{order}/{steps[number % 2]}", {}) for number, order in enumerate(placed)]
        calls += [order_of(it["id"], *lines, coupon_code="SALE") for it in customers[1::2]]
        answers = await race(world, calls)
        assert set(statuses(answers)) == {200, 201}
        await assert_all_totals_agree(world)


async def test_orders_and_cancellations_with_one_coupon_and_one_gift_card_never_deadlock(world: World) -> None:
    customers = await regular_customers(world, AT_ONCE)
    await new_product(world, stock=10_000)
    # No card pays for a card: the orders stay open, and can be cancelled.
    await new_product(world, name="Card", delivery_type="gift_card")
    await new_gift_card(world, initial_balance="9000.00", code="GIFT-CARD-7K2P")
    await world.post("/coupons", SALE | {"code": "SALE", "max_uses_per_customer": None})
    both = {"coupon_code": "SALE", "gift_card_code": "GIFT-CARD-7K2P"}
    lines = ((1, 1), (2, 1))
    for _ in range(ROUNDS):
        placed = [(await new_order(world, it["id"], *lines, **both))["id"] for it in customers[:32]]
        calls: list[Call] = [(f"{ORDERS}/{order}/cancel", {}) for order in placed]
        calls += [order_of(it["id"], *lines, **both) for it in customers[32:]]
        answers = await race(world, calls)
        assert set(statuses(answers)) == {200, 201}
        await assert_all_totals_agree(world)


async def test_a_coupon_that_is_deleted_while_orders_name_it_is_gone_or_stays_with_its_orders(world: World) -> None:
    customers = await regular_customers(world, AT_ONCE)
    await new_product(world)
    for number in range(ROUNDS):
        coupon = (await world.post("/coupons", SALE | {"code": f"SALE{number}"})).json()["data"]
        orders = [order_of(it["id"], (1, 1), coupon_code=coupon["code"]) for it in customers]
        answers, deleted = await asyncio.gather(race(world, orders), world.delete(f"/coupons/{coupon['id']}"))
        assert (deleted.status_code, statuses(answers)) in [(200, {422: AT_ONCE}), (409, {201: AT_ONCE})]
        await assert_all_totals_agree(world)


async def test_payments_refunds_disputes_and_payouts_at_once_leave_the_ledger_right(world: World) -> None:
    customers = await regular_customers(world, 16)
    await new_product(world, price="9.99")
    creator = {"name": "Luna", "code": "LUNA", "commission_percent": "12.34", "hold_days": 0}
    await world.post("/creators", creator)
    for number in range(ROUNDS):
        calls: list[Call] = []
        for customer in customers:
            order = (await paid_order(world, customer["id"], (1, 2), coupon_code="LUNA"))["id"]
            calls += [(f"{ORDERS}/{order}/refund", {"amount": "3.33"})] * 2
            calls += [(f"{ORDERS}/{order}/dispute", {"kind": kind, "reason": "other"}) for kind in DISPUTES]
        # All of it is paid out once.
        due = (await world.get("/creators/1")).json()["data"]["balance"]["due"]
        payouts: list[Call] = [
            ("/creators/1/payouts", {"amount": due, "reference": f"{number}-{index % 2}"}) for index in range(8)
        ]
        answers = await race(world, payouts)
        assert statuses(answers) == {201: 1, 200: 3, 422: 4}
        await race(world, [*calls, *payouts[:4]])
        await assert_all_totals_agree(world)
