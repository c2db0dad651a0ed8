"""Commands that failed or were never filled in are sent again; what an erased buyer got is not."""

from __future__ import annotations

from lootkeep.kernel.clock import SECOND
from lootkeep.storage.schema import alert_notices
from tests.api.commanding import GIVE, NOTCH, bought, order_status, statuses, survival
from tests.api.ordering import step
from tests.builders import STORE, new_order
from tests.recount import rows
from tests.world import World


async def test_a_command_that_failed_is_sent_again_and_delivers_the_order(world: World) -> None:
    server = await survival(world)
    await bought(world)
    for delay in (30, 120, 600, 3600, 0):
        await server.take()
        await server.report({"id": 1, "ok": False})
        world.clock.advance(delay * SECOND)
    resent = (await world.post("/commands/1/resend")).json()["data"]
    assert (resent["id"], resent["resent_from_id"], resent["status"]) == (2, 1, "waiting")
    assert (await world.post("/commands/2/resend")).status_code == 409
    await server.take()
    await server.report({"id": 2, "ok": True})
    assert await order_status(world) == "completed"


async def test_a_command_without_a_player_is_reported_as_failed_and_sent_again_once_there_is_one(world: World) -> None:
    server = await survival(world, GIVE | {"text": "lp user {player_id} parent add vip"})
    await world.put("/customers/1", {"identities": [NOTCH]})
    alert = {"name": "Staff", "channel": "email", "target": "staff@shop.example", "triggers": ["command_failed"]}
    await world.post("/alerts", alert)
    order_id = (await new_order(world, 1, (1, 1)))["id"]
    await world.put("/customers/1", {"identities": []})
    await step(world, order_id, "pay")
    assert await statuses(world) == [("paid", "failed")]
    events = (await world.get("/events?limit=100")).json()["data"]["events"]
    outputs = [event["data"]["output"] for event in events if event["event_type"] == "command.failed"]
    assert outputs == ["The player's name or id cannot be a part of this command."]
    (notice,) = await rows(world.db, alert_notices)
    assert notice["text"] == "Order ORD-000001 (20.00 USD): a command could not be filled in"
    answer = await world.post("/commands/1/resend")
    assert (answer.status_code, answer.json()["code"]) == (409, "player_unusable")
    await world.put("/customers/1", {"identities": [NOTCH]})
    await world.post("/commands/1/resend")
    assert await server.texts() == [f"lp user {NOTCH['id']} parent add vip"]
    await server.report({"id": 2, "ok": True})
    assert await order_status(world) == "completed"


async def test_a_command_is_not_sent_again_while_its_repeat_waits_or_once_it_is_refunded(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.run_all()
    assert (await world.post("/commands/1/resend")).status_code == 200
    again = (await world.post("/commands/1/resend")).json()
    assert (again["code"], again["message"]) == ("command_waiting", "It is queued again already, as command 2.")
    await server.run_all()
    assert (await world.post("/commands/1/resend")).status_code == 200
    await server.run_all()
    await step(world, 1, "refund")
    assert (await world.post("/commands/1/resend")).json()["code"] == "order_refunded"
    assert await server.take() == []


async def test_an_erased_buyer_leaves_no_command_behind(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    await world.delete(f"{STORE}/customers/1")
    # The game had it, and names the player in its answer.
    await server.report({"id": 1, "ok": True, "output": "Notch is a VIP now."})
    row = (await world.get("/commands")).json()["data"][0]
    assert (row["status"], row["text"], row["player"], row["output"]) == ("cancelled", "Erased.", None, None)


async def test_what_an_erased_buyer_got_is_not_sent_again(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": True})
    await world.delete(f"{STORE}/customers/1")
    assert (await world.post("/commands/1/resend")).json()["code"] == "customer_erased"
