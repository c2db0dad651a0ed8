"""Campaigns from the deed to the reader: sent once, at a pace, resumed, counted, and unsubscribed from."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import bindparam, select, update

from lootkeep.domain.mail import LEASE, RETRY_SECONDS
from lootkeep.engines.mail import Mailer
from lootkeep.engines.mail.message import Sender
from lootkeep.engines.mail.outbox import OutboxMailer
from lootkeep.engines.mail.smtp import SmtpMailer, parse_server
from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.kernel.clock import DAY, MINUTE, SECOND, iso
from lootkeep.storage import campaign_queue as queue
from lootkeep.storage.query import Query
from lootkeep.storage.tables import campaign_recipients, customers
from lootkeep.worker.campaigns import HOLD_OFF, Campaigner, Manner
from tests.api.campaigns import PATH, make, read, reader, set_customer
from tests.mailbox import Letter, MailServer
from tests.world import World

URL = "https://shop.example"
HOSTILE = '<b>Ann</b> & "Bob" {{ email }} 💎'
_RECIPIENTS = Query(
    select(campaign_recipients.c.email, campaign_recipients.c.status, campaign_recipients.c.perhaps_twice).order_by(
        campaign_recipients.c.id
    )
)
_STATUS = Query(select(customers.c.email_status).where(customers.c.id == bindparam("this")))


@pytest.fixture
async def server() -> AsyncIterator[MailServer]:
    async with MailServer() as server:
        yield server


def campaigner(world: World, server: MailServer | None, **options: Any) -> Campaigner:
    mailer: Mailer = OutboxMailer()
    if server:
        mailer = SmtpMailer(parse_server(server.url), Sender("Shop", "shop@store.example"), world.clock)
    # A fast pace, so that tests which are not about it need not move the clock for each mail.
    manner = Manner(URL, has_server=server is not None, **{"mails_per_minute": 60 * SECOND} | options)
    return Campaigner(world.deps, MemoryWakeup(), mailer, manner)


async def send(world: World, **fields: Any) -> int:
    campaign = await make(world, **fields)
    answer = await world.post(f"{PATH}/{campaign['id']}/send", {})
    assert answer.status_code == 200, answer.text
    return int(campaign["id"])


async def work(world: World, *workers: Campaigner) -> None:
    """Turns until there is nothing left to do, a moment apart."""
    while any([await worker.turn() for worker in workers]):
        world.clock.advance(10)


async def stats(world: World, campaign_id: int) -> dict[str, Any]:
    data: dict[str, Any] = (await world.get(f"{PATH}/{campaign_id}/stats")).json()["data"]
    return data


async def recipients(world: World) -> list[tuple[Any, ...]]:
    async with world.db.read() as tx:
        return await tx.all(_RECIPIENTS)


async def email_status(world: World, customer_id: int) -> str:
    async with world.db.read() as tx:
        ((status,),) = await tx.all(_STATUS, this=customer_id)
    return str(status)


def links_of(letter: Letter) -> list[str]:
    return re.findall(r"""(?:href|src)=["']([^"']*)""", letter.part("html"))


async def test_everyone_is_written_to_once_and_the_campaign_ends_sent(world: World, server: MailServer) -> None:
    people = [await reader(world) for _ in range(5)]
    campaign = await send(world, from_name="Dragon Shop", reply_to="help@shop.example")
    await work(world, campaigner(world, server))
    assert [letter.recipients for letter in server.arrived] == [[one["email"]] for one in people]
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["failed_count"], data["error"]) == ("sent", 5, 0, None)
    assert data["completed_at"] is not None
    letter = server.arrived[0]
    assert letter.names("From") == [("Dragon Shop", "shop@store.example")]
    assert letter.message["Reply-To"] == "help@shop.example"
    assert (await stats(world, campaign))["progress"] == 100.0


async def test_placeholders_are_filled_in_escaped_and_never_looked_at_again(world: World, server: MailServer) -> None:
    customer = await reader(world, name=HOSTILE)
    body = "<p>Hi {{name}}, {{ email }} {{ referral_code }} {{ unknown }} {{ 7*7 }}</p>"
    await send(world, subject="For {{ name }}", body_html=body, body_text="Hi {{ name }} {{ unsubscribe_url }}")
    await work(world, campaigner(world, server))
    (letter,) = server.arrived
    escaped = "&lt;b&gt;Ann&lt;/b&gt; &amp; &quot;Bob&quot; {{ email }} 💎"
    filled = f"<p>Hi {escaped}, {customer['email']} {customer['referral_code']} {{{{ unknown }}}} {{{{ 7*7 }}}}</p>"
    assert filled in letter.part("html")
    assert str(letter.message["Subject"]) == f"For {HOSTILE}"
    assert letter.part("plain").startswith(f"Hi {HOSTILE} {URL}/u/")
    assert letter.names("To") == [(HOSTILE, customer["email"])]


