"""The commands as a whole: help, version, `migrate`, `openapi` and `doctor`."""

from __future__ import annotations

import json
from typing import Any

import apsw
import pytest

from lootkeep import __version__, wiring
from lootkeep.engines.intelligence.sources import NEEDS
from lootkeep.storage import migrations
from tests.cli.terminal import KEY, SECONDS, Terminal

# Nothing listens on port 1.
NO_POSTGRES = "postgresql://postgres@127.0.0.1:1/postgres"
NO_REDIS = "redis://127.0.0.1:1/0"


def test_help_names_every_command(terminal: Terminal) -> None:
    outcome = terminal.run("--help")
    assert (outcome.code, outcome.err) == (0, "")
    for command in ("serve", "migrate", "openapi", "doctor", "token", "user"):
        assert f" {command} " in outcome.out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["serve"], ["--workers", "--host", "--port"]),
        (["migrate"], ["newest schema"]),
        (["openapi"], ["OpenAPI"]),
        (["doctor"], ["--json"]),
        (["token"], ["create", "list", "revoke"]),
        (["token", "create"], ["--name", "--user", "--scope", "--all-scopes", "--rate-limit", "--expires", "--quiet"]),
        (["token", "list"], ["--json"]),
        (["token", "revoke"], ["ID"]),
        (["user"], ["add", "list"]),
        (["user", "add"], ["email", "--name"]),
        (["user", "list"], ["--json"]),
    ],
    ids=lambda value: " ".join(value),
)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_each_command_explains_its_options(
    terminal: Terminal, command: list[str], words: list[str], option: str
) -> None:
    outcome = terminal.call(*command, option)
    assert outcome.code == 0
    assert [word for word in words if word not in outcome.out] == []


def test_version_is_printed_alone(terminal: Terminal) -> None:
    assert terminal.call("--version") == (0, f"{__version__}\n", "")


def test_no_command_at_all_shows_the_help(terminal: Terminal) -> None:
    outcome = terminal.call()
    assert "Usage: lootkeep" in outcome.out + outcome.err


def test_openapi_prints_the_document_and_needs_no_database(terminal: Terminal) -> None:
    outcome = terminal.call("openapi", database_url=NO_POSTGRES)
    assert json.loads(outcome.out) == json.loads(json.dumps(wiring.document()))
    assert json.loads(outcome.out)["openapi"] == "3.1.0"


def test_migrate_creates_the_schema_once_and_reports_it(terminal: Terminal, new_postgres_url: str) -> None:
    first = terminal.call("migrate", database_url=new_postgres_url)
    second = terminal.call("migrate", database_url=new_postgres_url)
    assert (first.code, first.out) == (0, f"The schema of {new_postgres_url} is now {migrations.HEAD}.\n")
    assert (second.code, second.out) == (0, f"The schema is up to date ({migrations.HEAD}).\n")


def test_migrate_creates_an_embedded_database_too(terminal: Terminal) -> None:
    outcome = terminal.call("migrate")
    assert (outcome.code, outcome.out) == (0, f"The schema of {terminal.database} is now {migrations.HEAD}.\n")
    assert (terminal.folder / "lootkeep.db").exists()


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_two_processes_that_migrate_concurrently_both_succeed(
    terminal: Terminal, engine: str, request: pytest.FixtureRequest
) -> None:
    is_embedded = engine == "sqlite"
    url = "sqlite:///lootkeep.db" if is_embedded else request.getfixturevalue("new_postgres_url")
    processes = [terminal.start("migrate", database_url=url) for _ in range(2)]
    outputs = [process.communicate(timeout=SECONDS) for process in processes]
    assert [(process.returncode, err) for process, (_, err) in zip(processes, outputs, strict=True)] == [(0, "")] * 2
    assert terminal.call("migrate", database_url=url).out == f"The schema is up to date ({migrations.HEAD}).\n"


def test_doctor_finds_only_missing_lists_before_the_first_start(terminal: Terminal) -> None:
    outcome = terminal.call("doctor")
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.splitlines()[:5] == [
        "ok       settings   The settings are valid (development).",
        "ok       database   There is no database at lootkeep.db yet; `lootkeep serve` creates it.",
        "ok       key        There is nothing to open yet.",
        "ok       redis      LOOTKEEP_REDIS_URL is not set: each process counts requests alone.",
        "warning  mail       No mail server is set, by the console or LOOTKEEP_SMTP_URL: e-mails stay in the outbox.",
    ]
    assert list(terminal.folder.iterdir()) == []


