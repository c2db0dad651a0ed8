"""RCON on a real socket: long answers, other programs, lost connections, and what RCON does not take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from lootkeep.toolbox.connect.connector import NoAnswer
from lootkeep.toolbox.connect.journal import Outcome
from lootkeep.toolbox.connect.queue import LeasedCommand, Unavailable
from lootkeep.toolbox.connect.rcon import Rcon, RconOptions
from tests.connect.connecting import rcon
from tests.rcon_server import PASSWORD, RconServer

# More than one packet.
PLAYERS = [f"00000000-0000-0000-0000-{number:012}" for number in range(300)]


@asynccontextmanager
async def connection(game: RconServer, ask_online: str | None = None) -> AsyncIterator[Rcon]:
    target = rcon(game, ask_online)
    await target.connect()
    try:
        yield target
    finally:
        await target.close()


def command(text: str) -> LeasedCommand:
    return LeasedCommand(1, "paid", text)


@pytest.mark.parametrize("sends_empty_answer_first", [False, True])
async def test_each_command_gets_its_own_answer(sends_empty_answer_first: bool) -> None:
    async with RconServer(sends_empty_answer_first=sends_empty_answer_first) as game, connection(game) as target:
        assert [await target.run(command(text)) for text in ("say a", "say Zoë")] == [
            Outcome(True, "Ran: say a"),
            Outcome(True, "Ran: say Zoë"),
        ]


async def test_a_list_of_players_in_several_packets_is_read_in_full() -> None:
    async with RconServer() as game, connection(game, "list uuids") as target:
        game.answers["list uuids"] = "There are 300 players: " + ", ".join(f"X ({player})" for player in PLAYERS)
        assert await target.online() == PLAYERS
        assert await target.run(command("say a")) == Outcome(True, "Ran: say a")


async def test_an_output_is_cut_and_without_colours_and_zeros() -> None:
    async with RconServer() as game, connection(game) as target:
        game.answers["say a"] = "\0§6" + "x" * 9_000 + "\0"
        assert await target.run(command("say a")) == Outcome(True, "x" * 2_000)


async def test_a_command_that_is_too_long_is_not_sent() -> None:
    async with RconServer() as game, connection(game) as target:
        outcome = await target.run(command("say " + "ß" * 800))
    assert (outcome.ok, outcome.retry, game.ran) == (False, False, {})


async def test_a_game_that_restarts_is_connected_to_again() -> None:
    async with RconServer() as game, connection(game) as target:
        await game.stop()
        with pytest.raises(Unavailable, match="connection refused"):
            await _connect_until_it_fails(target)
        await game.start()
        assert await target.connect() == f"Connected to the game's RCON at 127.0.0.1:{game.port}."
        assert (await target.run(command("say a"))).ok
    assert game.logins == 2


async def test_a_connection_that_ends_before_the_answer_is_no_answer() -> None:
    async with RconServer() as game, connection(game) as target:
        game.unanswered = {"say a"}
        with pytest.raises(NoAnswer, match=r"The game did not answer: it closed the connection\."):
            await target.run(command("say a"))


@pytest.mark.parametrize(
    ("greeting", "reason"),
    [(b"SSH-2.0-OpenSSH_9.6\r\n", "it does not speak RCON"), (b"", "it closed the connection")],
    ids=["ssh", "nothing"],
)
async def test_another_program_on_the_port_is_not_the_game(greeting: bytes, reason: str) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1024)
        writer.write(greeting)
        writer.close()

    async with _listening(greet) as port:
        target = Rcon(RconOptions("127.0.0.1", port, PASSWORD))
        with pytest.raises(Unavailable, match=f"Cannot reach the game's RCON at 127.0.0.1:{port}: {reason}"):
            await target.connect()


async def _connect_until_it_fails(target: Rcon) -> None:
    """The end of the connection arrives at its own time."""
    while await target.connect() is None:
        await asyncio.sleep(0.01)


@asynccontextmanager
async def _listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
