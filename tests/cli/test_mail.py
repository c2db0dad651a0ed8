"""`lootkeep mail`: the outbox seen and sent from the command line, on both engines."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from lootkeep import wiring
from lootkeep.domain.emails import EmailStatus, StoreIdentity
from lootkeep.domain.settlement import Settlement
from lootkeep.kernel.clock import Instant
from lootkeep.settings import Settings
from lootkeep.storage import emails as emails_db
from lootkeep.views import emails as emails_views
from tests.cli.terminal import KEY, Terminal
from tests.conftest import ENGINES

CODE = "7KQ2-M9XW-4TRB-7K2P"
# As it may come from a buyer: it would clear the screen, and is not our own markup.
NASTY = "\x1b[2JAnn [bold]B[/]"
SERVER = {"smtp_url": "smtp://127.0.0.1:1", "mail_from": "Shop <shop@store.example>"}


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, terminal: Terminal, tmp_path: Path) -> Terminal:
    """A terminal whose store is on the one engine or the other."""
    on_postgres = request.param == "postgresql"
    url = request.getfixturevalue("new_postgres_url") if on_postgres else f"sqlite:///{tmp_path / 'store.db'}"
    terminal.settings |= {"database_url": url, "secret_key": KEY}
    assert terminal.call("migrate").code == 0
    return terminal


def write(store: Terminal, *ends: EmailStatus) -> None:
    """An e-mail for each state, as the operations and the worker leave them."""
    asyncio.run(_write(Settings(**store.settings), ends))  # type: ignore[arg-type]


async def _write(settings: Settings, ends: tuple[EmailStatus, ...]) -> None:
    async with wiring.opened(settings) as deps:
        for number, status in enumerate(ends, 1):
            values = {"amount": "$20.00", "code": CODE, "name": NASTY, "sender_name": NASTY}
            email = emails_views.render(
                "gift_card", StoreIdentity(), f"p{number}@mail.example", NASTY, message=None, expires_on=None, **values
            )
            now = Instant(number * 1_000_000)
            async with deps.db.write() as tx:
                await emails_db.add(tx, email, deps.vault.seal, now)
            if status == "queued":
                continue
            async with deps.db.write() as tx:
                claimed = await emails_db.QUEUE.claim(tx, "worker", now, now)
                assert claimed
                why = "No such mailbox." if status == "failed" else None
                end = Settlement(status=status, due_at=now, failures=1, reason=why)
                await emails_db.QUEUE.settle(tx, "worker", claimed, end, now)


def listed(store: Terminal, *options: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(store.call("mail", "list", "--json", *options).out)
    return answer


def states(store: Terminal, *options: str) -> list[tuple[int, str]]:
    return [(email["id"], email["status"]) for email in listed(store, *options)["mails"]]


def test_emails_are_listed_newest_first_without_their_text(store: Terminal) -> None:
    write(store, "outbox", "failed", "queued")
    listing = store.call("mail", "list")
    assert [re.split(" {2,}", line)[:2] for line in listing.out.splitlines() if line[0].isdigit()] == [
        ["3", "queued"],
        ["2", "failed"],
        ["1", "outbox, not sent"],
    ]
    assert "p1@mail.example" in listing.out
    assert "\x1b" not in listing.out
    for output in (listing.out, store.call("mail", "list", "--json").out):
        assert CODE not in output
    assert states(store) == [(3, "queued"), (2, "failed"), (1, "outbox")]


def test_one_state_is_listed_page_by_page(store: Terminal) -> None:
    write(store, "outbox", "sent", "outbox", "outbox")
    first = listed(store, "--status", "outbox", "--limit", "2")
    assert ([email["id"] for email in first["mails"]], first["next_before"]) == ([4, 3], 3)
    last = listed(store, "--status", "outbox", "--limit", "2", "--before", "3")
    assert ([email["id"] for email in last["mails"]], last["next_before"]) == ([1], None)
    words = store.call("mail", "list", "--status", "outbox", "--limit", "2").out
    assert words.endswith("Older ones: lootkeep mail list --status outbox --limit 2 --before 3\n")
    assert store.call("mail", "list", "--status", "failed").out == "There are no such e-mails.\n"


def test_an_email_is_shown_with_its_text_and_without_control_sequences(store: Terminal) -> None:
    write(store, "failed")
    output = store.call("mail", "show", "1").out
    assert CODE in output
    assert "No such mailbox." in output
    assert "[bold]B[/]" in output
    assert "\x1b" not in output
    assert CODE in json.loads(store.call("mail", "show", "1", "--json").out)["text"]
    assert store.call("mail", "show", "2").sentence == "Mail 2 not found."


def test_unsent_emails_are_queued_again(store: Terminal) -> None:
    write(store, "outbox", "failed", "outbox")
    assert store.call("mail", "retry", "1", "2", **SERVER).out == "".join(
        f"Mail {email_id} is queued in {store.database}.\n" for email_id in (1, 2)
    )
    assert states(store) == [(3, "outbox"), (2, "queued"), (1, "queued")]
    assert json.loads(store.call("mail", "retry", "3", "--json", **SERVER).out) == {"queued": [3]}
    assert [email["reason"] for email in listed(store)["mails"]] == [None, None, None]


@pytest.mark.parametrize("status", ["sent", "queued"])
def test_naming_a_sent_or_pending_email_queues_nothing_again(store: Terminal, status: EmailStatus) -> None:
    write(store, "outbox", status)
    sentence = f"Mail 2 is {status}: only e-mails that failed or are in the outbox can be sent again."
    assert store.call("mail", "retry", "1", "2", **SERVER).sentence == sentence
    assert states(store) == [(2, status), (1, "outbox")]
    assert store.call("mail", "retry", "9", **SERVER).sentence == "Mail 9 not found."


def test_without_an_esmtp_server_nothing_is_queued_again(store: Terminal) -> None:
    write(store, "outbox")
    sentence = "No mail server is set: the e-mails would end in the outbox again."
    assert store.call("mail", "retry", "1").sentence == sentence
    assert states(store) == [(1, "outbox")]
