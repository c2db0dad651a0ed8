"""Game servers in the console: what waits and what failed, tokens that are shown once, and sending again."""

from __future__ import annotations

import re

import httpx
import pytest

from lootkeep.kernel.clock import HOUR
from tests.api.commanding import GIVE, GameServer, bought, open_server, order_status, survival
from tests.api.ordering import ORDERS
from tests.builders import STORE
from tests.console.visits import Visitor, visitor
from tests.world import World


@pytest.fixture
async def staff(world: World) -> Visitor:
    return await visitor(world, "staff")


async def failed(world: World, server: GameServer, command_id: int = 1) -> None:
    await server.take()
    result = {"id": command_id, "ok": False, "output": "No such group.", "retry": False}
    await server.report(result)


def secret(answer: httpx.Response) -> str:
    return str(re.findall(r'<code class="secret"[^>]*>([^<]+)<', answer.text)[0])


async def test_a_server_is_added_with_a_token_that_is_shown_once_and_works(world: World, staff: Visitor) -> None:
    assert "Add the first one" in (await staff.get("/servers")).text
    answer = await staff.post("/servers/new", name="Survival", game="minecraft")
    token = secret(answer)
    assert await GameServer(world, token).take() == []
    page = (await staff.get("/servers/1")).text
    assert ("Survival" in page, token in page) == (True, False)


async def test_a_new_token_replaces_the_old_one_and_a_server_is_renamed(world: World, staff: Visitor) -> None:
    old = await open_server(world)
    new = GameServer(world, secret(await staff.post("/servers/1/token")))
    assert (await new.take(), (await world.get("/api/game/v1/commands", token=old.token)).status_code) == ([], 401)
    await staff.post("/servers/1/edit", name="Skyblock", game="minecraft")
    assert "Skyblock" in (await staff.get("/servers")).text


async def test_a_server_that_a_product_needs_is_not_deleted_and_the_page_says_why(world: World, staff: Visitor) -> None:
    await survival(world)
    asked = await staff.post("/servers/1/delete")
    assert "What waits for it is cancelled" in asked.text
    refused = await staff.post("/servers/1/delete", confirmed="yes")
    assert (refused.status_code, "Remove them from the product first" in refused.text) == (409, True)
    await world.put("/api/store/v1/products/1", {"commands": []})
    assert (await staff.post("/servers/1/delete", confirmed="yes")).status_code == 303
    assert (await staff.get("/servers/1")).status_code == 404


async def test_silence_is_said_in_a_sentence_with_what_waits(world: World, staff: Visitor) -> None:
    server = await survival(world)
    assert "Show how to connect it" in (await staff.get("/servers")).text
    await server.take()
    await bought(world)
    world.clock.advance(HOUR)
    page = (await staff.get("/servers")).text
    assert ("has not asked for commands since" in page, "1 command waits" in page) == (True, True)
    assert "silent for 1 h" in page


async def test_failures_come_first_with_the_servers_own_words_and_are_sent_again_without_a_question(
    world: World, staff: Visitor
) -> None:
    server = await survival(world)
    await bought(world)
    await failed(world, server)
    page = (await staff.get("/servers/1")).text
    assert ("that nobody has looked after" in page, "No such group." in page) == (True, True)
    assert "Failed after 1 try" in (await staff.get("/orders/1")).text
    answer = await staff.post("/commands/1/send-again", server="1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/servers/1")
    assert "that nobody has looked after" not in (await staff.get("/servers/1")).text
    assert await server.texts() == ["lp user Notch parent add vip"]


async def test_what_was_done_is_sent_again_only_after_a_question(world: World, staff: Visitor) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": True, "output": "Notch is a VIP now."})
    page = (await staff.get("/orders/1")).text
    assert ("Notch is a VIP now." in page, "Send again…" in page, "Acknowledged" in page) == (True, True, True)
    asked = await staff.post("/commands/1/send-again", order="1")
    assert (asked.status_code, "runs it a second time" in asked.text) == (200, True)
    await staff.post("/commands/1/send-again", order="1", confirmed="yes")
    assert "Sent again" in (await staff.get("/orders/1")).text
    assert (await order_status(world), await server.texts()) == ("completed", ["lp user Notch parent add vip"])
    assert "Send a command again" in (await (await visitor(world, "owner")).get("/audit")).text


async def test_after_a_wipe_what_players_still_own_is_given_again(world: World, staff: Visitor) -> None:
    server = await survival(world)
    await bought(world)
    await server.run_all()
    answer = await staff.post("/servers/1/resync", on="/servers/1/resync", player="", since="")
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/servers/1")
    assert await server.texts() == ["lp user Notch parent add vip"]


@pytest.mark.parametrize("path", ["/orders/1/fulfill", f"{ORDERS}/1/refund"], ids=["fulfilled", "refunded"])
async def test_a_failure_needs_nobody_once_its_line_is_declared_delivered_or_refunded(
    world: World, staff: Visitor, path: str
) -> None:
    server = await survival(world)
    await bought(world)
    await failed(world, server)
    assert "1 failed" in (await staff.get("/servers")).text
    await world.post(path, {})
    assert "0 failed" in (await staff.get("/servers")).text


async def test_what_an_erased_buyer_can_no_longer_be_deprived_of_needs_nobody(world: World, staff: Visitor) -> None:
    server = await survival(world, GIVE, GIVE | {"on": "refunded"})
    await bought(world)
    await server.run_all()
    await world.post(f"{ORDERS}/1/refund", {})
    await failed(world, server, 2)
    assert "1 failed" in (await staff.get("/servers")).text
    await world.delete(f"{STORE}/customers/1")
    assert "0 failed" in (await staff.get("/servers")).text


async def test_the_list_of_commands_is_filtered_and_exported_with_what_servers_answered(
    world: World, staff: Visitor
) -> None:
    server = await survival(world, GIVE, GIVE | {"text": "give {player_name} diamond"})
    await bought(world)
    await failed(world, server)
    assert "diamond" not in (await staff.get("/commands?status=failed")).text
    file = (await staff.get("/commands?order_id=1&format=csv")).text
    assert ("No such group." in file, "diamond" in file, len(file.splitlines())) == (True, True, 3)
    assert "Nothing passes these filters" in (await staff.get("/commands?order_id=2")).text


async def test_many_goods_are_on_pages_and_long_answers_are_files(world: World, staff: Visitor) -> None:
    texts = [GIVE | {"text": f"give {{player_name}} item {number}"} for number in range(20)]
    server = await survival(world, *texts)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": True, "output": "x" * 2000})
    page, second = (await staff.get("/orders/1")).text, (await staff.get("/orders/1?goods=2")).text
    assert ("item 14" in page, "item 15" in page, "item 15" in second) == (True, False, True)
    assert (await staff.get("/orders/1?whole=answer-1")).text == "x" * 2000
