"""`lootkeep connect`: real processes between a store and a game; secrets come from the environment or a file."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from pathlib import Path

import pytest

from lootkeep.toolbox.connect.journal import Journal
from tests.api.commanding import GIVE, NOTCH
from tests.cli.terminal import SECONDS, Serving, Terminal
from tests.connect.selling import call, sell
from tests.rcon_server import PASSWORD, RconServer

VIP = "lp user Notch parent add vip"


def open_shop(server: Serving) -> str:
    """A server and a rank on it; the server's token."""
    token: str = call(server, "/api/external/v1/servers", {"name": "Survival", "game": "minecraft"})["token"]
    product = {"name": "VIP", "price": "5.00", "delivery_type": "command", "commands": [GIVE]}
    call(server, "/api/store/v1/products", product)
    return token


async def test_a_connector_runs_what_is_bought_until_it_is_stopped(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with RconServer() as game:
        with terminal.serving() as server:
            token = await asyncio.to_thread(open_shop, server)
            (terminal.folder / "token").write_text(f"{token}\n")
            monkeypatch.setenv("SERVER_TOKEN_FILE", "token")
            monkeypatch.setenv("RCON_PASSWORD", PASSWORD)
            process = terminal.start("connect", "rcon", "--store", server.url, "--port", str(game.port))
            await asyncio.to_thread(sell, server, NOTCH)
            await game.until_ran(1)
            out, err = await asyncio.to_thread(_stopped, process)
    assert game.ran == {VIP: 1}
    assert out.splitlines() == [
        f"Commands come from {server.url}; what was run is stored in rcon.journal. Press Ctrl-C to stop.",
        f"Connected to the game's RCON at 127.0.0.1:{game.port}.",
        f"1  done    {VIP}  Ran: {VIP}",
        "Stopped.",
    ]
    assert (process.returncode, err) == (0, "")
    journal = (terminal.folder / "rcon.journal").read_text()
    assert not [secret for secret in (token, PASSWORD) if secret in journal + out]


def _stopped(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What it printed. It finishes and reports what it was running."""
    process.send_signal(signal.SIGTERM)
    return process.communicate(timeout=SECONDS)


def test_a_secret_that_is_missing_is_named(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "Set the environment variable {0}, or {0}_FILE to a file that holds it."
    assert terminal.call("connect", "rcon").sentence == sentence.format("RCON_PASSWORD")
    monkeypatch.setenv("RCON_PASSWORD", PASSWORD)
    assert terminal.call("connect", "rcon").sentence == sentence.format("SERVER_TOKEN")
    monkeypatch.setenv("SERVER_TOKEN_FILE", str(terminal.folder / "nothing"))
    assert terminal.call("connect", "rcon").sentence == "SERVER_TOKEN_FILE names a file that cannot be read."
    monkeypatch.setenv("SERVER_TOKEN", "lk_\nX-Header: 1")
    assert terminal.call("connect", "rcon").sentence == "SERVER_TOKEN has characters that it cannot have."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("rcon", "--store", "store.example"), "--store takes a URL that starts with http:// or https://"),
        (("discord", "--guild", "my server"), "--guild takes the id of a Discord server: 17 to 20 digits."),
        (("discord", "--guild", "1" * 18, "--api", "http://a@b"), "--api takes a URL that starts with http://"),
    ],
    ids=["store", "guild", "api"],
)
def test_an_option_that_cannot_be_right_is_a_sentence(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], sentence: str
) -> None:
    for name in ("SERVER_TOKEN", "RCON_PASSWORD", "DISCORD_BOT_TOKEN"):
        monkeypatch.setenv(name, "a-secret")
    assert terminal.call("connect", *arguments).sentence.startswith(sentence)


def test_a_journal_that_is_in_use_stops_the_second_connector(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("SERVER_TOKEN", "RCON_PASSWORD"):
        monkeypatch.setenv(name, "a-secret")
    journal = Journal(tmp_path / "rcon.journal")
    sentence = terminal.call("connect", "rcon").sentence
    journal.close()
    assert sentence == "Another connector uses the journal rcon.journal: give each its own with --journal."
