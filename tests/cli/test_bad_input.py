"""Invalid input is one sentence on stderr and a non-zero exit code, never a traceback."""

from __future__ import annotations

import socket

import apsw
import pytest

from lootkeep.storage import migrations
from tests.cli.terminal import KEY, Terminal

# Nothing listens on port 1.
NOWHERE = "postgresql://postgres@127.0.0.1:1/postgres"
ADDRESS = "LOOTKEEP_DATABASE_URL must be sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME."
NO_KEY = (
    "LOOTKEEP_SECRET_KEY must be set {where}: at least 32 random characters, the same for every process. "
    "`openssl rand -hex 32` generates one."
)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"database_url": "mysql://root@localhost/store"}, ADDRESS),
        (
            {"database_url": "sqlite:///nowhere/lootkeep.db"},
            "The database nowhere/lootkeep.db cannot be opened. Check that its folder exists and is writable.",
        ),
        (
            {"database_url": NOWHERE, "secret_key": KEY},
            "PostgreSQL cannot be reached: [Errno 111] Connection refused. "
            "Check LOOTKEEP_DATABASE_URL and that the server is running.",
        ),
        ({"database_url": NOWHERE}, NO_KEY.format(where="with PostgreSQL")),
        ({"environment": "production"}, NO_KEY.format(where="in production")),
        (
            {"environment": "production", "secret_key": "ab" * 16},
            "LOOTKEEP_SECRET_KEY is too easy to guess for production: it repeats a few characters. "
            "`openssl rand -hex 32` generates a random one.",
        ),
        (
            {"host": "no-such-host.invalid"},
            "Port 0 on no-such-host.invalid cannot be used (Name or service not known). "
            "Check LOOTKEEP_HOST and LOOTKEEP_PORT.",
        ),
    ],
    ids=["scheme", "folder", "unreachable", "no key with PostgreSQL", "no key in production", "weak key", "host"],
)
def test_a_server_that_cannot_start_reports_the_reason(
    terminal: Terminal, settings: dict[str, str], sentence: str
) -> None:
    assert terminal.call("serve", "--port", "0", **settings).sentence == sentence


def test_several_processes_on_an_embedded_database_are_rejected_with_advice(terminal: Terminal) -> None:
    assert terminal.call("serve", "--workers", "2").sentence == (
        "An embedded database serves one process. Set LOOTKEEP_DATABASE_URL to a PostgreSQL database "
        "to use --workers, or leave --workers out."
    )
    assert list(terminal.folder.iterdir()) == []


def test_a_port_in_use_is_named(terminal: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        outcome = terminal.run("serve", port=str(port))
    assert outcome.sentence == (
        f"Port {port} on 127.0.0.1 is in use. Stop what listens there, or set LOOTKEEP_PORT to another port."
    )


def test_a_file_that_is_not_a_database_is_named_and_not_changed(terminal: Terminal) -> None:
    file = terminal.folder / "notes.txt"
    file.write_text("Dear diary, " * 100)
    outcome = terminal.call("serve", "--port", "0", database_url="sqlite:///notes.txt")
    assert outcome.sentence == (
        "notes.txt is not a SQLite database. Set LOOTKEEP_DATABASE_URL to another file, or move this one."
    )
    assert file.read_text() == "Dear diary, " * 100


def test_a_database_newer_than_the_code_is_rejected(terminal: Terminal) -> None:
    terminal.call("migrate")
    apsw.Connection(str(terminal.folder / "lootkeep.db")).execute("UPDATE schema_version SET version = '9999'")
    outcome = terminal.call("serve", "--port", "0")
    assert outcome.sentence == (
        f"lootkeep.db was created by a newer Lootkeep (schema 9999, this version knows {migrations.HEAD}). "
        "Upgrade Lootkeep, or restore a backup made with this version."
    )


def test_an_empty_postgresql_database_is_rejected_with_the_command_to_run_by_all_but_the_server(
    terminal: Terminal, new_postgres_url: str
) -> None:
    outcome = terminal.call("token", "list", database_url=new_postgres_url, secret_key=KEY)
    assert outcome.sentence == ("The database schema is not up to date. Run `lootkeep migrate`, then start again.")


def test_every_setting_that_is_wrong_is_named_at_once(terminal: Terminal) -> None:
    outcome = terminal.call("serve", port="eighty", currency="GOLD", log_level="loud", secret_key="short")
    assert sorted(line.partition(":")[0] for line in outcome.sentence.splitlines()) == [
        "LOOTKEEP_CURRENCY",
        "LOOTKEEP_LOG_LEVEL",
        "LOOTKEEP_PORT",
        "LOOTKEEP_SECRET_KEY",
    ]


@pytest.mark.parametrize(
    "command",
    [["migrate"], ["token", "list"], ["user", "list"], ["token", "revoke", "1"]],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("mysql://root@localhost/store", "must be sqlite:///FILE or postgresql://"),
        ("sqlite:///", "must be sqlite:///FILE or postgresql://"),
        ("sqlite:///nowhere/x.db", "nowhere/x.db"),
        (NOWHERE, "PostgreSQL cannot be reached"),
        ("postgresql://postgres@no-such-host.invalid/x", "PostgreSQL cannot be reached"),
        ("postgresql://postgres@127.0.0.1:port/x", "LOOTKEEP_DATABASE_URL: must be postgresql://"),
    ],
)
def test_every_command_reports_an_unreachable_database_in_a_sentence(
    terminal: Terminal, command: list[str], url: str, reason: str
) -> None:
    assert reason in terminal.call(*command, database_url=url, secret_key=KEY).sentence


