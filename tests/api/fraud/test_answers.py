"""Every answer about a judged order shows its check."""

from __future__ import annotations

from tests.api.fraud.shop import ORDERS, judged, regular, shop
from tests.world import World

CHECK = {"check_id": 1, "risk_score": 0, "risk_level": "low", "action_taken": "allowed"}


async def test_paying_fulfilling_and_refunding_answer_the_order_with_its_check(world: World) -> None:
    await shop(world, delivery_type="manual")
    order_id = (await judged(world, await regular(world)))["order"]["id"]

    paid = await world.post(f"{ORDERS}/{order_id}/pay", {})
    fulfilled = await world.post(f"/orders/{order_id}/fulfill", {})
    again = await world.post(f"/orders/{order_id}/fulfill", {})
    refunded = await world.post(f"{ORDERS}/{order_id}/refund", {})

    assert [answer.json()["data"]["fraud"] for answer in (paid, fulfilled, again)] == [CHECK] * 3
    assert refunded.json()["data"]["order"]["fraud"] == CHECK


async def test_cancelling_answers_the_order_with_its_check(world: World) -> None:
    await shop(world)
    order_id = (await judged(world, await regular(world)))["order"]["id"]

    cancelled = await world.post(f"{ORDERS}/{order_id}/cancel", {})

    assert cancelled.json()["data"]["fraud"] == CHECK
