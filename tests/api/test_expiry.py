"""What was sold for some days ends by itself: once, at its time, and not after a refund."""

from __future__ import annotations

from typing import Any

from lootkeep.kernel.clock import DAY
from lootkeep.services import orders as orders_service
from tests.api.commanding import GIVE, NOTCH, STEVE, GameServer, bought, rank, statuses, survival
from tests.api.ordering import step
from tests.builders import STORE, new_customer, new_product, paid_order
from tests.world import World

TAKE = GIVE | {"on": "expired", "text": "lp user {player_name} parent remove vip"}


async def delivered(world: World, **fields: Any) -> GameServer:
    """A rank for thirty days, which its server has given."""
    server = await survival(world, GIVE, TAKE, valid_days=30)
    await bought(world, **fields)
    await server.take()
    await server.report({"id": 1, "ok": True})
    return server


async def test_the_commands_for_the_end_are_queued_once_when_the_days_are_over(world: World) -> None:
    server = await delivered(world)
    world.clock.advance(30 * DAY - 1)
    await orders_service.expire_lines(world.deps)
    assert await server.take() == []
    world.clock.advance(1)
    for _ in range(2):
        await orders_service.expire_lines(world.deps)
    assert await server.texts() == ["lp user Notch parent remove vip"]
    assert await statuses(world) == [("paid", "done"), ("expired", "leased")]
    (good,) = (await world.get("/orders/1/goods")).json()["data"]
    assert good["state"] == "expired"


async def test_the_days_count_from_the_delivery_and_each_line_has_its_own(world: World) -> None:
    server = await survival(world, GIVE, TAKE, valid_days=10)
    week = await rank(world, GIVE, TAKE | {"text": "week is over"}, sku="WEEK", valid_days=7)
    by_hand = (await new_product(world, delivery_type="manual", sku="HAND"))["id"]
    await bought(world, items=[{"product_id": product, "quantity": 1} for product in (1, week, by_hand)])
    world.clock.advance(5 * DAY)
    await server.take()
    await server.report({"id": 1, "ok": True}, {"id": 2, "ok": True})
    world.clock.advance(7 * DAY)
    await orders_service.expire_lines(world.deps)
    assert await statuses(world) == [("paid", "done"), ("paid", "done"), ("expired", "waiting")]
    # What staff deliver later does not start the days of other lines again.
    await world.post("/orders/1/fulfill", {})
    world.clock.advance(30 * DAY)
    await orders_service.expire_lines(world.deps)
    assert await server.texts() == ["week is over", "lp user Notch parent remove vip"]


async def test_what_is_sent_again_and_still_waits_for_its_player_ends_with_its_line(world: World) -> None:
    server = await survival(world, GIVE | {"needs_player_online": True}, TAKE, valid_days=30)
    await bought(world)
    await server.run_all()
    await world.post("/servers/1/resync", {})
    world.clock.advance(30 * DAY)
    await orders_service.expire_lines(world.deps)
    assert await server.texts() == ["lp user Notch parent remove vip"]


async def test_nothing_ends_that_a_refund_has_taken_back(world: World) -> None:
    server = await delivered(world)
    await world.post(f"{STORE}/orders/1/refund", {})
    world.clock.advance(30 * DAY)
    await orders_service.expire_lines(world.deps)
    assert await server.take() == []
    assert await statuses(world) == [("paid", "done")]


async def test_it_is_taken_from_the_player_who_got_it(world: World) -> None:
    await new_customer(world)
    await world.put("/customers/1", {"identities": [NOTCH]})
    server = await delivered(world, player=None)
    await world.put("/customers/1", {"identities": [STEVE]})
    world.clock.advance(30 * DAY)
    await orders_service.expire_lines(world.deps)
    assert await server.texts() == ["lp user Notch parent remove vip"]


async def test_a_bought_gift_card_is_valid_as_long_as_the_product_says(world: World) -> None:
    await new_customer(world)
    await new_product(world, delivery_type="gift_card", valid_days=30)
    await paid_order(world, 1, (1, 1))
    assert (await world.get("/gift-cards/1")).json()["data"]["expires_at"] == "2026-12-15T12:00:00Z"
    world.clock.advance(30 * DAY)
    (good,) = (await world.get("/orders/1/goods")).json()["data"]
    assert (good["state"], good["expires_at"]) == ("expired", "2026-12-15T12:00:00Z")
    assert (await world.get(f"{STORE}/customers/1/goods?active=true")).json()["data"] == []


async def test_a_key_ends_without_a_command(world: World) -> None:
    await new_customer(world)
    await new_product(world, delivery_type="keys", valid_days=30)
    await paid_order(world, 1, (1, 1))
    world.clock.advance(30 * DAY)
    await orders_service.expire_lines(world.deps)
    (good,) = (await world.get("/orders/1/goods")).json()["data"]
    assert (good["state"], await statuses(world)) == ("expired", [])
    await step(world, 1, "refund")
    (good,) = (await world.get("/orders/1/goods")).json()["data"]
    assert good["state"] == "revoked"