async def test_a_name_with_a_line_break_adds_no_header(world: World, server: MailServer) -> None:
    await reader(world, name="Ann\r\nBcc: evil@evil.example")
    await send(world, subject="For {{ name }}")
    await work(world, campaigner(world, server))
    (letter,) = server.arrived
    assert (letter.message["Bcc"], len(letter.recipients)) == (None, 1)
    assert str(letter.message["Subject"]) == "For Ann Bcc: evil@evil.example"


async def test_each_mail_unsubscribes_by_one_click_and_by_a_page_with_a_button(
    world: World, server: MailServer
) -> None:
    customer = await reader(world)
    campaign = await send(world)
    await work(world, campaigner(world, server))
    (letter,) = server.arrived
    header = str(letter.message["List-Unsubscribe"]).replace("\r\n ", "")
    assert letter.message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = header.strip("<>")
    assert link.startswith(f"{URL}/u/")
    assert link in letter.part("html")
    assert link in letter.part("plain")
    path = link.removeprefix(URL)
    page = await world.http.get(path)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert '<form method="post"><button>Unsubscribe</button></form>' in page.text
    assert "form-action 'self'" in page.headers["content-security-policy"]
    assert await email_status(world, customer["id"]) == "ok"
    for _ in range(2):
        clicked = await world.http.post(path, data={"List-Unsubscribe": "One-Click"})
        assert (clicked.status_code, "Unsubscribed" in clicked.text) == (200, True)
    assert await email_status(world, customer["id"]) == "unsubscribed"
    figures = await stats(world, campaign)
    assert (figures["unsubscribed"], figures["unsubscribe_rate"]) == (1, 100.0)
    again = await make(world)
    assert (await world.post(f"{PATH}/{again['id']}/send", {})).json()["code"] == "empty_audience"


async def test_opens_and_clicks_are_counted_once_each_and_links_lead_where_they_did(
    world: World, server: MailServer
) -> None:
    await reader(world)
    body = (
        "<body><a href=\"https://a.example/?x=1&amp;y=2\">A</a><a href='https://b.example/'>B</a>"
        '<a href="https://a.example/?x=1&amp;y=2">again</a><a href="mailto:x@y.example">m</a>'
        '<a href="https://r.example/{{ referral_code }}">r</a></body>'
    )
    campaign = await send(world, body_html=body)
    await work(world, campaigner(world, server))
    first, second, third, mailto, own, unsubscribe, pixel = links_of(server.arrived[0])
    assert (first == third, mailto) == (True, "mailto:x@y.example")
    assert own.startswith("https://r.example/")
    assert unsubscribe.startswith(f"{URL}/u/")
    for _ in range(2):
        shown = await world.http.get(pixel.removeprefix(URL))
        assert (shown.status_code, shown.headers["content-type"]) == (200, "image/gif")
    assert (await stats(world, campaign))["opened"] == 1
    for link, target in ((first, "https://a.example/?x=1&y=2"), (second, "https://b.example/")):
        followed = await world.http.get(link.removeprefix(URL))
        assert (followed.status_code, followed.headers["location"]) == (302, target)
    figures = await stats(world, campaign)
    assert (figures["opened"], figures["clicked"], figures["click_rate"]) == (1, 1, 100.0)


async def test_a_click_counts_as_opened_where_images_are_not_shown(world: World, server: MailServer) -> None:
    await reader(world)
    campaign = await send(world, body_html='<a href="https://a.example/">A</a>')
    await work(world, campaigner(world, server))
    await world.http.get(links_of(server.arrived[0])[0].removeprefix(URL))
    figures = await stats(world, campaign)
    assert (figures["opened"], figures["clicked"]) == (1, 1)


async def test_counting_can_be_switched_off(world: World, server: MailServer) -> None:
    await reader(world)
    await send(world, body_html='<a href="https://a.example/">A</a>')
    await work(world, campaigner(world, server, is_tracked=False))
    link, unsubscribe = links_of(server.arrived[0])
    assert link == "https://a.example/"
    assert unsubscribe.startswith(f"{URL}/u/")


