"""IPs are counted by network: a buyer with one IPv6 address has its whole /64, so changing it does not help."""

from __future__ import annotations

from tests.api.fraud.shop import check, judged, regular, settings, shop
from tests.world import World


async def test_orders_from_one_ipv6_network_exceed_the_ip_velocity(world: World) -> None:
    await shop(world)
    await settings(world, fraud_velocity_limit_orders_per_ip=2)
    customers = [await regular(world) for _ in range(4)]
    for number, customer in enumerate(customers[:3]):
        await judged(world, customer, ip_address=f"2001:db8:0:7:{number}::{number + 1}")
    await judged(world, customers[3], ip_address="2001:db8:0:8::1")
    signals = [(await check(world, number))["check"]["signals"] for number in range(1, 5)]
    assert ["velocity_ip" in names for names in signals] == [False, False, True, False]
    assert ["ip_accounts" in names for names in signals] == [False, True, True, False]


async def test_a_check_shows_the_whole_ip(world: World) -> None:
    await shop(world)
    await judged(world, await regular(world), ip_address="2001:DB8:0:7:0:0:0:9")
    assert (await check(world, 1))["check"]["ip_address"] == "2001:db8:0:7::9"


async def test_an_ip_is_explained_by_the_orders_of_its_network(world: World) -> None:
    await shop(world)
    await settings(world, fraud_velocity_limit_orders_per_ip=1)
    await judged(world, await regular(world), ip_address="2001:db8:0:7::1")
    data = (await world.get("/fraud/explain", params={"ip": "2001:db8:0:7:a:b:c:d"})).json()["data"]
    assert [signal["name"] for signal in data["signals"]] == ["velocity_ip", "ip_accounts"]


async def test_the_whitelist_holds_single_ips(world: World) -> None:
    await shop(world)
    await settings(world, fraud_velocity_limit_orders_per_ip=1, fraud_whitelisted_ips=["2001:db8:0:7::1"])
    customers = [await regular(world, email=f"{name}@trash.example") for name in "abcd"]
    for number, customer in enumerate(customers):
        await judged(world, customer, ip_address=f"2001:db8:0:7::{number % 2 + 1}", user_agent="curl/8.0")
    actions = [(await check(world, number))["check"]["action_taken"] for number in (3, 4)]
    assert actions == ["allowed", "flagged"]
