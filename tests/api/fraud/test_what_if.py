"""A what-if compares settings alone: lists, rules and outcomes are those of now on both sides."""

from __future__ import annotations

from tests.api.fraud.shop import TOR, judged, regular, settings, shop
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


async def test_without_fraud_detection_every_order_is_allowed(world: World) -> None:
    await shop(world)
    await judged(world, await regular(world), ip_address=TOR)
    answer = await world.post("/fraud/backtest", {"settings": {"fraud_detection_enabled": False}})
    assert [row["action_after"] for row in answer.json()["data"]["changed"]] == ["allowed"]
    await settings(world, fraud_detection_enabled=False)
    answer = await world.post("/fraud/backtest", {"settings": {"fraud_detection_enabled": True}})
    assert [row["action_after"] for row in answer.json()["data"]["changed"]] == ["blocked"]
    explained = (await world.get("/fraud/explain", params={"ip": TOR})).json()["data"]
    assert (explained["action_taken"], explained["would_stop"]) == ("allowed", [])
    assert "tor" in [row["name"] for row in explained["signals"]]