@pytest.mark.parametrize("command", [["user", "list"], ["doctor"], ["settings"]])
@pytest.mark.parametrize(
    "login", ["x:hunter2", "x:y/hunter2", "x:1/hunter2", "x:y#hunter2", "x:y?hunter2", "x/hunter2"]
)
@pytest.mark.parametrize("scheme", ["postgresql://", "postgresql:/", "postgersql://", "postgresql:///"])
def test_a_password_in_the_url_is_not_shown(terminal: Terminal, command: list[str], login: str, scheme: str) -> None:
    outcome = terminal.call(*command, database_url=f"{scheme}{login}@127.0.0.1:1/x", secret_key=KEY)
    assert "hunter2" not in outcome.out + outcome.err


def test_a_database_of_another_program_is_rejected_and_not_changed(terminal: Terminal) -> None:
    database = apsw.Connection(str(terminal.folder / "lootkeep.db"))
    database.execute("CREATE TABLE users (nickname TEXT)")
    assert "lootkeep.db" in terminal.call("user", "list").sentence
    assert database.execute("SELECT name FROM sqlite_schema").fetchall() == [("users",)]


@pytest.mark.parametrize("url", ["not an address", "http://127.0.0.1:6379", "redis://127.0.0.1:port/0"])
def test_an_invalid_redis_url_is_rejected_with_its_setting(terminal: Terminal, url: str) -> None:
    assert "LOOTKEEP_REDIS_URL" in terminal.call("user", "list", redis_url=url).sentence


@pytest.mark.parametrize("port", ["-1", "65536", "eighty"])
def test_an_invalid_port_is_rejected(terminal: Terminal, port: str) -> None:
    outcome = terminal.call("serve", "--port", port)
    assert outcome.code == 2
    assert "--port" in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["token", "nonsense"],
        ["token", "create"],
        ["token", "create", "--name", "x", "--all-scopes", "--expires", "0"],
        ["token", "create", "--name", "x", "--all-scopes", "--expires", "36501"],
        ["token", "create", "--name", "x", "--all-scopes", "--rate-limit", "-1"],
        ["token", "revoke"],
        ["token", "revoke", "first"],
        ["user", "add", "ada@store.test"],
        ["user", "add", "--name", "Ada"],
        ["serve", "--workers", "0"],
    ],
    ids=" ".join,
)
def test_an_invalid_command_line_prints_the_usage(terminal: Terminal, arguments: list[str]) -> None:
    outcome = terminal.call(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Usage: " in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["token", "revoke", "99999999999999999999"],
        ["token", "create", "--name", "x", "--all-scopes", "--rate-limit", "99999999999999999999"],
    ],
    ids=" ".join,
)
def test_a_number_too_large_for_the_database_is_rejected_with_a_message(
    terminal: Terminal, arguments: list[str]
) -> None:
    outcome = terminal.call(*arguments)
    assert outcome.code != 0
    assert outcome.err
    assert "Traceback" not in outcome.err
