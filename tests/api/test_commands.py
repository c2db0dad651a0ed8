"""Commands: queued with their cause, handed out with a lease, reported and tried again."""

from __future__ import annotations

import pytest

from lootkeep.kernel.clock import DAY, MINUTE, SECOND
from lootkeep.services import subscriptions as subscriptions_service
from tests.api.commanding import GIVE, NOTCH, bought, open_server, order_status, rank, statuses, survival
from tests.api.posts import MONTHLY
from tests.builders import STORE, new_customer
from tests.conftest import only_sqlite
from tests.world import World


async def test_a_payment_queues_the_commands_with_their_variables_filled_in(world: World) -> None:
    text = 'tellraw {player_name} {"text":"{quantity} {product} {order_number} {customer_id} {player_id}"}'
    server = await survival(world, GIVE | {"text": text}, name="VIP  rank")
    assert await server.take() == []
    await bought(world)
    (command,) = await server.take()
    assert command == {
        "id": 1,
        "cause": "paid",
        "text": f'tellraw Notch {{"text":"1 VIP rank ORD-000001 1 {NOTCH["id"]}"}}',
        "player": NOTCH,
        "needs_player_online": False,
        "attempt": 1,
        "leased_until": "2026-11-15T12:01:00Z",
    }
    assert (await world.get("/servers/1")).json()["data"]["last_seen_at"] == "2026-11-15T12:00:00Z"


async def test_an_order_is_delivered_when_every_command_is_done(world: World) -> None:
    server = await survival(world, GIVE, GIVE | {"text": "say {player_name}"})
    await bought(world)
    first, second = await server.take()
    assert await server.report({"id": first["id"], "ok": True, "output": "Added."}) == {"recorded": 1, "unknown": 0}
    assert await order_status(world) == "paid"
    await server.report({"id": second["id"], "ok": True})
    assert await order_status(world) == "completed"
    row = (await world.get("/commands?status=done&order=asc")).json()["data"][0]
    assert (row["output"], row["done_at"], row["attempts"]) == ("Added.", "2026-11-15T12:00:00Z", 1)


