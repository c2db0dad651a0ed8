"""A what-if compares settings alone: lists, rules and outcomes are those of now on both sides."""

from __future__ import annotations

from tests.api.fraud.shop import judged, regular, settings, shop
from tests.world import World


async def test_a_list_that_changed_since_is_no_difference_between_two_settings(world: World) -> None:
    await shop(world)
    await settings(world, fraud_custom_blocked_countries=["DE"])
    order = await judged(world, await regular(world), billing_country="DE")
    assert order["fraud_check"]["action_taken"] == "blocked"
    await settings(world, fraud_custom_blocked_countries=[])
    answer = await world.post("/fraud/backtest", {"settings": {"fraud_velocity_limit_orders_per_ip": 9}, "days": 7})
    data = answer.json()["data"]
    assert (answer.status_code, data["changed_count"]) == (200, 0)
    assert data["before"]["actions"] == data["after"]["actions"]
