"""How commands behave to people and to programs: help, JSON, colours, progress, completion, exit codes."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from lootkeep import wiring
from lootkeep.cli.commands import COMMANDS, imported
from lootkeep.services import settings as settings_service
from lootkeep.settings import Settings
from tests.cli.terminal import PROGRAM, Terminal, environment

# They serve until they are ended, or print JSON anyway.
WITHOUT_JSON = {"serve", "worker", "mcp", "openapi", "connect rcon", "connect discord"}
ESCAPE = "\x1b["


def leaves() -> Iterator[tuple[str, set[str]]]:
    """Every command as text, with its options."""
    waiting = [(name, imported(name)) for name in COMMANDS]
    while waiting:
        words, command = waiting.pop()
        below = getattr(command, "commands", {})
        waiting += [(f"{words} {name}", child) for name, child in below.items()]
        if not below:
            yield words, {option for parameter in command.params for option in parameter.opts}


LEAVES = dict(leaves())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_matches_each_commands_own_description(name: str) -> None:
    assert COMMANDS[name].help.split(".")[0] in (imported(name).help or "")


@pytest.mark.parametrize("words", sorted(LEAVES.keys() - WITHOUT_JSON))
def test_every_command_supports_json(words: str) -> None:
    assert "--json" in LEAVES[words]


def test_help_does_not_import_the_service() -> None:
    heavy = "[name for name in ('sqlalchemy', 'pydantic', 'httptools', 'starlette') if name in sys.modules]"
    code = f"import sys\nfrom lootkeep.cli import app\napp(['--help'], standalone_mode=False)\nprint({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize("words", [("--help",), ("doctor",), ("settings",), ("tokn",), ("token", "create")])
def test_there_are_no_colours_in_a_pipe(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert ESCAPE not in "".join(_piped(tmp_path, *words))


def test_a_terminal_gets_colours_and_a_progress_indicator(tmp_path: Path) -> None:
    output = _on_a_terminal(tmp_path, "migrate")
    assert "Bringing the schema up to date" in output
    assert ESCAPE in _on_a_terminal(tmp_path, "doctor")


def test_a_log_line_of_any_command_goes_to_stderr(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    """As of a replica that does not answer, next to `token create --quiet`."""
    terminal.call("settings", "--json")
    structlog.get_logger().warning("reads go to the primary")
    output = capsys.readouterr()
    assert (output.out, "reads go to the primary" in output.err) == ("", True)


@pytest.mark.parametrize(
    ("called", "named"),
    [
        (".venv/bin/lootkeep", ".venv/bin/lootkeep"),
        ("{folder}/.venv/bin/lootkeep", ".venv/bin/lootkeep"),
        ("lootkeep", "lootkeep"),
    ],
)
def test_a_printed_command_can_be_pasted_as_this_one_was_called(tmp_path: Path, called: str, named: str) -> None:
    (tmp_path / ".venv").symlink_to(PROGRAM.parent.parent)
    env = environment({})
    if "/" in called:
        env["PATH"] = os.defpath
    command = [called.format(folder=tmp_path), "sandbox", "status"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert f"`{named} serve` and `{named} migrate` create a new one." in done.stderr


def test_an_unknown_command_is_reported_with_a_suggestion(terminal: Terminal) -> None:
    outcome = terminal.call("tokn")
    assert outcome.code == 2
    assert "Did you mean 'token'?" in outcome.err


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("lootkeep ", list(COMMANDS)),
        ("lootkeep token ", ["create", "list", "revoke"]),
        ("lootkeep demo load --s", ["--scale", "--seed"]),
        ("lootkeep demo load --scale ", ["small", "medium", "large"]),
    ],
)
def test_bash_completion_works(tmp_path: Path, typed: str, expected: list[str]) -> None:
    variables = {
        "_LOOTKEEP_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split(" ")) - 1),
    }
    done = subprocess.run(
        [PROGRAM], cwd=tmp_path, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(tmp_path: Path, shell: str) -> None:
    # Named, not found out: the tests may be started from no shell that is known.
    variables = os.environ | {"_LOOTKEEP_COMPLETE": f"source_{shell}"}
    done = subprocess.run([PROGRAM], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert (done.returncode, f"complete_{shell}" in done.stdout) == (0, True)


def test_migrate_can_check_without_changing_anything(terminal: Terminal) -> None:
    before = terminal.call("migrate", "--check", "--json")
    assert (before.code, json.loads(before.out)["is_newest"]) == (1, False)
    assert list(terminal.folder.iterdir()) == []
    assert json.loads(terminal.call("migrate", "--json").out)["is_newest"] is True
    assert terminal.call("migrate", "--check").code == 0


def test_settings_say_what_was_set_in_the_console(terminal: Terminal) -> None:
    settings = Settings(_env_file=None, database_url=f"sqlite:///{terminal.folder}/lootkeep.db")
    asyncio.run(_set_in_console(settings, store_name="Pixel Forge", timezone="Asia/Tokyo"))
    shown = {row["name"]: row for row in json.loads(terminal.call("settings", "--json", timezone="UTC").out)}
    assert shown["LOOTKEEP_STORE_NAME"] == {"name": "LOOTKEEP_STORE_NAME", "value": "Pixel Forge", "source": "console"}
    assert (shown["LOOTKEEP_TIMEZONE"]["value"], shown["LOOTKEEP_TIMEZONE"]["source"]) == ("UTC", "environment")


async def _set_in_console(settings: Settings, **texts: str) -> None:
    async with wiring.opened(settings) as deps:
        await settings_service.save(deps, texts)


def test_settings_are_shown_without_keys_and_passwords(terminal: Terminal) -> None:
    secrets = {"secret_key": "k" * 40, "database_url": "postgresql://me:hunter2@db/shop", "mail_from": "a@b.example"}
    plain = terminal.call("settings", **secrets)
    shown = {row["name"]: row for row in json.loads(terminal.call("settings", "--json", **secrets).out)}
    assert shown["LOOTKEEP_DATABASE_URL"]["value"] == "postgresql://me:***@db/shop"
    assert (shown["LOOTKEEP_SECRET_KEY"]["value"], shown["LOOTKEEP_SECRET_KEY"]["source"]) == ("***", "environment")
    assert (shown["LOOTKEEP_PORT"]["value"], shown["LOOTKEEP_PORT"]["source"]) == ("8000", "default")
    assert not re.search("hunter2|kkk", plain.out)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me@db/shop?password=hunter2&ssl=on", "postgresql://me@db/shop?password=***&ssl=on"),
        ("postgresql://db/shop?user=me&sslpassword=hunter2", "postgresql://db/shop?user=me&sslpassword=***"),
        ("postgresql://db/shop?PassWord=hunter2", "postgresql://db/shop?PassWord=***"),
        ("postgresql://db/shop?pass%77ord=hunter2", "postgresql://db/shop?pass%77ord=***"),
        ("postgresql://me:hun@ter2@db/shop?password=hunter2", "postgresql://me:***@db/shop?password=***"),
        ("postgresql://me:hunter2@one:1,two:2/shop", "postgresql://me:***@one:1,two:2/shop"),
        ("redis://:hunter2@cache:6379/0", "redis://:***@cache:6379/0"),
        ("redis://cache/0?username=me&password=hunter2", "redis://cache/0?username=me&password=***"),
        ("unix:///run/redis.sock?password=hunter2", "unix:///run/redis.sock?password=***"),
        ("sqlite:///shop.db", "sqlite:///shop.db"),
        ("postgresql://[::1]:5432/shop", "postgresql://[::1]:5432/shop"),
    ],
)
def test_a_password_is_not_shown_anywhere_in_a_url(terminal: Terminal, url: str, shown: str) -> None:
    name = "redis_url" if url.startswith(("redis", "unix")) else "database_url"
    outcome = terminal.call("settings", "--json", **{name: url})
    rows = {row["name"]: row["value"] for row in json.loads(outcome.out)}
    assert rows[f"LOOTKEEP_{name.upper()}"] == shown
    assert not re.search("hun|ter2", outcome.out)


def test_a_password_with_a_slash_is_rejected_and_not_shown(terminal: Terminal) -> None:
    outcome = terminal.call("settings", "--json", database_url="postgresql://me:hun/ter2@db/shop")
    assert "in the password write %2F for /" in outcome.sentence
    assert not re.search("hun|ter2", outcome.out + outcome.err)


def test_created_rows_are_printed_as_json(terminal: Terminal) -> None:
    terminal.call("migrate")
    token = json.loads(terminal.call("token", "create", "--name", "till", "--scope", "orders:read", "--json").out)
    assert (token["token"][:3], token["name"], token["scopes"]) == ("lk_", "till", ["orders:read"])
    revoked = terminal.call("token", "revoke", str(token["id"]), "--json")
    assert json.loads(revoked.out) == {"id": token["id"], "was_valid": True}
    user = json.loads(terminal.call("user", "add", "amy@store.example", "--name", "Amy", "--json").out)
    assert (user["email"], user["is_owner"]) == ("amy@store.example", False)


def _coloured() -> dict[str, str]:
    return {name: value for name, value in environment({}).items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"}


def _piped(folder: Path, *words: str) -> tuple[str, str]:
    done = subprocess.run([PROGRAM, *words], cwd=folder, env=_coloured(), capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


def _on_a_terminal(folder: Path, *words: str) -> str:
    """Both streams as someone at a terminal sees them."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([PROGRAM, *words], cwd=folder, env=_coloured(), stdout=theirs, stderr=theirs):
        os.close(theirs)
        output = b""
        while block := _read(ours):
            output += block
    os.close(ours)
    return output.decode()


def _read(terminal: int) -> bytes:
    """Nothing when the other side is closed, which Linux reports as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
