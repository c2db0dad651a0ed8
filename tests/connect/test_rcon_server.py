"""The game server of the tests speaks RCON as two clients understand it that others wrote."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from pathlib import Path

import pytest
from rcon.exceptions import WrongPassword
from rcon.source import Client

from tests.generators import packages
from tests.rcon_server import PASSWORD, RconServer

LONG = "long answer"
# Two full packets, and one that is not.
LENGTH = 9_000
NODE = """
import { Rcon } from "rcon-client";

const [port, password] = process.argv.slice(2);
const options = { host: "127.0.0.1", port: Number(port) };
const rejected = await Rcon.connect({ ...options, password: "wrong" }).then(() => false, () => true);
const rcon = await Rcon.connect({ ...options, password });
const answers = [await rcon.send("say hello"), await rcon.send("say Zoë")];
await rcon.end();
console.log(JSON.stringify({ rejected, answers }));
"""


async def test_a_python_client_understands_the_server() -> None:
    # Without the empty answer before that to the login: the client drops what arrives together with it.
    async with RconServer() as game:
        game.answers[LONG] = "x" * LENGTH
        answers = await asyncio.to_thread(_ask, game.port)
        with pytest.raises(WrongPassword):
            await asyncio.to_thread(_ask, game.port, "wrong")
    assert answers == ["Ran: say hello", "Ran: say Zoë", "x" * LENGTH]
    assert (game.ran, game.logins) == ({"say hello": 1, "say Zoë": 1, LONG: 1}, 1)


async def test_a_node_client_understands_the_server(tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(await asyncio.to_thread(packages.node_modules))
    (tmp_path / "ask.mjs").write_text(NODE)
    async with RconServer() as game:
        printed = await asyncio.to_thread(packages.run, tmp_path, "node", "ask.mjs", str(game.port), PASSWORD)
    assert json.loads(printed) == {"rejected": True, "answers": ["Ran: say hello", "Ran: say Zoë"]}
    assert (game.ran, game.logins) == ({"say hello": 1, "say Zoë": 1}, 1)


def _ask(port: int, password: str = PASSWORD) -> list[str]:
    # Its own context manager leaves the socket open when the login fails.
    with closing(Client("127.0.0.1", port, passwd=password, timeout=60)) as client:
        client.connect(login=True)
        return [client.run("say hello"), client.run("say Zoë"), client.run(LONG)]