def test_doctor_finds_nothing_wrong_with_a_healthy_store(terminal: Terminal, postgres_url: str, redis_url: str) -> None:
    outcome = terminal.call("doctor", database_url=postgres_url, redis_url=redis_url, secret_key=KEY)
    assert [line for line in outcome.out.splitlines() if line.split()[1] in ("database", "key", "redis", "mail")] == [
        f"ok       database   The database answers and its schema is up to date ({migrations.HEAD}).",
        "ok       key        The secret key matches the database.",
        "ok       redis      Redis answers.",
        "warning  mail       No mail server is set, by the console or LOOTKEEP_SMTP_URL: e-mails stay in the outbox.",
    ]


def test_doctor_supports_json(terminal: Terminal) -> None:
    findings = json.loads(terminal.call("doctor", "--json").out)
    assert [(finding["what"], finding["level"]) for finding in findings] == [
        ("settings", "ok"),
        ("database", "ok"),
        ("key", "ok"),
        ("redis", "ok"),
        ("mail", "warning"),
        *((need, "warning" if need in ("vpn", "proxy", "tor") else "ok") for need in NEEDS),
    ]


@pytest.mark.parametrize(
    ("settings", "subject", "sentence"),
    [
        ({"port": "eighty"}, "settings", "LOOTKEEP_PORT: input should be a valid integer"),
        ({"environment": "production"}, "settings", "LOOTKEEP_SECRET_KEY must be set in production"),
        ({"database_url": "mysql://x"}, "settings", "LOOTKEEP_DATABASE_URL must be sqlite:///FILE or postgresql://"),
        ({"database_url": NO_POSTGRES}, "settings", "LOOTKEEP_SECRET_KEY must be set with PostgreSQL"),
        (
            {"environment": "production", "secret_key": KEY, "rate_limit_per_minute": "0"},
            "settings",
            "The rate limit is off in production: set LOOTKEEP_RATE_LIMIT_PER_MINUTE.",
        ),
        ({"database_url": NO_POSTGRES, "secret_key": KEY}, "database", "PostgreSQL cannot be reached"),
        ({"redis_url": NO_REDIS}, "redis", "Check LOOTKEEP_REDIS_URL."),
        ({"redis_url": "not an address"}, "settings", "LOOTKEEP_REDIS_URL"),
    ],
)
def test_doctor_names_what_is_wrong_and_exits_with_2(
    terminal: Terminal, settings: dict[str, str], subject: str, sentence: str
) -> None:
    outcome = terminal.call("doctor", "--json", **settings)
    (bad,) = [finding for finding in json.loads(outcome.out) if finding["level"] == "bad"]
    assert outcome.code == 2
    assert bad["what"] == subject
    assert sentence in bad["sentence"]


def test_doctor_counts_although_a_list_is_bad(terminal: Terminal) -> None:
    terminal.call("migrate")
    lists = terminal.folder / "lootkeep-data"
    lists.mkdir()
    (lists / "shopping.txt").write_text("milk")
    outcome = terminal.call("doctor", "--check-counters")
    assert outcome.code == 2
    assert "ok       counters   Every maintained total equals a recount.\n" in outcome.out


def test_doctor_reports_when_it_cannot_count(terminal: Terminal) -> None:
    outcome = terminal.call("doctor", "--check-counters", redis_url=NO_REDIS)
    assert outcome.code == 2
    assert "bad      counters   Nothing was counted: fix the errors of the store first.\n" in outcome.out


def test_doctor_finds_a_file_that_is_not_a_database(terminal: Terminal) -> None:
    (terminal.folder / "lootkeep.db").write_text("Dear diary, " * 100)
    assert "is not a SQLite database" in _bad_database(terminal)


def test_doctor_finds_a_database_newer_than_the_code(terminal: Terminal) -> None:
    terminal.call("migrate")
    apsw.Connection(str(terminal.folder / "lootkeep.db")).execute("UPDATE schema_version SET version = '9999'")
    assert "created by a newer Lootkeep" in _bad_database(terminal)


def test_doctor_finds_a_schema_that_is_not_up_to_date(terminal: Terminal, new_postgres_url: str) -> None:
    assert "Run `lootkeep migrate`" in _bad_database(terminal, database_url=new_postgres_url, secret_key=KEY)


def _bad_database(terminal: Terminal, **settings: str) -> str:
    outcome = terminal.call("doctor", "--json", **settings)
    findings: dict[str, Any] = {finding["what"]: finding for finding in json.loads(outcome.out)}
    assert (outcome.code, findings["database"]["level"]) == (2, "bad")
    sentence: str = findings["database"]["sentence"]
    return sentence
