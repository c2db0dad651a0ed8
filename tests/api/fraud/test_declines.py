"""Declined payments: how they are recorded, and what they count for the next order."""

from __future__ import annotations

from typing import Any

from lootkeep.storage.schema import payment_attempts, sightings
from tests.api.fraud.shop import DAY, ORDERS, check, decline, judged, regular, settings, shop
from tests.recount import rows
from tests.world import World

MINUTE = 60_000_000


async def signals(world: World, number: int) -> dict[str, int]:
    return dict((await check(world, number))["check"]["signals"])


async def declined(world: World, declines: int, *, ago: int = MINUTE, **fields: Any) -> int:
    """An order whose payments were declined."""
    order = await judged(world, await regular(world), **fields)
    for _ in range(declines):
        assert (await decline(world, order["order"]["id"])).status_code == 201
    world.clock.advance(ago)
    return int(order["order"]["customer"]["id"])


async def test_repeating_the_external_id_of_a_decline_returns_the_same_decline(world: World) -> None:
    await shop(world)
    await judged(world, await regular(world))
    sent = {"reason": "insufficient_funds", "external_id": "pi_1"}
    first, again = await decline(world, 1, **sent), await decline(world, 1, **sent)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["data"] == again.json()["data"]
    assert first.json()["data"] | {"at": None} == {"id": 1, "order_id": 1, "at": None} | sent
    assert len(await rows(world.db, payment_attempts)) == 1


async def test_declines_of_an_account_count_above_the_limit_and_double_above_twice_the_limit(world: World) -> None:
    await shop(world)
    await settings(world, fraud_velocity_limit_declines=2, fraud_action="flag")
    for number, declines in enumerate((2, 3, 4, 5)):
        buyer = await declined(world, declines, ip_address=f"203.0.113.{number}")
        await judged(world, buyer, ip_address=f"192.0.2.{number}")
    points = [(await signals(world, number)).get("card_testing", 0) for number in (2, 4, 6, 8)]
    assert points == [0, 20, 20, 40]


async def test_declines_on_a_device_or_an_ip_count_for_other_accounts(world: World) -> None:
    await shop(world)
    other_customers = [await regular(world) for _ in range(3)]
    await declined(world, 6, device_id="d", ip_address="2001:db8::1")
    for customer, fields in zip(other_customers, ({"device_id": "d"}, {"ip_address": "2001:db8::2"}, {}), strict=True):
        await judged(world, customer, **{"ip_address": "192.0.2.1"} | fields)
    points = [(await signals(world, number)).get("card_testing", 0) for number in (2, 3, 4)]
    assert points == [20, 20, 0]


async def test_declines_are_forgotten_after_the_window(world: World) -> None:
    await shop(world)
    customer = await declined(world, 6, ago=60 * MINUTE)
    await judged(world, customer)
    assert "card_testing" not in await signals(world, 2)


async def test_a_declined_card_is_not_the_accounts(world: World) -> None:
    await shop(world)
    first, second = await regular(world), await regular(world)
    await judged(world, first)
    await decline(world, 1, payment={"fingerprint": "fp_tried"})
    await judged(world, second, payment={"fingerprint": "fp_tried"}, ip_address="192.0.2.1")
    await judged(world, first, payment={"fingerprint": "fp_own"}, ip_address="192.0.2.2")
    assert [await signals(world, number) for number in (2, 3)] == [{}, {"order_burst": 5}]
    assert "fp_tried" not in str([await rows(world.db, table) for table in (payment_attempts, sightings)])


async def test_a_decline_can_be_reported_with_a_past_time(world: World) -> None:
    await shop(world)
    placed = (await judged(world, await regular(world)))["order"]["created_at"]
    world.clock.advance(DAY)
    assert (await decline(world, 1, at=placed)).json()["data"]["at"] == placed
    for at in ("2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z"):
        assert list((await decline(world, 1, at=at)).json()["errors"]) == ["at"]
    assert (await world.post(f"{ORDERS}/99/payment-attempts", {})).status_code == 404