@pytest.mark.parametrize("page", ["u", "c", "o"])
async def test_a_token_that_is_not_ours_or_is_for_another_page_does_nothing(
    world: World, server: MailServer, page: str
) -> None:
    customer = await reader(world)
    campaign = await send(world, body_html='<a href="https://a.example/">A</a>')
    await work(world, campaigner(world, server))
    click, unsubscribe, pixel = (link.rpartition("/")[2] for link in links_of(server.arrived[0]))
    own = {"u": unsubscribe, "c": click, "o": pixel}
    others = [token for name, token in own.items() if name != page]
    forged = [own[page][:-1] + ("A" if own[page][-1] != "A" else "B"), "2" + own[page], "x", "1.", ".", "1.é", "%00"]
    forged += [world.deps.vault.sign("999", "unsubscribe"), "https://evil.example", "//evil.example"]
    for token in [*others, *forged]:
        answer = await world.http.get(f"/{page}/{token}")
        assert "location" not in answer.headers
        assert answer.status_code in (200, 404)
        if page == "u":
            assert (await world.http.post(f"/{page}/{token}")).status_code == 404
    assert await email_status(world, customer["id"]) == "ok"
    figures = await stats(world, campaign)
    assert (figures["opened"], figures["clicked"], figures["unsubscribed"]) == (0, 0, 0)


async def test_a_link_beyond_those_of_the_mail_leads_nowhere(world: World, server: MailServer) -> None:
    await reader(world)
    await send(world, body_html='<a href="https://a.example/">A</a>')
    await work(world, campaigner(world, server))
    assert (await world.http.get(f"/c/{world.deps.vault.sign('1.7', 'click')}")).status_code == 404


async def test_without_a_server_nothing_is_called_sent(world: World) -> None:
    for _ in range(3):
        await reader(world)
    campaign = await send(world)
    await work(world, campaigner(world, None))
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["outbox_count"]) == ("failed", 0, 3)
    assert data["error"] == "No mail server is set: the mails are in the outbox and none was sent."
    assert {status for _, status, _ in await recipients(world)} == {"outbox"}
    assert (await stats(world, campaign))["sent"] == 0


async def test_a_scheduled_campaign_starts_at_its_time_with_who_is_there_then(world: World, server: MailServer) -> None:
    first = await reader(world)
    campaign = await make(world)
    time = iso(world.clock.now() + DAY)  # type: ignore[arg-type]
    await world.post(f"{PATH}/{campaign['id']}/send", {"scheduled_at": time})
    working = campaigner(world, server)
    world.clock.advance(DAY - 1)
    assert not await working.turn()
    second = await reader(world)
    await set_customer(world, first["id"], email_status="unsubscribed")
    world.clock.advance(1)
    await work(world, working)
    assert [letter.recipients for letter in server.arrived] == [[second["email"]]]
    assert (await read(world, campaign["id"]))["status"] == "sent"


async def test_a_scheduled_campaign_with_nobody_left_fails_and_says_why(world: World, server: MailServer) -> None:
    customer = await reader(world)
    campaign = await make(world)
    time = iso(world.clock.now() + DAY)  # type: ignore[arg-type]
    await world.post(f"{PATH}/{campaign['id']}/send", {"scheduled_at": time})
    await set_customer(world, customer["id"], status="blocked")
    world.clock.advance(DAY)
    await work(world, campaigner(world, server))
    data = await read(world, campaign["id"])
    assert (data["status"], data["error"]) == ("failed", "There was nobody to write to when its time came.")


async def test_the_pace_is_kept_by_all_workers_and_campaigns_together(world: World, server: MailServer) -> None:
    for _ in range(4):
        await reader(world)
    await send(world)
    await send(world)
    workers = [campaigner(world, server, mails_per_minute=60) for _ in range(3)]
    for second in range(8):
        for worker in workers:
            await worker.turn()
        assert len(server.arrived) == second + 1
        world.clock.advance(SECOND)
    for worker in workers:
        await worker.turn()
    assert Counter(letter.recipients[0] for letter in server.arrived).most_common(1)[0][1] == 2


async def test_workers_at_once_never_write_to_anyone_twice(world: World, server: MailServer) -> None:
    people = [await reader(world) for _ in range(30)]
    campaign = await send(world)
    workers = [campaigner(world, server) for _ in range(4)]

    async def until_sent(worker: Campaigner) -> None:
        while any(status in ("queued", "sending") for _, status, _ in await recipients(world)):
            world.clock.advance(10)
            if not await worker.turn():
                # Another has the last mail in hand: it must get its turn.
                await asyncio.sleep(0)

    await asyncio.gather(*(until_sent(worker) for worker in workers))
    assert sorted(letter.recipients[0] for letter in server.arrived) == sorted(one["email"] for one in people)
    assert (await read(world, campaign))["sent_count"] == 30


async def test_who_unsubscribes_before_their_turn_is_not_written_to(world: World, server: MailServer) -> None:
    first, second = await reader(world), await reader(world)
    campaign = await send(world)
    working = campaigner(world, server)
    await working.turn()
    await set_customer(world, second["id"], email_status="unsubscribed")
    world.clock.advance(SECOND)
    await work(world, working)
    assert [letter.recipients for letter in server.arrived] == [[first["email"]]]
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["skipped_count"]) == ("sent", 1, 1)


