"""Goods that game servers give: one row for each command, with what became of it."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.goods import Good, goods_of
from lootkeep.kernel.clock import DAY
from lootkeep.kernel.paging import PageRequest
from lootkeep.services import goods as goods_service, subscriptions as subscriptions_service
from lootkeep.storage.goods import owned as owned_db
from tests.api.commanding import GIVE, NOTCH, bought, rank, survival
from tests.api.ordering import ORDERS, step
from tests.api.posts import MONTHLY
from tests.builders import STORE, new_order, new_product, paid_order
from tests.world import World

ROLE = GIVE | {"text": "role {player_id}", "needs_player_online": True}


async def goods(world: World, order_id: int = 1) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = (await world.get(f"/orders/{order_id}/goods")).json()["data"]
    return data


async def states(world: World, order_id: int = 1) -> list[str]:
    return [good["state"] for good in await goods(world, order_id)]


async def test_each_command_has_a_row_with_its_server_and_what_it_answered(world: World) -> None:
    server = await survival(world, GIVE, ROLE)
    await bought(world)
    assert await states(world) == ["waiting", "waiting"]
    await server.take()
    await server.report({"id": 1, "ok": True, "output": "Notch is a VIP now."})
    first, second = await goods(world)
    assert (first["kind"], first["state"], first["server"]) == ("command", "delivered", "Survival")
    assert (first["command_id"], first["output"], first["needs_player_online"]) == (1, "Notch is a VIP now.", False)
    assert first["delivered_at"] is not None
    assert (second["state"], second["needs_player_online"], second["delivered_at"]) == ("waiting", True, None)


async def test_the_store_reads_the_state_but_not_what_the_server_answered(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": True, "output": "Notch is a VIP now."})
    for path in (f"{ORDERS}/1/goods", "/api/store/v1/customers/1/goods"):
        (good,) = (await world.get(path)).json()["data"]
        assert (good["state"], good["server"], "output" in good) == ("delivered", "Survival", False)


async def test_a_command_that_failed_for_good_has_failed_until_a_repeat_of_it_is_done(world: World) -> None:
    server = await survival(world)
    await bought(world)
    for _ in range(5):
        await server.take()
        await server.report({"id": 1, "ok": False, "output": "No such group."})
        world.clock.advance(DAY)
    assert [(good["state"], good["output"]) for good in await goods(world)] == [("failed", "No such group.")]
    await world.post("/commands/1/resend", {})
    assert await states(world) == ["waiting"]
    await server.take()
    await server.report({"id": 2, "ok": True})
    assert [(good["state"], good["command_id"]) for good in await goods(world)] == [("delivered", 2)]


async def test_what_was_done_stays_delivered_while_it_is_sent_again(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": True})
    await world.post("/commands/1/resend", {})
    assert [(good["state"], good["command_id"]) for good in await goods(world)] == [("delivered", 1)]


@pytest.mark.parametrize(
    ("path", "state"), [("/orders/1/fulfill", "delivered"), (f"{ORDERS}/1/refund", "revoked")], ids=["fulfil", "refund"]
)
async def test_staff_who_declare_a_line_delivered_or_refund_it_decide_about_its_commands(
    world: World, path: str, state: str
) -> None:
    await survival(world)
    await bought(world)
    assert (await world.post(path, {})).status_code == 200
    assert await states(world) == [state]


async def test_a_command_whose_server_is_gone_has_failed_also_one_that_the_server_had(world: World) -> None:
    server = await survival(world, GIVE, GIVE | {"delay_minutes": 60})
    await bought(world)
    assert len(await server.take()) == 1
    await world.put("/api/store/v1/products/1", {"commands": []})
    assert (await world.delete("/servers/1")).status_code == 200
    assert await states(world) == ["failed", "failed"]


async def test_what_a_server_gave_ends_with_the_subscription_and_a_key_stays(world: World) -> None:
    server = await survival(world, GIVE, ROLE, **MONTHLY)
    keys = await new_product(world, name="Key", delivery_type="keys", **MONTHLY)
    for product_id in (1, keys["id"]):
        await world.post(f"{STORE}/subscriptions", {"customer_id": 1, "product_id": product_id, "player": NOTCH})
    await server.take()
    await server.report({"id": 1, "ok": True})
    for subscription_id in (1, 2):
        await world.post(f"{STORE}/subscriptions/{subscription_id}/cancel", {"at_period_end": True})
    ends_at = (await world.get(f"{STORE}/subscriptions/1")).json()["data"]["ends_at"]
    assert [(good["state"], good["expires_at"]) for good in await goods(world)] == [
        ("delivered", ends_at),
        ("waiting", ends_at),
    ]
    world.clock.advance(31 * DAY)
    await subscriptions_service.expire(world.deps)
    assert await states(world) == ["expired", "failed"]
    assert [(good.kind, good.state) for good in await all_goods(world)] == [
        ("key", "delivered"),
        ("command", "expired"),
        ("command", "failed"),
    ]
    await assert_pages_hold_all(world)


async def test_the_pages_of_a_customer_hold_every_good_once_and_count_them(world: World) -> None:
    server = await survival(world, GIVE, ROLE, valid_days=30)
    keys = await new_product(world, name="Key", delivery_type="keys", stock=0)
    await world.post(f"/products/{keys['id']}/keys", {"keys": [f"AAAA-{number}" for number in range(5)]})
    card = await new_product(world, name="Card", delivery_type="gift_card")
    manual, file = await new_product(world, valid_days=1), await new_product(world, delivery_type="file", valid_days=1)
    by_hand = await rank(world, GIVE | {"on": "refunded"})
    await new_order(world, 1, (keys["id"], 1))
    lines = [(keys["id"], 2), (card["id"], 2), (card["id"], 1), (manual["id"], 1), (file["id"], 1)]
    await paid_order(world, 1, *lines)
    await world.post("/orders/2/items/1/replace-key", {"key_id": 1, "reason": "Used"})
    for product_id in (1, 1, by_hand):
        world.clock.advance(2 * DAY)
        await bought(world, product_id, ip_address=f"203.0.113.{product_id}")
    await server.take()
    await server.report({"id": 1, "ok": True}, {"id": 2, "ok": True}, {"id": 3, "ok": True})
    await world.post("/commands/1/resend", {})
    world.clock.advance(2 * DAY)
    await paid_order(world, 1, (keys["id"], 1), (manual["id"], 1))
    await step(world, 3, "refund")
    whole = await all_goods(world)
    assert {good.state for good in whole} == {"delivered", "waiting", "revoked", "expired"}
    assert len(whole) == len({good.piece for good in whole}) > 10
    await assert_pages_hold_all(world)
    assert await goods_service.of_customer(world.deps, 1, None, PageRequest(9, 50)) == ([], len(whole))


async def all_goods(world: World) -> list[Good]:
    async with world.db.read() as tx:
        return goods_of(await owned_db.of_customer(tx, 1), world.clock.now())


async def assert_pages_hold_all(world: World) -> None:
    whole = await all_goods(world)
    for is_active in (None, True, False):
        wanted = [good for good in whole if is_active is None or (good.state == "delivered") is is_active]
        assert await paged(world, is_active) == (pieces(wanted), len(wanted))


async def paged(world: World, is_active: bool | None) -> tuple[list[object], int]:
    """All pages of two goods each."""
    goods, total = await goods_service.of_customer(world.deps, 1, is_active, PageRequest(1, 2))
    for number in range(2, total // 2 + 2):
        more, _ = await goods_service.of_customer(world.deps, 1, is_active, PageRequest(number, 2))
        goods += more
    return pieces(goods), total


def pieces(goods: list[Good]) -> list[object]:
    return [(good.piece, good.state) for good in goods]
