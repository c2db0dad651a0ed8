"""A connector runs each command once: also after a crash, a lost answer, an ended lease, and in another store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lootkeep.kernel.clock import MINUTE, SECOND
from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.connect.journal import Journal, Outcome
from lootkeep.toolbox.connect.queue import StoreQueue
from lootkeep.toolbox.connect.rcon import Rcon, RconOptions
from tests.api.commanding import GIVE, NOTCH, bought, order_status, survival
from tests.conftest import only_sqlite
from tests.connect.connecting import connected, listening, rcon, until
from tests.rcon_server import PASSWORD, RconServer
from tests.world import World

VIP = "lp user Notch parent add vip"
UNKNOWN = "Nobody can know whether it was run: look in the game, then send it again or leave it."


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "rcon.journal"


async def test_what_is_bought_is_run_in_the_game_and_delivered(world: World, journal: Path) -> None:
    server = await survival(world)
    async with RconServer() as game, connected(world, server.token, rcon(game), journal) as said:
        await bought(world)
        await until(world, ("paid", "done"))
    assert game.ran == {VIP: 1}
    assert await order_status(world) == "completed"
    assert (await world.get("/commands")).json()["data"][0]["output"] == f"Ran: {VIP}"
    assert said == [f"Connected to the game's RCON at 127.0.0.1:{game.port}.", f"1  done    {VIP}  Ran: {VIP}"]


async def test_a_command_begun_before_a_crash_is_left_to_staff(world: World, journal: Path) -> None:
    server = await survival(world)
    await bought(world)
    (command,) = await server.take()
    written = Journal(journal)
    written.begin(command["id"], command["text"])
    written.close()
    async with RconServer() as game, connected(world, server.token, rcon(game), journal):
        await until(world, ("paid", "failed"))
    assert game.ran == {}
    output = (await world.get("/commands")).json()["data"][0]["output"]
    assert output == f"The connector ended while this command ran. {UNKNOWN}"


async def test_a_command_that_ended_before_a_crash_is_reported_and_not_run_again(world: World, journal: Path) -> None:
    server = await survival(world)
    await bought(world)
    (command,) = await server.take()
    _ran(journal, command["id"], command["text"])
    async with RconServer() as game, connected(world, server.token, rcon(game), journal):
        await until(world, ("paid", "done"))
    assert game.ran == {}
    assert await order_status(world) == "completed"


async def test_a_command_that_comes_back_after_its_lease_is_not_run_again(world: World, journal: Path) -> None:
    server = await survival(world)
    await bought(world)
    (command,) = await server.take()
    _ran(journal, command["id"], command["text"], is_reported=True)
    world.clock.advance(MINUTE)
    async with RconServer() as game, connected(world, server.token, rcon(game), journal) as said:
        await until(world, ("paid", "done"))
    assert game.ran == {}
    assert said[-1] == "1  was run before; its outcome is reported again."


async def test_a_journal_of_another_store_does_not_keep_a_command_from_running(world: World, journal: Path) -> None:
    server = await survival(world)
    await bought(world)
    _ran(journal, 1, "say something else", is_reported=True)
    async with RconServer() as game, connected(world, server.token, rcon(game), journal):
        await until(world, ("paid", "done"))
    assert game.ran == {VIP: 1}


async def test_a_game_that_does_not_answer_leaves_the_command_to_staff(world: World, journal: Path) -> None:
    server = await survival(world, GIVE, GIVE | {"text": "say {player_name}"})
    await bought(world)
    async with RconServer() as game, connected(world, server.token, rcon(game), journal):
        game.unanswered = {VIP}
        await until(world, ("paid", "failed"), ("paid", "leased"))
        # What was not begun comes back when its lease ends.
        world.clock.advance(MINUTE)
        await until(world, ("paid", "failed"), ("paid", "done"))
    assert game.ran == {VIP: 1, "say Notch": 1}
    output = (await world.get("/commands?status=failed")).json()["data"][0]["output"]
    assert output == f"The game did not answer: it closed the connection. {UNKNOWN}"


async def test_a_command_that_the_game_refuses_is_tried_again_after_the_pause(world: World, journal: Path) -> None:
    server = await survival(world)
    await bought(world)
    async with RconServer() as game, connected(world, server.token, rcon(game), journal):
        game.answers[VIP] = "§cNo player was found"
        await until(world, ("paid", "waiting"))
        await game.until_ran(1)
        await until(world, ("paid", "waiting"))
        del game.answers[VIP]
        world.clock.advance(30 * SECOND)
        await until(world, ("paid", "done"))
    assert game.ran == {VIP: 2}


async def test_nothing_is_taken_while_the_game_is_down(world: World, journal: Path) -> None:
    server = await survival(world)
    await bought(world)
    async with RconServer() as game:
        await game.stop()
        async with connected(world, server.token, rcon(game), journal) as said:
            while not said:
                await asyncio.sleep(0)
            assert (await world.get("/commands")).json()["data"][0]["attempts"] == 0
            await game.start()
            await until(world, ("paid", "done"))
    where = f"the game's RCON at 127.0.0.1:{game.port}"
    assert said[:2] == [f"Cannot reach {where}: connection refused. Trying again.", f"Connected to {where}."]


async def test_a_command_that_needs_its_player_waits_until_the_game_lists_them(world: World, journal: Path) -> None:
    server = await survival(world, GIVE | {"needs_player_online": True}, GIVE | {"text": "say {player_name}"})
    await bought(world)
    async with RconServer() as game:
        game.answers["list uuids"] = "There are 0 of a max of 20 players online:"
        async with connected(world, server.token, rcon(game, "list uuids"), journal):
            await until(world, ("paid", "waiting"), ("paid", "done"))
            assert VIP not in game.ran
            game.answers["list uuids"] = f"There are 1 of a max of 20 players online: Notch ({NOTCH['id']})"
            # A poll that waits for others looks at the clock of the store.
            world.clock.advance(5 * SECOND)
            await until(world, ("paid", "done"), ("paid", "done"))
    assert (game.ran[VIP], game.ran["say Notch"]) == (1, 1)


@only_sqlite
async def test_a_token_that_the_store_rejects_ends_the_connector_with_a_sentence(world: World) -> None:
    async with listening(world) as url:
        queue = StoreQueue(url, "lk_wrong")
        with pytest.raises(StartupError, match=r"The store answered 401: .+ Check its URL and the token of the server"):
            await queue.take(None)
        await queue.close()


async def test_a_password_that_the_game_rejects_ends_the_connector_with_a_sentence() -> None:
    async with RconServer() as game:
        target = Rcon(RconOptions("127.0.0.1", game.port, PASSWORD + "x"))
        with pytest.raises(StartupError, match="The password was rejected by the game's RCON"):
            await target.connect()


def _ran(journal: Path, command_id: int, text: str, *, is_reported: bool = False) -> None:
    """A connector that ran the command, and then crashed."""
    written = Journal(journal)
    written.begin(command_id, text)
    written.end(command_id, Outcome(True, "Added."))
    if is_reported:
        written.mark_reported([command_id])
    written.close()
