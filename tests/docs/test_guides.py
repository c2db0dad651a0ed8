"""The guides to connectors and plugins, followed as they are written: what is bought happens in the game, once."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import textwrap
from pathlib import Path

import httpx
import pytest

from tests.api.commanding import NOTCH
from tests.cli.terminal import SECONDS, Serving, Terminal, environment
from tests.connect.discord_server import BOT_TOKEN, GUILD, MEMBER, ROLE, DiscordServer
from tests.connect.selling import call, sell
from tests.docs import curls
from tests.docs.curls import SHOWN_ADDRESS, SHOWN_TOKEN
from tests.rcon_server import PASSWORD, RconServer
from tests.rules.tree import ROOT

DOCS = ROOT / "docs"
MINECRAFT, DISCORD, PLUGIN = DOCS / "minecraft.md", DOCS / "discord.md", DOCS / "howto/write-a-plugin.md"
VIP = "lp user Notch parent add vip"
# Runs what it is handed until the first that says so ends the process, as a crash would.
DRIVER = """
const run = (text) => {
  fs.appendFileSync("ran.txt", `${text}\\n`);
  if (process.env.CRASHES) process.exit(1);
  return { ok: true, output: `Ran: ${text}` };
};
work(run);
"""


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(tmp_path, monkeypatch, capsys)


def follow(server: Serving, page: Path) -> str:
    """Makes the calls of the page; returns the token of the server that it creates."""
    tokens = []
    for example in curls.examples(page):
        for request in curls.requests(example, server.token):
            url = server.url + request.path
            answer = httpx.post(url, headers=request.headers, content=request.body, timeout=SECONDS)
            assert answer.is_success, answer.text
            tokens.append(answer.json()["data"].get("token"))
    return str(tokens[0])


def statuses(server: Serving) -> list[str]:
    headers = {"Authorization": f"Bearer {server.token}"}
    answer = httpx.get(f"{server.url}/api/external/v1/commands", headers=headers, timeout=SECONDS)
    return [command["status"] for command in answer.json()["data"]]


def started(terminal: Terminal, page: Path, replaced: dict[str, str]) -> subprocess.Popen[str]:
    """The connector, as the page starts it."""
    (block,) = re.findall(r"^ *```sh\n((?:(?!```).)*lootkeep connect.*?)^ *```$", page.read_text(), re.DOTALL | re.M)
    script = textwrap.dedent(block)
    for shown, real in replaced.items():
        assert shown in script
        script = script.replace(shown, real)
    return subprocess.Popen(
        ["sh", "-euc", script.replace("\nlootkeep", "\nexec lootkeep")],
        cwd=terminal.folder,
        env=environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def first_lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout
    lines = [process.stdout.readline().rstrip("\n") for _ in range(count)]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=SECONDS)
    return lines


async def test_the_guide_to_minecraft_runs_what_is_bought_in_the_game(terminal: Terminal) -> None:
    async with RconServer() as game:
        with terminal.serving() as server:
            token = await asyncio.to_thread(follow, server, MINECRAFT)
            await asyncio.to_thread(sell, server, NOTCH)
            game.answers[VIP] = "notch now inherits permissions from vip."
            replaced = {"a-long-password": PASSWORD, SHOWN_TOKEN: token, "25575": str(game.port)}
            process = started(terminal, MINECRAFT, replaced | {SHOWN_ADDRESS: server.url})
            lines = await asyncio.to_thread(first_lines, process, 3)
    assert game.ran[VIP] == 1
    (shown,) = re.findall(r"^ *```text\n(.*?)^ *```$", MINECRAFT.read_text(), re.DOTALL | re.MULTILINE)
    assert "\n".join(lines[1:]).replace(str(game.port), "25575") == textwrap.dedent(shown).rstrip("\n")


async def test_the_guide_to_discord_gives_the_role(terminal: Terminal) -> None:
    async with DiscordServer() as discord:
        with terminal.serving() as server:
            token = await asyncio.to_thread(follow, server, DISCORD)
            await asyncio.to_thread(sell, server, {"game": "discord", "id": MEMBER})
            replaced = {"DISCORD_BOT_TOKEN=...": f"DISCORD_BOT_TOKEN={BOT_TOKEN}", SHOWN_TOKEN: token}
            replaced |= {f"--guild {GUILD}": f"--guild {GUILD} --api {discord.url}", SHOWN_ADDRESS: server.url}
            lines = await asyncio.to_thread(first_lines, started(terminal, DISCORD, replaced), 3)
    assert lines[1:] == ["Connected to Discord.", f"1  done    {ROLE}  The role was given."]
    assert discord.roles == {MEMBER: {ROLE}}


def test_the_plugin_runs_a_command_once_and_leaves_to_staff_what_a_crash_interrupted(terminal: Terminal) -> None:
    (block,) = re.findall(r"^```js\n(.*?)^```$", PLUGIN.read_text(), re.DOTALL | re.MULTILINE)
    (terminal.folder / "plugin.js").write_text(block + DRIVER)
    # The shortest lease that can be set.
    with terminal.serving(command_lease_seconds="5") as server:
        token = follow(server, MINECRAFT)
        sell(server, NOTCH)
        variables = os.environ | {"STORE_URL": server.url, "SERVER_TOKEN": token}
        codes = [_node(terminal.folder, variables | {"CRASHES": "1"}), _node(terminal.folder, variables)]
        assert (codes, statuses(server)) == ([1, 0], ["failed"])
        call(server, "/api/external/v1/commands/1/resend", {})
        assert _node(terminal.folder, variables) == 0
        assert statuses(server) == ["done", "failed"]
    assert (terminal.folder / "ran.txt").read_text().splitlines() == [VIP, VIP]


def _node(folder: Path, variables: dict[str, str]) -> int:
    done = subprocess.run(["node", "plugin.js"], cwd=folder, env=variables, timeout=SECONDS, check=False)
    return done.returncode