async def test_what_is_reported_again_changes_nothing(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": True, "output": "first"})
    assert await server.report({"id": 1, "ok": False, "output": "second"}) == {"recorded": 1, "unknown": 0}
    row = (await world.get("/commands")).json()["data"][0]
    assert (row["status"], row["output"]) == ("done", "first")


async def test_a_server_sees_only_its_own_queue(world: World) -> None:
    server = await survival(world)
    other = await open_server(world, "Creative")
    await bought(world)
    assert await other.take() == []
    assert await other.report({"id": 1, "ok": True}, {"id": 99, "ok": True}) == {"recorded": 0, "unknown": 2}
    assert len(await server.take()) == 1
    assert (await world.get("/api/game/v1/commands")).status_code == 403
    results = {"results": [{"id": 1, "ok": True}]}
    assert (await world.post("/api/game/v1/commands/results", results)).status_code == 403


async def test_a_lease_that_ends_hands_the_command_out_again_under_the_same_id(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    world.clock.advance(59 * SECOND)
    assert await server.take() == []
    world.clock.advance(SECOND)
    (again,) = await server.take()
    assert (again["id"], again["attempt"]) == (1, 2)
    # The result of the first lease arrives while the second runs: it is the same command.
    await server.report({"id": 1, "ok": True})
    assert await statuses(world) == [("paid", "done")]


async def test_failures_are_tried_again_after_growing_pauses_and_end_as_failed(world: World) -> None:
    server = await survival(world)
    await bought(world)
    for delay in (30, 120, 600, 3600):
        (command,) = await server.take()
        await server.report({"id": command["id"], "ok": False, "output": "x" * 3000})
        world.clock.advance((delay - 1) * SECOND)
        assert await server.take() == []
        world.clock.advance(SECOND)
    (command,) = await server.take()
    await server.report({"id": command["id"], "ok": False, "output": "x" * 100_000})
    row = (await world.get("/commands?status=failed")).json()["data"][0]
    assert (row["attempts"], len(row["output"])) == (5, 2000)
    failed = (await world.get("/servers/1")).json()["data"]
    assert (failed["waiting"], failed["failed"]) == (0, 1)
    events = [event["event_type"] for event in (await world.get("/events?limit=100")).json()["data"]["events"]]
    assert events.count("command.failed") == 1


async def test_a_failure_that_is_reported_again_counts_once(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    for _ in range(6):
        await server.report({"id": 1, "ok": False, "output": "No player was found."})
    assert await statuses(world) == [("paid", "waiting")]
    world.clock.advance(30 * SECOND)
    assert len(await server.take()) == 1


async def test_a_failure_without_a_retry_is_final(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": False, "output": "Nobody knows.", "retry": False})
    assert await statuses(world) == [("paid", "failed")]
    events = [event["event_type"] for event in (await world.get("/events?limit=100")).json()["data"]["events"]]
    assert events.count("command.failed") == 1


async def test_commands_that_need_a_player_wait_until_they_are_online(world: World) -> None:
    server = await survival(world, GIVE, GIVE | {"text": "give {player_name} apple", "needs_player_online": True})
    await bought(world)
    assert await server.texts("?online=") == ["lp user Notch parent add vip"]
    assert await server.texts("?online=00000000-0000-0000-0000-000000000000") == []
    online = str(NOTCH["id"]).replace("-", "").upper()
    assert await server.texts(f"?online=a,{online}") == ["give Notch apple"]


async def test_without_a_list_of_players_everything_is_handed_out(world: World) -> None:
    server = await survival(world, GIVE | {"needs_player_online": True})
    await bought(world)
    assert len(await server.take()) == 1


async def test_a_delayed_command_is_handed_out_later(world: World) -> None:
    server = await survival(world, GIVE | {"delay_minutes": 10})
    await bought(world)
    assert await server.take() == []
    world.clock.advance(10 * MINUTE)
    assert len(await server.take("?limit=1")) == 1


async def test_a_subscription_runs_commands_when_it_is_paid_renewed_and_over(world: World) -> None:
    server = await survival(
        world, GIVE, GIVE | {"on": "renewed", "text": "say {player_name}"}, GIVE | {"on": "expired"}, **MONTHLY
    )
    await world.post(f"{STORE}/subscriptions", {"customer_id": 1, "product_id": 1, "player": NOTCH})
    world.clock.advance(31 * DAY)
    await world.post(f"{STORE}/subscriptions/1/renew")
    assert await statuses(world) == [("paid", "waiting"), ("renewed", "waiting")]
    await world.post(f"{STORE}/subscriptions/1/cancel", {"at_period_end": True})
    world.clock.advance(31 * DAY)
    await subscriptions_service.expire(world.deps)
    await subscriptions_service.expire(world.deps)
    # The time of what its periods would still give is over.
    assert await statuses(world) == [("paid", "cancelled"), ("renewed", "cancelled"), ("expired", "waiting")]
    assert len(await server.take()) == 1


async def test_a_renewal_without_commands_is_delivered_at_once(world: World) -> None:
    await survival(world, **MONTHLY)
    await world.post(f"{STORE}/subscriptions", {"customer_id": 1, "product_id": 1, "player": NOTCH})
    world.clock.advance(31 * DAY)
    await world.post(f"{STORE}/subscriptions/1/renew")
    assert [await order_status(world, order_id) for order_id in (1, 2)] == ["paid", "completed"]


async def test_the_identity_of_the_buyer_is_used_without_a_player(world: World) -> None:
    server = await survival(world)
    await world.put("/customers/1", {"identities": [NOTCH]})
    await bought(world, player=None)
    assert await server.texts() == ["lp user Notch parent add vip"]


async def test_a_deleted_server_gets_nothing_and_one_in_use_is_not_deleted(world: World) -> None:
    await survival(world)
    await bought(world)
    answer = await world.delete("/servers/1")
    assert (answer.status_code, answer.json()["code"]) == (409, "server_in_use")
    await world.put(f"{STORE}/products/1", {"commands": []})
    assert (await world.delete("/servers/1")).status_code == 200
    assert await statuses(world) == [("paid", "cancelled")]


@only_sqlite
@pytest.mark.parametrize(
    ("player", "field"),
    [
        (None, "player"),
        ({"game": "steam", "id": "76561198000000000"}, "player.game"),
        ({"game": "minecraft", "id": NOTCH["id"]}, "player.name"),
    ],
)
async def test_an_order_that_could_not_be_delivered_is_refused(world: World, player: object, field: str) -> None:
    await survival(world)
    line = {"product_id": 1, "quantity": 1}
    body = {"customer_id": 1, "items": [line], "ip_address": "203.0.113.9", "player": player}
    answer = await world.post(f"{STORE}/orders", body)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


@only_sqlite
async def test_a_role_in_discord_is_given_to_someone(world: World) -> None:
    server = await open_server(world, game="discord")
    await rank(world, GIVE | {"text": "1100000000000000001"})
    await new_customer(world)
    line = {"product_id": 1, "quantity": 1}
    body = {"customer_id": 1, "items": [line], "ip_address": "203.0.113.9"}
    assert list((await world.post(f"{STORE}/orders", body)).json()["errors"]) == ["player"]
    await bought(world, player={"game": "discord", "id": "80351110224678912"})
    (command,) = await server.take()
    assert (command["text"], command["player"]["id"]) == ("1100000000000000001", "80351110224678912")


@only_sqlite
async def test_a_name_that_could_be_a_command_is_refused_where_a_command_uses_it(world: World) -> None:
    await open_server(world, game="rust")
    await rank(world, GIVE | {"text": "oxide.usergroup add {player_name} vip"})
    by_id = await rank(world, GIVE | {"text": "oxide.usergroup add {player_id} vip"}, sku="VIP-2")
    await new_customer(world)
    player = {"game": "rust", "id": "76561198000000000", "name": 'x"; quit'}
    line = {"product_id": 1, "quantity": 1}
    body = {"customer_id": 1, "items": [line], "ip_address": "203.0.113.9", "player": player}
    assert list((await world.post(f"{STORE}/orders", body)).json()["errors"]) == ["player.name"]
    await bought(world, by_id, player=player)


@only_sqlite
@pytest.mark.parametrize(
    ("command", "field"),
    [
        (GIVE | {"text": "op {player}"}, "commands.0.text"),
        (GIVE | {"text": "a\nb"}, "commands.0.text"),
        (GIVE | {"server_id": 7}, "commands.0.server_id"),
        (GIVE | {"on": "cancelled"}, "commands.0.on"),
    ],
)
async def test_a_command_that_cannot_run_is_refused(world: World, command: dict[str, object], field: str) -> None:
    await open_server(world)
    body = {"name": "VIP", "price": "5.00", "delivery_type": "command", "commands": [command]}
    answer = await world.post(f"{STORE}/products", body)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


@only_sqlite
async def test_only_products_for_commands_have_commands(world: World) -> None:
    await open_server(world)
    answer = await world.post(f"{STORE}/products", {"name": "VIP", "price": "5.00", "commands": [GIVE]})
    assert list(answer.json()["errors"]) == ["commands"]
