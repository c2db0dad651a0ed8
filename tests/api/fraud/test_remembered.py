"""Signals from history: earlier orders, devices, the age of an account, and rejected referrals."""

from __future__ import annotations

import asyncio
from typing import Any

from lootkeep.kernel.clock import Instant, iso
from lootkeep.services import fraud_amounts as fraud_amounts_service
from tests.api.fraud.shop import DAY, ORDERS, check, judged, place, regular, settings, shop
from tests.builders import new_customer
from tests.recount import maintained, recounted
from tests.world import World

MINUTE = 60_000_000


async def test_the_order_after_the_limit_exceeds_the_velocity_until_the_window_has_passed(world: World) -> None:
    await shop(world)
    customers = [await regular(world) for _ in range(7)]
    await settings(world, fraud_velocity_limit_orders_per_ip=5, fraud_velocity_window_minutes=60)
    flags: list[bool] = []
    for customer in customers[:6]:
        await judged(world, customer)
        world.clock.advance(MINUTE)
        flags.append((await check(world, len(flags) + 1))["check"]["has_velocity_violation"])
    world.clock.advance(55 * MINUTE)
    await judged(world, customers[6])
    assert flags == [False] * 5 + [True]
    assert (await check(world, 7))["check"]["has_velocity_violation"] is False


async def test_mailbox_velocity_ignores_tags(world: World) -> None:
    await shop(world)
    accounts = [await regular(world, email=f"jun{tag}@j.example") for tag in ("", "+a", "+b")]
    for number, customer in enumerate([*accounts, accounts[0]]):
        await judged(world, customer, ip_address=f"203.0.113.{number + 1}")
    assert "velocity_email" not in (await check(world, 3))["check"]["signals"]
    assert "velocity_email" in (await check(world, 4))["check"]["signals"]


async def test_failed_calls_do_not_count_towards_the_velocity(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    for _ in range(10):
        assert (await place(world, customer, items=[{"product_id": 99, "quantity": 1}])).status_code == 422
    assert (await judged(world, customer))["fraud_check"]["risk_score"] == 0


async def test_velocity_is_exact_for_sixty_four_concurrent_orders(world: World) -> None:
    await shop(world)
    customers = [await regular(world) for _ in range(64)]
    await settings(world, fraud_velocity_limit_orders_per_ip=5, fraud_action="flag")

    async def served(customer: int) -> dict[str, Any]:
        while True:
            answer = await place(world, customer)
            if answer.status_code != 503:
                return dict(answer.json()["data"])

    await asyncio.gather(*(served(customer) for customer in customers))
    flags = [(await check(world, number))["check"]["has_velocity_violation"] for number in range(1, 65)]
    assert flags.count(False) == 5
    assert await maintained(world.deps.db) == await recounted(world.deps.db)


async def test_accounts_on_one_device_are_remembered_for_two_years(world: World) -> None:
    await shop(world)
    first, second, third = [await regular(world) for _ in range(3)]
    await judged(world, first, device_id="d-1")
    world.clock.advance(729 * DAY)
    await judged(world, second, device_id="d-1", ip_address="203.0.113.2")
    world.clock.advance(731 * DAY)
    await judged(world, third, device_id="d-1", ip_address="203.0.113.3")
    assert (await check(world, 2))["check"]["signals"] == {"device_reuse": 12}
    assert (await check(world, 3))["check"]["signals"] == {}


async def test_later_accounts_on_a_device_are_suspected_and_the_first_is_not(world: World) -> None:
    await shop(world)
    owner = await regular(world, device_id="d-1")
    newcomer = await regular(world, device_id="d-1")
    for customer in (newcomer, owner):
        await judged(world, customer, device_id="d-1", ip_address=f"203.0.113.{customer}")
        world.clock.advance(DAY)
    assert (await check(world, 1))["check"]["signals"] == {"device_reuse": 12, "device_newcomer": 8}
    assert (await check(world, 2))["check"]["signals"] == {"device_reuse": 12}


async def test_a_new_customer_who_keeps_ordering_is_in_a_burst_for_a_week(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    for wait in (0, 2 * 60 * MINUTE, 2 * 60 * MINUTE, 8 * DAY, MINUTE):
        world.clock.advance(wait)
        await judged(world, customer)
    points = [(await check(world, number))["check"]["signals"].get("order_burst", 0) for number in range(1, 6)]
    assert points == [0, 5, 15, 0, 0]


async def test_an_old_paid_order_counts_in_favour_but_not_on_a_new_device(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    await judged(world, customer, device_id="d-1")
    await world.post(f"{ORDERS}/1/pay", {})
    world.clock.advance(61 * DAY)
    await judged(world, customer, device_id="d-1")
    await judged(world, customer, device_id="d-2")
    checks = [(await check(world, number)) for number in (2, 3)]
    assert [details["check"]["signals"] for details in checks] == [{"trusted_customer": -15}, {}]
    assert [details["detected_signals"] for details in checks] == [[], []]


async def test_an_order_is_large_compared_with_earlier_orders(world: World) -> None:
    await shop(world)
    customers = [await regular(world) for _ in range(4)]
    for number in range(100):
        await judged(world, customers[number % 4], created_at=iso(Instant(world.clock.now() - DAY)))
    world.clock.advance(7 * DAY)
    await fraud_amounts_service.refresh(world.deps)
    for quantity in (1, 2):
        await judged(world, customers[0], items=[{"product_id": 1, "quantity": quantity}])
    points = [(await check(world, number))["check"]["signals"].get("large_order", 0) for number in (101, 102)]
    assert points == [0, 5]


async def test_an_account_one_minute_old_counts_more_than_one_hour_old(world: World) -> None:
    await shop(world)
    scores: list[int] = []
    for wait in (0, 30 * MINUTE, 20 * 60 * MINUTE, 2 * DAY):
        customer = (await new_customer(world))["customer"]["id"]
        world.clock.advance(wait)
        data = await judged(world, customer, ip_address=f"203.0.113.{len(scores) + 1}")
        scores.append(data["fraud_check"]["risk_score"])
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4
    assert scores[-1] == 0


async def test_a_rejected_referral_counts_against_the_buyer(world: World) -> None:
    await shop(world)
    referrer = (await new_customer(world, device_id="d-1"))["customer"]
    await new_customer(world, referral_code=referrer["referral_code"], device_id="d-1")
    world.clock.advance(200 * DAY)
    await judged(world, 2)
    assert (await check(world, 1))["check"]["signals"] == {"referral_abuse": 15}
