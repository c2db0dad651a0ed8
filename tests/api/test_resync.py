"""A server gets everything again that its players still own, and nothing that was taken back or is over."""

from __future__ import annotations

from typing import Any

from lootkeep.kernel.clock import DAY, SECOND, iso
from lootkeep.services import subscriptions as subscriptions_service
from lootkeep.storage.schema import audit_log
from tests.api.commanding import GIVE, NOTCH, GameServer, bought, open_server, rank, survival
from tests.api.ordering import step
from tests.api.posts import MONTHLY
from tests.builders import STORE
from tests.recount import rows
from tests.world import World

VIP = "lp user Notch parent add vip"
ALEX = {"game": "minecraft", "id": "ec561538-f3fd-461d-aff5-086b22154bce", "name": "Alex"}


async def run_all(server: GameServer) -> list[str]:
    commands = await server.take()
    if commands:
        await server.report(*({"id": command["id"], "ok": True} for command in commands))
    return [command["text"] for command in commands]


async def resync(world: World, **body: Any) -> int:
    answer = await world.post("/servers/1/resync", body)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["data"]["queued"])


async def test_what_is_owned_is_queued_again_and_recorded(world: World) -> None:
    server = await survival(world, GIVE, GIVE | {"on": "refunded"})
    await bought(world)
    await run_all(server)
    assert await resync(world) == 1
    # What waits already is not queued twice.
    assert await resync(world) == 0
    assert await run_all(server) == [VIP]
    assert await resync(world) == 1
    newest = (await world.get("/commands")).json()["data"][0]
    assert (newest["cause"], newest["resent_from_id"], newest["status"]) == ("paid", 1, "waiting")
    entries = [row for row in await rows(world.db, audit_log) if row["action"] == "Send a server everything again"]
    assert [(row["record"], row["after"]) for row in entries] == 2 * [
        ("server:1", '{"queued":1,"player":null,"since":null}')
    ]


async def test_what_was_refunded_disputed_or_found_to_be_fraud_is_not_sent_again(world: World) -> None:
    server = await survival(world)
    for _ in range(4):
        await bought(world)
        world.clock.advance(DAY)
    await run_all(server)
    await step(world, 1, "refund")
    await world.post(f"{STORE}/orders/2/dispute", {"kind": "dispute", "reason": "other", "external_id": "a"})
    check_id = (await world.get("/orders/3")).json()["data"]["fraud"]["check_id"]
    assert (await world.post(f"/fraud/checks/{check_id}/review", {"outcome": "fraud"})).status_code == 200
    await run_all(server)
    assert await resync(world) == 1
    assert [row["order_id"] for row in (await world.get("/commands?status=waiting")).json()["data"]] == [4]
    # A dispute that was won is over.
    await world.post(f"{STORE}/orders/2/dispute", {"kind": "dispute_won", "reason": "other", "external_id": "a"})
    assert await resync(world) == 1


async def test_what_was_valid_for_some_days_is_not_sent_again_when_they_are_over(world: World) -> None:
    server = await survival(world, valid_days=30)
    await bought(world)
    await run_all(server)
    world.clock.advance(30 * DAY - SECOND)
    assert await resync(world) == 1
    await run_all(server)
    world.clock.advance(SECOND)
    assert await resync(world) == 0


async def test_a_subscription_is_sent_again_until_it_ends(world: World) -> None:
    server = await survival(world, **MONTHLY)
    await world.post(f"{STORE}/subscriptions", {"customer_id": 1, "product_id": 1, "player": NOTCH})
    await run_all(server)
    await world.post(f"{STORE}/subscriptions/1/cancel", {"at_period_end": True})
    assert await resync(world) == 1
    await run_all(server)
    world.clock.advance(31 * DAY)
    await subscriptions_service.expire(world.deps)
    assert await resync(world) == 0


async def test_one_player_since_a_time_on_one_server(world: World) -> None:
    server = await survival(world)
    other = await open_server(world, "Creative")
    elsewhere = await rank(world, GIVE | {"server_id": 2}, sku="CREATIVE")
    for player in (NOTCH, ALEX):
        await bought(world, player=player)
    await bought(world, elsewhere)
    world.clock.advance(DAY)
    since = iso(world.clock.now())
    await bought(world)
    await run_all(server)
    await run_all(other)
    assert await resync(world, player=str(ALEX["id"]).replace("-", "").upper()) == 1
    assert await resync(world, since=since) == 1
    assert await resync(world) == 1
    assert await other.take() == []


async def test_what_waits_failed_or_was_never_delivered_is_not_sent_again(world: World) -> None:
    server = await survival(world)
    await bought(world)
    assert await resync(world) == 0
    await server.take()
    await server.report({"id": 1, "ok": False, "retry": False})
    assert await resync(world) == 0
    # Staff gave it by hand: the player owns it.
    await world.post("/orders/1/fulfill", {"note": "given in the game"})
    assert await resync(world) == 1


async def test_a_large_store_is_sent_again_batch_by_batch(world: World) -> None:
    server = await survival(world, *[GIVE] * 20)
    for _ in range(6):
        await bought(world)
        await run_all(server)
        world.clock.advance(DAY)
    assert await resync(world) == 120


async def test_a_server_that_does_not_exist_is_not_found(world: World) -> None:
    assert (await world.post("/servers/7/resync", {})).status_code == 404
