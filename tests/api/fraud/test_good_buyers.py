"""Good buyers are not punished for declined cards and fast orders; card testers who type their e-mail are."""

from __future__ import annotations

from typing import Any

from tests.api.fraud.shop import DAY, ORDERS, decline, judged, regular, settings, shop, signals
from tests.world import World

OWN = {"device_id": "own", "payment": {"fingerprint": "own-card"}}
PACE = {"velocity_ip", "velocity_email", "order_burst", "card_testing"}


async def known(world: World, orders: int = 3) -> int:
    """Someone whose orders were paid more than 60 days ago."""
    await shop(world)
    buyer = await regular(world)
    for _ in range(orders):
        placed = await judged(world, buyer, **OWN)
        assert (await world.post(f"{ORDERS}/{placed['order']['id']}/pay", {})).status_code == 200
        world.clock.advance(DAY)
    world.clock.advance(61 * DAY)
    return buyer


async def try_cards(world: World, buyer: int, declines: int, **fields: Any) -> dict[str, Any]:
    """Several cards are declined within the hour; returns the order after that."""
    for number in range(declines):
        card = {"fingerprint": f"card-{number % 3}"}
        placed = await judged(world, buyer, **fields | {"payment": card})
        if placed["order"]["status"] != "pending":
            return placed
        answer = await decline(world, placed["order"]["id"], payment=card)
        assert answer.status_code == 201, answer.text
        world.clock.advance(4 * 60_000_000)
    return await judged(world, buyer, **fields)


async def test_a_buyer_with_84_paid_orders_is_not_blocked_by_11_declines_of_three_cards(world: World) -> None:
    buyer = await known(world, 84)
    last = await try_cards(world, buyer, 11, **OWN)
    assert last["order"]["status"] == "pending"
    points = await signals(world, last["fraud_check"]["id"])
    # Each is shown, and together they count no more than 30.
    assert {"velocity_email", "card_testing"} <= points.keys()
    assert sum(points.get(name, 0) for name in PACE) == 30
    assert "account_cards" not in points


async def test_a_card_tester_who_types_the_email_of_a_known_buyer_is_blocked(world: World) -> None:
    buyer = await known(world, 84)
    tester = {"device_id": "other", "ip_address": "192.0.2.7"}
    last = await try_cards(world, buyer, 20, **tester)
    assert last["order"]["status"] == "cancelled"
    assert last["fraud_check"]["action_taken"] == "blocked"


async def test_a_confirmed_fraud_ends_the_protection(world: World) -> None:
    buyer = await known(world)
    await world.post(f"{ORDERS}/1/dispute", {"kind": "dispute", "reason": "fraudulent"})
    last = await try_cards(world, buyer, 11, **OWN)
    assert last["order"]["status"] == "cancelled"


async def test_declines_at_an_address_count_only_for_who_is_new_there(world: World) -> None:
    buyer, stranger = await known(world), await regular(world)
    await settings(world, fraud_action="flag")
    guest = await judged(world, await regular(world))
    for _ in range(11):
        await decline(world, guest["order"]["id"])
    checks = [await judged(world, who) for who in (buyer, stranger)]
    points = [(await signals(world, it["fraud_check"]["id"])).get("card_testing", 0) for it in checks]
    assert points == [0, 40]


async def test_after_an_unblock_the_answer_says_what_would_still_stop_the_next_order(world: World) -> None:
    buyer = await known(world)
    path = f"/customers/{buyer}"
    await world.put(path, {"status": "blocked", "status_reason": "Charged back."})
    assert (await world.put(path, {"status": "active"})).json()["data"]["would_stop"] == []
    await world.post(f"{ORDERS}/1/dispute", {"kind": "dispute", "reason": "fraudulent"})
    answer = (await world.put(path, {"status": "active"})).json()["data"]
    assert answer["would_stop"] == ["confirmed_fraud"]
    assert (await world.put(path, {"note": "Called."})).json()["data"]["would_stop"] is None
    email = answer["email"]
    explained = (await world.get(f"/fraud/explain?email={email}&ip=203.0.113.9")).json()["data"]
    assert (explained["action_taken"], explained["would_stop"]) == ("blocked", ["confirmed_fraud"])
