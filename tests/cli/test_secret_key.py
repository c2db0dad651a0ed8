"""The secret key: lost, replaced or wrong, it is noticed before anything is served, and nothing is sealed again."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import apsw
import pytest

from lootkeep import wiring
from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.kernel.money import Hundredths
from lootkeep.services import gift_cards as gift_cards_service, webhooks as webhooks_service
from lootkeep.settings import Settings
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import settings as stored_settings
from tests.cli.terminal import KEY, SECONDS, Terminal

OTHER = "another-key-of-more-than-32-characters"
WRONG = (
    "LOOTKEEP_SECRET_KEY is not the key that the secrets in this database are encrypted with. "
    "Set the previous one again."
)
# Each uses the store in another way; all of them open it.
COMMANDS = (
    ("user", "list"),
    ("token", "create", "--name", "till", "--all-scopes"),
    ("mail", "list"),
    ("demo", "load"),
)


@pytest.fixture
def terminal(terminal: Terminal) -> Terminal:
    """In the folder of a store that was never started."""
    terminal.call("migrate")
    return terminal


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, terminal: Terminal) -> Terminal:
    """A store that was started with a key, on each engine in turn."""
    if request.param == "postgresql":
        terminal.settings = {"database_url": request.getfixturevalue("new_postgres_url")}
    terminal.call("migrate")
    terminal.settings |= {"secret_key": KEY}
    assert terminal.call("user", "list").code == 0
    return terminal


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_another_key_is_rejected_by_every_command_that_opens_the_store(
    store: Terminal, command: tuple[str, ...]
) -> None:
    refused = store.call(*command, secret_key=OTHER)
    assert refused.sentence == WRONG
    assert store.call("user", "list").code == 0


def test_another_key_is_rejected_by_a_server(store: Terminal) -> None:
    assert store.call("serve", "--port", "0", secret_key=OTHER).sentence == WRONG


def test_another_key_is_rejected_by_a_worker(terminal: Terminal, new_postgres_url: str) -> None:
    terminal.settings = {"database_url": new_postgres_url}
    terminal.call("migrate")
    terminal.call("user", "list", secret_key=KEY)
    assert terminal.call("worker", secret_key=OTHER).sentence == WRONG


def test_doctor_finds_another_key(store: Terminal) -> None:
    before, after = key_line(store), key_line(store, secret_key=OTHER)
    assert (before["level"], before["sentence"]) == ("ok", "The secret key matches the database.")
    assert (after["level"], after["sentence"]) == ("bad", WRONG)


def test_no_key_is_created_next_to_a_database_that_has_one(terminal: Terminal) -> None:
    terminal.call("user", "list")
    file = terminal.folder / "lootkeep.db.key"
    key = file.read_text()
    file.unlink()
    refused = terminal.call("user", "list").sentence
    assert refused.startswith("The secret key is missing: ")
    assert "Restore that file from a backup, or set LOOTKEEP_SECRET_KEY to the key." in refused
    assert not file.exists()
    assert (key_line(terminal)["level"], file.exists()) == ("bad", False)
    assert terminal.call("user", "list", secret_key=key.strip()).code == 0


def test_a_key_file_that_was_replaced_is_rejected(terminal: Terminal) -> None:
    terminal.call("user", "list")
    file = terminal.folder / "lootkeep.db.key"
    file.write_text(OTHER)
    assert "lootkeep.db.key is not the key that" in terminal.call("user", "list").sentence
    assert file.read_text() == OTHER


def test_a_wrong_key_setting_is_rejected_and_the_key_file_is_named(terminal: Terminal) -> None:
    terminal.call("user", "list")
    assert terminal.call("user", "list", secret_key=OTHER).sentence == f"{WRONG} It may be in lootkeep.db.key."


@pytest.mark.parametrize("content", ["webhook", "gift card"])
def test_a_database_without_a_key_check_accepts_only_the_key_that_opens_its_secrets(
    store: Terminal, content: str
) -> None:
    asyncio.run(fill(store, content))
    refused = store.call("user", "list", secret_key=OTHER)
    accepted = store.call("user", "list")
    again = store.call("user", "list", secret_key=OTHER)
    assert (refused.sentence, accepted.code, again.sentence) == (WRONG, 0, WRONG)


def test_a_database_without_a_key_check_that_holds_secrets_gets_no_new_key(terminal: Terminal) -> None:
    terminal.call("user", "list")
    (terminal.folder / "lootkeep.db.key").replace(terminal.folder / "safe")
    asyncio.run(fill(terminal, "webhook", (terminal.folder / "safe").read_text().strip()))
    assert terminal.call("user", "list").sentence.startswith("The secret key is missing: ")


def test_a_database_without_a_key_check_or_secrets_accepts_its_first_key(store: Terminal) -> None:
    asyncio.run(fill(store, "nothing"))
    accepted = store.call("user", "list", secret_key=OTHER)
    assert (accepted.code, store.call("user", "list").sentence) == (0, WRONG)


def test_two_concurrent_first_starts_agree_on_one_key(terminal: Terminal) -> None:
    processes = [terminal.start("user", "list") for _ in range(2)]
    outputs = [process.communicate(timeout=SECONDS) for process in processes]
    assert [(process.returncode, err) for process, (_, err) in zip(processes, outputs, strict=True)] == [(0, "")] * 2
    assert [path.name for path in terminal.folder.glob("*.key*")] == ["lootkeep.db.key"]


def test_neither_the_key_nor_a_plain_digest_of_it_is_in_the_database(terminal: Terminal) -> None:
    terminal.call("user", "list", secret_key=KEY)
    ((document,),) = apsw.Connection(str(terminal.folder / "lootkeep.db")).execute(
        "SELECT value FROM settings WHERE name = 'secret_key'"
    )
    (fingerprint,) = json.loads(document).values()
    assert len(fingerprint) == 64
    assert KEY not in document


def key_line(terminal: Terminal, **settings: str) -> Any:
    findings = json.loads(terminal.call("doctor", "--json", **settings).out)
    (line,) = [finding for finding in findings if finding["what"] == "key"]
    return line


async def fill(terminal: Terminal, content: str, key: str = KEY) -> None:
    """Leaves the store as an earlier version did: with secrets, and without the fingerprint."""
    path = terminal.folder / "lootkeep.db"
    url = terminal.settings.get("database_url", f"sqlite:///{path}")
    config = Settings(_env_file=None, database_url=url, secret_key=key)
    async with wiring.opened(config) as deps:
        if content == "webhook":
            await webhooks_service.create(deps, "https://shop.example/", ["order.paid"])
        elif content == "gift card":
            terms = GiftCardTerms(Hundredths(1000), "USD", None, None, None, None, None, None, None, None, None)
            await gift_cards_service.create(deps, terms, own_code=None)
        async with deps.db.write() as tx:
            await tx.run(Query(stored_settings.delete().where(stored_settings.c.name == "secret_key")))
