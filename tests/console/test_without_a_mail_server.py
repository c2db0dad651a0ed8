"""A store without a mail server: nothing claims to be sent, and what cannot be sent is off and says why."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import update

from lootkeep.storage import emails as emails_db
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import mails
from tests.api.campaigns import in_state, make, read, reader
from tests.api.gift_card_states import card_in
from tests.builders import new_gift_card
from tests.console.visits import visitor
from tests.world import World

NONE_SET = "Sending needs a mail server."
REFUSED = "No mail server is set, so nothing was sent. An owner sets it in the console under Settings."


@pytest.fixture
async def silent(store: World) -> AsyncIterator[World]:
    """The store of the tests, started again without a mail server."""
    world = World(store.db, clock=store.clock, has_mail_server=False)
    world.token = store.token
    yield world
    await world.close()


async def test_a_campaign_cannot_be_sent_or_tested_and_the_page_leads_to_the_settings(silent: World) -> None:
    await reader(silent)
    visits = await visitor(silent, "owner")
    page = (await visits.get("/campaigns/1")).text
    assert NONE_SET in page
    assert 'href="/console/settings#mail"' in page
    assert len(re.findall(r"<button[^>]* disabled>Send ", page)) == 2
    assert 'id="mail"' in (await visits.get("/settings")).text
    for path, fields in (("send", {"confirmed": "yes"}), ("test", {"email": "me@shop.example"})):
        answer = await visits.post(f"/campaigns/1/{path}", on="/campaigns/1", **fields)
        assert (answer.status_code, REFUSED in answer.text) == (409, True)
    assert (await read(silent, 1))["status"] == "draft"


async def test_a_campaign_that_failed_is_sent_from_its_page_once_there_is_a_mail_server(store: World) -> None:
    await reader(store)
    failed = await in_state(store, "failed")
    path = f"/campaigns/{failed['id']}"
    visits = await visitor(store, "staff")
    assert "Send again" in (await visits.get(path)).text
    assert (await visits.post(f"{path}/send", on=path, confirmed="yes")).status_code == 303
    assert (await read(store, failed["id"]))["status"] == "sending"


async def test_a_gift_card_is_not_counted_as_sent(silent: World) -> None:
    visits = await visitor(silent, "staff")
    fields = {"initial_balance": "5.00", "recipient_email": "mina@mail.example"}
    form = await visits.get("/gift-cards/new")
    assert "the card is not e-mailed" in form.text
    issued = await visits.post("/gift-cards/new", on="/gift-cards/new", **fields)
    page = (await visits.http.get(issued.headers["location"])).text
    assert "not sent" in page
    assert "1 time" not in page
    assert NONE_SET in page
    refused = await visits.post("/gift-cards/2/send", on="/gift-cards/2")
    assert (refused.status_code, REFUSED in refused.text) == (409, True)


async def test_a_reply_is_saved_and_says_that_it_is_not_emailed(silent: World) -> None:
    visits = await visitor(silent, "staff")
    await visits.post("/tickets/1/reply", on="/tickets/1", message="Try again.")
    page = (await visits.get("/tickets/1")).text
    assert '<p class="notice said warn" role="status">The message is saved, but not e-mailed' in page
    assert "on its way" not in page
    await visits.post("/tickets/1/close", on="/tickets/1", message="Bye.")
    assert "is closed. The message is saved, but not e-mailed" in (await visits.get("/tickets/1")).text


async def test_an_alert_by_email_says_that_nothing_is_sent(silent: World) -> None:
    visits = await visitor(silent, "staff")
    page = (await visits.get("/alerts")).text
    assert (NONE_SET in page, "Send a test" in page, "Not sent" in page) == (True, False, True)
    refused = await visits.post("/alerts/1/test", on="/alerts")
    assert (refused.status_code, REFUSED in refused.text) == (409, True)


async def test_mail_is_not_well_on_the_page_of_health(silent: World) -> None:
    page = (await (await visitor(silent, "staff")).get("/health")).text
    assert re.search(r'<li class="warn"><div><h2>Mail</h2>', page)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/email-campaigns/1/send", {}),
        ("/email-campaigns/1/test", {"email": "me@shop.example"}),
        ("/gift-cards/1/resend-email", {"email": "mina@mail.example"}),
        ("/alerts/1/test", None),
    ],
)
async def test_the_api_refuses_to_send_into_nothing(silent: World, path: str, body: dict[str, str] | None) -> None:
    await reader(silent)
    answer = await silent.post(path, body)
    assert (answer.status_code, answer.json()["code"], answer.json()["message"]) == (409, "no_mail_server", REFUSED)
    async with silent.db.read() as tx:
        assert await emails_db.newest(tx, None, 10) == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/email-campaigns/99/send", {}),
        ("/email-campaigns/99/send", {"scheduled_at": "2026-11-20T00:00:00Z"}),
        ("/email-campaigns/99/test", {"email": "me@shop.example"}),
        ("/gift-cards/99/resend-email", {}),
        ("/alerts/99/test", None),
    ],
)
async def test_what_does_not_exist_is_not_found_also_without_a_mail_server(
    silent: World, path: str, body: dict[str, str] | None
) -> None:
    answer = await silent.post(path, body)
    assert (answer.status_code, answer.json()["error"]) == (404, "Not Found")


async def test_what_cannot_be_sent_at_all_is_reported_before_the_missing_mail_server(silent: World) -> None:
    empty = await make(silent, body_html="")
    unread = await make(silent, audience={"type": "customers", "customer_ids": [99]})
    sent = await in_state(silent, "sent")
    card = await new_gift_card(silent)
    revoked = await card_in(silent, "revoked")
    refused = [
        await silent.post(f"/email-campaigns/{empty['id']}/send", {}),
        await silent.post(f"/email-campaigns/{unread['id']}/send", {}),
        await silent.post(f"/email-campaigns/{sent['id']}/send", {}),
        await silent.post(f"/gift-cards/{card['id']}/resend-email", {}),
        await silent.post(f"/gift-cards/{revoked['id']}/resend-email", {"email": "mina@mail.example"}),
    ]
    assert [(answer.status_code, answer.json()["code"]) for answer in refused] == [
        (422, "validation_failed"),
        (422, "empty_audience"),
        (409, "campaign_not_draft"),
        (422, "validation_failed"),
        (409, "gift_card_revoked"),
    ]


async def test_the_api_says_that_a_message_of_staff_is_not_emailed(silent: World) -> None:
    answers = [
        (await silent.post("/support-tickets/1/messages", {"message": "Try again.", "is_internal": is_internal})).json()
        for is_internal in (True, False)
    ]
    assert [answer["message"] for answer in answers] == [
        "Message added successfully",
        "The message is saved, but not e-mailed: no mail server is configured.",
    ]


@pytest.mark.parametrize(
    ("status", "reason", "tone", "words"),
    [
        ("queued", None, "info", "is being sent"),
        ("sent", None, "ok", "was accepted by the mail server"),
        ("queued", "the mail server cannot be reached", "bad", "cannot be reached. It is tried again."),
        ("failed", "the mail server answered 550", "bad", "was not sent: the mail server answered 550."),
        ("outbox", None, "bad", "was not sent: no mail server is configured."),
    ],
)
async def test_what_came_of_a_test_email_is_shown_on_the_page_of_its_campaign(
    store: World, status: str, reason: str | None, tone: str, words: str
) -> None:
    visits = await visitor(store, "staff")
    sent = await visits.post("/campaigns/1/test", on="/campaigns/1", email="me@shop.example")
    await _end(store, status, reason)
    page = (await visits.http.get(sent.headers["location"])).text
    (notice,) = re.findall(rf'<p class="notice {tone}" role="[a-z]+">([^<]+)</p>', page)
    assert words in notice


async def _end(world: World, status: str, reason: str | None) -> None:
    finished_at = None if status == "queued" else world.clock.now()
    async with world.db.write() as tx:
        await tx.run(Query(update(mails).values(status=status, reason=reason, finished_at=finished_at)))
