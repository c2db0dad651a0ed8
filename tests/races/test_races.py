"""Sixty-four at once: whatever is to happen once happens once, on both engines, and every total agrees afterwards."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from lootkeep.kernel.clock import DAY
from lootkeep.storage.schema import coupons, orders, products
from tests.builders import (
    STORE,
    new_customer,
    new_order,
    new_product,
    paid_order,
    referred,
    regular_customers,
)
from tests.races.racing import AT_ONCE, ORDERS, ROUNDS, Call, assert_all_totals_agree, order_of, race, statuses
from tests.recount import rows, sent, taken
from tests.world import World

BRONZE = {"name": "Bronze", "referrals_required": 1, "reward_type": "percentage_discount", "reward_value": 10}


async def someone(world: World, **fields: Any) -> dict[str, Any]:
    customer: dict[str, Any] = (await new_customer(world, **fields))["customer"]
    return customer


async def a_referrer(world: World, product: int) -> dict[str, Any]:
    """A customer with one successful referral."""
    referrer = await someone(world)
    friend = await referred(world, referrer["referral_code"])
    await paid_order(world, friend["id"], (product, 1))
    return referrer


async def test_an_order_is_paid_once(world: World) -> None:
    customer = await someone(world)
    await new_product(world)
    for number in range(1, ROUNDS + 1):
        order = await new_order(world, customer["id"], (1, 1))
        answers = await race(world, [(f"{ORDERS}/{order['id']}/pay", {})] * AT_ONCE)
        assert statuses(answers) == {200: 1, 409: AT_ONCE - 1}
        assert (await sent(world.db)).count("order.paid") == number
        await assert_all_totals_agree(world)


async def test_one_transaction_sent_many_times_is_one_payment(world: World) -> None:
    friend = await someone(world)
    await new_product(world, delivery_type="keys")
    for number in range(1, ROUNDS + 1):
        customer = await referred(world, friend["referral_code"])
        order = await new_order(world, customer["id"], (1, 1))
        answers = await race(world, [(f"{ORDERS}/{order['id']}/pay", {"transaction_id": "pi_1"})] * AT_ONCE)
        assert statuses(answers) == {200: AT_ONCE}
        assert Counter(await sent(world.db)) == dict.fromkeys(
            ("order.created", "order.paid", "order.delivered", "order.completed"), number
        )
        await assert_all_totals_agree(world)


async def test_no_more_is_refunded_than_was_paid(world: World) -> None:
    customer = await someone(world)
    await new_product(world, price="20.00")
    for number in range(1, ROUNDS + 1):
        order = await paid_order(world, customer["id"], (1, 1))
        answers = await race(world, [(f"{ORDERS}/{order['id']}/refund", {"amount": "3.00"})] * AT_ONCE)
        assert statuses(answers) == {200: 6, 422: AT_ONCE - 6}
        assert (await rows(world.db, orders))[-1]["refunded_total"] == 1800
        assert (await sent(world.db)).count("order.refunded") == 6 * number
        await assert_all_totals_agree(world)


async def test_an_order_is_refunded_in_full_once(world: World) -> None:
    friend = await someone(world)
    await new_product(world)
    for number in range(1, ROUNDS + 1):
        customer = await referred(world, friend["referral_code"])
        order = await paid_order(world, customer["id"], (1, 1))
        answers = await race(world, [(f"{ORDERS}/{order['id']}/refund", {})] * AT_ONCE)
        assert statuses(answers) == {200: 1, 409: AT_ONCE - 1}
        assert (await sent(world.db)).count("order.refunded") == number
        await assert_all_totals_agree(world)


async def test_a_tier_is_claimed_once_and_everyone_gets_the_same_coupon(world: World) -> None:
    product = (await new_product(world))["id"]
    await world.post("/referrals/tiers", BRONZE)
    for number in range(1, ROUNDS + 1):
        referrer = await a_referrer(world, product)
        answers = await race(world, [(f"{STORE}/customers/{referrer['id']}/claims", {"tier_id": 1})] * AT_ONCE)
        assert statuses(answers) == {201: 1, 200: AT_ONCE - 1}
        assert len({answer.json()["data"]["coupon"]["code"] for answer in answers}) == 1
        assert len(await rows(world.db, coupons)) == number
        await assert_all_totals_agree(world)


async def test_the_last_ten_units_are_sold_to_ten_buyers(world: World) -> None:
    customers = await regular_customers(world, AT_ONCE)
    for number in range(ROUNDS):
        product = await new_product(world, name=f"Rare {number}", stock=10)
        answers = await race(world, [order_of(customer["id"], (product["id"], 1)) for customer in customers])
        assert statuses(answers) == {201: 10, 422: AT_ONCE - 10}
        assert (await rows(world.db, products))[-1]["stock"] == 0
        await assert_all_totals_agree(world)


async def test_a_coupon_is_used_in_one_order(world: World) -> None:
    product = (await new_product(world, stock=100))["id"]
    await world.post("/referrals/tiers", BRONZE)
    for _ in range(ROUNDS):
        referrer = await a_referrer(world, product)
        claim = await world.post(f"{STORE}/customers/{referrer['id']}/claims", {"tier_id": 1})
        code = claim.json()["data"]["coupon"]["code"]
        world.clock.advance(DAY)
        answers = await race(world, [order_of(referrer["id"], (product, 1), coupon_code=code)] * AT_ONCE)
        assert statuses(answers) == {201: 1, 422: AT_ONCE - 1}
        await assert_all_totals_agree(world)
    assert (await rows(world.db, products))[0]["stock"] == 100 - 2 * ROUNDS


async def test_free_orders_are_placed_while_other_orders_of_the_customer_are_paid(world: World) -> None:
    await world.put("/fraud/settings", {"fraud_detection_enabled": False})
    customer = await someone(world)
    await new_product(world)
    free = await new_product(world, price="0.00")
    for _ in range(ROUNDS):
        waiting = [await new_order(world, customer["id"], (free["id"], 1), (1, 1)) for _ in range(AT_ONCE // 2)]
        calls: list[Call] = [(f"{ORDERS}/{order['id']}/pay", {}) for order in waiting]
        calls += [order_of(customer["id"], (free["id"], 1))] * (AT_ONCE // 2)
        answers = await race(world, calls)
        assert statuses(answers) == {200: AT_ONCE // 2, 201: AT_ONCE // 2}
        await assert_all_totals_agree(world)


async def test_an_e_mail_is_registered_once(world: World) -> None:
    friend = await someone(world)
    for number in range(ROUNDS):
        body = {"email": f"jun{number}@j.example", "name": "Jun", "referral_code": friend["referral_code"]}
        answers = await race(world, [(f"{STORE}/customers", body)] * AT_ONCE)
        assert statuses(answers) == {201: 1, 422: AT_ONCE - 1}
        await assert_all_totals_agree(world)
    assert (await world.get("/referrals")).json()["meta"]["total"] == ROUNDS


async def test_every_sign_up_with_a_code_is_counted(world: World) -> None:
    friend = await someone(world)
    await world.put("/referrals/settings", {"referral_reward_event": "signup"})
    for number in range(1, ROUNDS + 1):
        bodies = [
            {"email": f"p{number}-{i}@mail.example", "name": f"P{i}", "referral_code": friend["referral_code"]}
            for i in range(AT_ONCE)
        ]
        answers = await race(world, [(f"{STORE}/customers", body) for body in bodies])
        assert statuses(answers) == {201: AT_ONCE}
        (entry,) = (await world.get("/referrals/leaderboard")).json()["data"]
        assert entry["referral_count"] == number * AT_ONCE
        await assert_all_totals_agree(world)


async def test_an_external_id_creates_one_order(world: World) -> None:
    customer = await someone(world)
    await new_product(world, stock=10)
    for number in range(1, ROUNDS + 1):
        answers = await race(world, [order_of(customer["id"], (1, 1), external_id=f"shop-{number}")] * AT_ONCE)
        outcomes = statuses(answers)
        # A request that comes while the first is still writing has to try again.
        assert (outcomes[201], outcomes[200] + outcomes[409]) == (1, AT_ONCE - 1)
        assert (await sent(world.db)).count("order.created") == number
        await assert_all_totals_agree(world)


async def test_an_order_is_either_paid_or_cancelled(world: World) -> None:
    product = (await new_product(world, stock=10))["id"]
    await world.post("/referrals/tiers", BRONZE)
    for _ in range(ROUNDS):
        referrer = await a_referrer(world, product)
        claim = await world.post(f"{STORE}/customers/{referrer['id']}/claims", {"tier_id": 1})
        code = claim.json()["data"]["coupon"]["code"]
        order = await new_order(world, referrer["id"], (product, 1), coupon_code=code)
        steps = [f"{ORDERS}/{order['id']}/{name}" for name in ("cancel", "pay")] * (AT_ONCE // 2)
        answers = await race(world, [(path, {}) for path in steps])
        assert statuses(answers) == {200: 1, 409: AT_ONCE - 1}
        await assert_all_totals_agree(world)
    (stocked,) = await rows(world.db, products)
    assert stocked["stock"] == 10 - (await taken(world.db, ignoring=set()))[product]


async def test_orders_of_the_same_products_never_deadlock(world: World) -> None:
    customers = await regular_customers(world, 2 * AT_ONCE)
    for name in ("Sword", "Map", "Key"):
        await new_product(world, name=name, stock=1000, delivery_type="keys")
    lines = [((1, 1), (2, 1), (3, 1)), ((3, 1), (2, 1), (1, 1)), ((2, 1), (1, 1), (3, 1))]
    halves = customers[:AT_ONCE], customers[AT_ONCE:]
    for _ in range(ROUNDS):
        carts, more = ([order_of(who["id"], *lines[who["id"] % 3]) for who in half] for half in halves)
        placed = [answer.json()["data"]["order"]["id"] for answer in await race(world, carts)]
        steps: list[Call] = [
            (f"{ORDERS}/{order_id}/{'cancel' if order_id % 4 == 0 else 'pay'}", {}) for order_id in placed
        ]
        assert statuses(await race(world, [*steps, *more])) == {200: AT_ONCE, 201: AT_ONCE}
        await assert_all_totals_agree(world)
    sold = await taken(world.db, ignoring=set())
    assert {row["id"]: row["stock"] for row in await rows(world.db, products)} == {
        number: 1000 - sold[number] for number in (1, 2, 3)
    }


async def test_concurrent_payments_and_refunds_never_deadlock(world: World) -> None:
    pairs = AT_ONCE // 2
    await new_product(world)
    friends = await asyncio.gather(*(someone(world) for _ in range(pairs)))
    brought = await asyncio.gather(*(referred(world, friend["referral_code"]) for friend in friends))
    to_pay = await asyncio.gather(*(new_order(world, who["id"], (1, 1)) for who in brought[::2]))
    to_refund = await asyncio.gather(*(paid_order(world, who["id"], (1, 1)) for who in brought[1::2]))
    for _ in range(ROUNDS):
        # The rest of a refund and a first payment meet in nothing but the totals of referrals.
        await race(world, [(f"{ORDERS}/{order['id']}/refund", {"amount": "1.00"}) for order in to_refund])
        calls: list[Call] = [(f"{ORDERS}/{order['id']}/pay", {}) for order in to_pay]
        calls += [(f"{ORDERS}/{order['id']}/refund", {}) for order in to_refund]
        assert statuses(await race(world, calls)) == {200: pairs}
        await assert_all_totals_agree(world)
        again = [new_order(world, order["customer"]["id"], (1, 1)) for order in to_refund]
        to_pay, to_refund = await asyncio.gather(*again), to_pay


async def test_an_order_is_fulfilled_once_under_concurrency(world: World) -> None:
    await new_product(world)
    for number in range(1, ROUNDS + 1):
        order = await paid_order(world, (await someone(world))["id"], (1, 2))
        part = {"items": [{"item_id": order["items"][0]["id"], "quantity": 1}]}
        calls: list[Call] = [(f"/orders/{order['id']}/fulfill", part if i % 2 else {}) for i in range(AT_ONCE)]
        assert statuses(await race(world, calls)) == {200: AT_ONCE}
        assert (await sent(world.db)).count("order.completed") == number
        await assert_all_totals_agree(world)


async def test_totals_agree_after_all_operations_run_concurrently(world: World) -> None:
    await new_product(world, stock=1000)
    await world.post("/referrals/tiers", BRONZE)
    friends = [await a_referrer(world, 1) for _ in range(4)]
    for number in range(ROUNDS):
        # Of accounts that are not new five orders in an hour are flagged at most.
        world.clock.advance(2 * DAY)
        pending = [await new_order(world, friend["id"], (1, 1)) for friend in friends]
        paid = [await paid_order(world, friend["id"], (1, 1)) for friend in friends]
        calls: list[Call] = []
        for i in range(AT_ONCE // 16):
            friend = friends[i]
            calls += [(f"{ORDERS}/{pending[i]['id']}/pay", {"transaction_id": "pi"})] * 3
            calls += [(f"{ORDERS}/{paid[i]['id']}/refund", {"amount": "10.00"})] * 3
            calls += [(f"{STORE}/customers/{friend['id']}/claims", {"tier_id": 1})] * 3
            calls += [order_of(friend["id"], (1, 1))] * 3
            calls += [
                (
                    f"{STORE}/customers",
                    {"email": f"p{number}-{i}-{j}@p.example", "name": "P", "referral_code": friend["referral_code"]},
                )
                for j in range(4)
            ]
        assert len(calls) == AT_ONCE
        await race(world, calls)
        await assert_all_totals_agree(world)
