"""The review queue: owners, due times, amounts at risk, the riskiest orders of the day, and events."""

from __future__ import annotations

from typing import Any

import msgspec

from lootkeep.services import fraud_queue as fraud_queue_service
from lootkeep.storage.schema import events
from tests.api.fraud.shop import DATACENTER, DAY, PROXY, TOR, judged, regular, review, settings, shop
from tests.builders import STORE, new_gift_card
from tests.recount import rows
from tests.world import World

RISKY = {"ip_address": TOR, "user_agent": "curl/8.0", "billing_country": "SY"}


async def held(world: World, **fields: Any) -> dict[str, Any]:
    """An order that waits for its review."""
    await settings(world, fraud_action="verify", fraud_block_tor=False, fraud_sensitivity_level="high")
    return await judged(world, await regular(world), **RISKY | fields)


async def announced(world: World) -> list[tuple[str, dict[str, Any]]]:
    stored = [row for row in await rows(world.db, events) if row["type"].startswith("fraud.")]
    return [(row["type"], msgspec.json.decode(row["data"])) for row in stored]


async def queue(world: World, **query: Any) -> list[dict[str, Any]]:
    answer = await world.get("/fraud/queue", params=query)
    assert answer.status_code == 200, answer.text
    data: list[dict[str, Any]] = answer.json()["data"]
    return data


async def status(world: World, order_id: int) -> str:
    return str((await world.get(f"/orders/{order_id}")).json()["data"]["status"])


async def test_the_queue_starts_with_the_highest_amount_at_risk(world: World) -> None:
    await shop(world)
    for quantity in (1, 5, 2):
        await held(world, items=[{"product_id": 1, "quantity": quantity}])
    waiting = await queue(world)
    assert [row["id"] for row in waiting] == [2, 3, 1]
    losses = [float(row["expected_loss"]) for row in waiting]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] > 0


async def test_a_check_has_an_owner_and_a_due_time(world: World) -> None:
    await shop(world)
    await held(world)
    (row,) = await queue(world)
    assert (row["owner_id"], row["due_at"] > row["created_at"]) == (None, True)
    answer = await world.put("/fraud/checks/1/assignment", {"owner_id": 1})
    assert answer.json()["data"] == {"id": 1, "owner_id": 1, "due_at": row["due_at"]}
    assert [check["id"] for check in await queue(world, owner_id=1)] == [1]
    assert list((await world.put("/fraud/checks/1/assignment", {"owner_id": 99})).json()["errors"]) == ["owner_id"]
    answer = await world.put("/fraud/checks/1/assignment", {"owner_id": None, "due_at": "2030-01-01T00:00:00Z"})
    assert answer.json()["data"] == {"id": 1, "owner_id": None, "due_at": "2030-01-01T00:00:00Z"}


async def test_a_held_order_ends_as_configured_when_its_review_time_is_over(world: World) -> None:
    await shop(world)
    for number, (when_due, expected) in enumerate(
        (("wait", "on_hold"), ("release", "pending"), ("cancel", "cancelled"))
    ):
        await held(world)
        await settings(world, fraud_review_when_due=when_due)
        world.clock.advance(DAY - 1)
        await fraud_queue_service.end_holds(world.deps)
        assert await status(world, number + 1) == "on_hold"
        world.clock.advance(1)
        await fraud_queue_service.end_holds(world.deps)
        assert await status(world, number + 1) == expected
    ended = [data for kind, data in await announced(world) if kind == "fraud.reviewed"]
    # The first one ended too, as soon as the settings said how.
    assert [(data["order_id"], data["order_status"]) for data in ended] == [
        (1, "pending"),
        (2, "pending"),
        (3, "cancelled"),
    ]
    assert {(data["review_outcome"], data["reviewed_by"]) for data in ended} == {(None, None)}
    await fraud_queue_service.end_holds(world.deps)
    assert len([kind for kind, _ in await announced(world) if kind == "fraud.reviewed"]) == 3


async def test_an_overdue_review_hands_nothing_to_a_customer_who_was_blocked_since(world: World) -> None:
    await shop(world)
    await settings(world, fraud_review_when_due="release")
    card = await new_gift_card(world, initial_balance="500.00")
    order = (await held(world, gift_card_code=card["code"]))["order"]
    assert order["amount_due"] == "0.00"
    block = {"status": "blocked", "status_reason": "Stolen card."}
    assert (await world.put(f"{STORE}/customers/{order['customer']['id']}", block)).status_code == 200
    world.clock.advance(2 * DAY)
    await fraud_queue_service.end_holds(world.deps)
    assert await status(world, 1) == "on_hold"
    await review(world, 1, "legitimate")
    assert await status(world, 1) == "paid"


async def test_an_order_reviewed_in_time_is_not_changed(world: World) -> None:
    await shop(world)
    await held(world)
    await settings(world, fraud_review_when_due="cancel")
    await review(world, 1, "legitimate")
    world.clock.advance(2 * DAY)
    await fraud_queue_service.end_holds(world.deps)
    assert await status(world, 1) == "pending"


async def test_actions_and_decisions_send_events(world: World) -> None:
    await shop(world)
    await held(world)
    await settings(world, fraud_action="flag")
    await judged(world, await regular(world), **RISKY)
    await settings(world, fraud_block_tor=True)
    await judged(world, await regular(world), ip_address=TOR)
    await judged(world, await regular(world))
    await review(world, 1, "fraud")
    events = await announced(world)
    assert [kind for kind, _ in events] == ["fraud.held", "fraud.flagged", "fraud.blocked", "fraud.reviewed"]
    assert [data["order_status"] for _, data in events] == ["on_hold", "pending", "cancelled", "cancelled"]
    assert (events[3][1]["review_outcome"], events[3][1]["reviewed_by"]) == ("fraud", 1)


async def test_the_riskiest_allowed_orders_of_the_day_are_as_many_as_the_budget(world: World) -> None:
    await shop(world)
    customers = [await regular(world) for _ in range(3)]
    for customer, ip in zip(customers, (DATACENTER, "192.0.2.1", PROXY), strict=True):
        await judged(world, customer, ip_address=ip)
    assert (await world.get("/fraud/queue/today")).json()["data"] == {"budget": 0, "checks": []}
    await settings(world, fraud_review_daily_budget=2)
    today = (await world.get("/fraud/queue/today")).json()["data"]
    assert [check["id"] for check in today["checks"]] == [3, 1]
    world.clock.advance(DAY)
    assert (await world.get("/fraud/queue/today")).json()["data"]["checks"] == []