async def test_a_cancelled_campaign_writes_to_nobody_more(world: World, server: MailServer) -> None:
    for _ in range(3):
        await reader(world)
    campaign = await send(world)
    working = campaigner(world, server)
    await working.turn()
    await world.post(f"{PATH}/{campaign}/cancel")
    world.clock.advance(SECOND)
    await work(world, working)
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], len(server.arrived)) == ("cancelled", 1, 1)
    assert Counter(status for _, status, _ in await recipients(world)) == {"sent": 1, "cancelled": 2}
    assert (await stats(world, campaign))["pending"] == 0


@pytest.mark.parametrize(("word", "status"), [("gone", "bounced"), ("policy", "ok"), ("spam", "ok")])
async def test_a_refusal_is_counted_and_a_mailbox_that_is_gone_is_remembered(
    world: World, server: MailServer, word: str, status: str
) -> None:
    refused = await reader(world, email=f"{word}@mail.example")
    await reader(world)
    campaign = await send(world)
    await work(world, campaigner(world, server))
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["failed_count"]) == ("sent", 1, 1)
    assert await email_status(world, refused["id"]) == status


async def test_a_campaign_none_of_whose_mails_is_taken_has_failed(world: World, server: MailServer) -> None:
    await reader(world, email="gone@mail.example")
    campaign = await send(world)
    await work(world, campaigner(world, server))
    data = await read(world, campaign)
    assert (data["status"], data["error"]) == ("failed", "None of the mails could be sent.")


async def test_a_reader_who_cannot_be_reached_now_is_tried_again_while_others_go_on(
    world: World, server: MailServer
) -> None:
    await reader(world, email="full@mail.example")
    await reader(world)
    campaign = await send(world)
    working = campaigner(world, server)
    await work(world, working)
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["failed_count"]) == ("sending", 1, 0)
    for delay in RETRY_SECONDS:
        world.clock.advance(delay * SECOND)
        await work(world, working)
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["failed_count"]) == ("sent", 1, 1)


async def test_a_server_that_is_gone_is_not_held_against_the_readers(world: World) -> None:
    for _ in range(2):
        await reader(world)
    campaign = await send(world)
    async with MailServer(sender_refusal="451 come back later") as server:
        working = campaigner(world, server)
        for _ in range(20):
            await work(world, working)
            data = await read(world, campaign)
            assert (data["status"], data["failed_count"]) == ("sending", 0)
            assert data["error"] == "Waiting for the mail server: the mail server answered 451: come back later."
            world.clock.advance(HOLD_OFF)
        server.sender_refusal = None
        world.clock.advance(MINUTE)
        await work(world, working)
        data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["error"]) == ("sent", 2, None)


async def test_the_mail_of_a_worker_that_died_is_sent_again_and_marked(world: World, server: MailServer) -> None:
    first, second = await reader(world), await reader(world)
    campaign = await send(world)
    async with world.db.write() as tx:
        assert await queue.claim(tx, "the dead", world.clock.now())
    working = campaigner(world, server)
    await work(world, working)
    assert [letter.recipients for letter in server.arrived] == [[second["email"]]]
    world.clock.advance(LEASE)
    await work(world, working)
    assert [letter.recipients for letter in server.arrived][1:] == [[first["email"]]]
    assert [(status, twice) for _, status, twice in await recipients(world)] == [("sent", True), ("sent", False)]
    assert (await stats(world, campaign))["perhaps_twice"] == 1


async def test_a_dropped_connection_after_the_content_is_tried_again_and_marked(
    world: World, server: MailServer
) -> None:
    await reader(world, email="drop@mail.example")
    campaign = await send(world)
    working = campaigner(world, server)
    await work(world, working)
    (letter,) = server.arrived
    async with world.db.write() as tx:
        await tx.run(Query(update(customers).values(note="unchanged")))
    for delay in RETRY_SECONDS:
        world.clock.advance(delay * SECOND)
        await work(world, working)
    assert {one.message["Message-ID"] for one in server.arrived} == {letter.message["Message-ID"]}
    data = await stats(world, campaign)
    assert (data["failed"], data["perhaps_twice"]) == (1, 1)


async def test_a_preview_text_stands_first_and_is_escaped(world: World, server: MailServer) -> None:
    await reader(world)
    await send(world, preview_text="<Only> {{ name }}", body_html="<html><body class='x'><p>Hi</p></body></html>")
    await work(world, campaigner(world, server))
    html = server.arrived[0].part("html")
    assert re.search(r"<body class='x'><div style=\"display:none\">&lt;Only&gt; Player \d+</div><p>Hi</p>", html)
    assert html.rstrip().endswith("</body></html>")
