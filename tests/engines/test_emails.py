"""E-mails over real SMTP: what arrives, and how a server's rejections are reported."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from typing import Any

import pytest
import trustme

from lootkeep.domain.emails import Email, NewEmail, NotAHeaderError, SendResult
from lootkeep.engines.emails.message import Sender, parse_sender
from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.emails.smtp import SmtpMailer, SmtpServer, parse_server
from lootkeep.kernel.clock import ManualClock
from tests.mailbox import MailServer
from tests.world import NOON

SENDER = Sender("Shop", "shop@store.example")


def email(to: str = "ann@mail.example", **fields: Any) -> Email:
    given: dict[str, Any] = {
        "to_email": to,
        "to_name": "Ann",
        "from_name": None,
        "reply_to": None,
        "subject": "Hello",
        "text": "Plain words.\n",
        "html": "<p>Rich words.</p>",
        "message_id": "mail.1.2",
    }
    return Email(**given | fields)


def mailer(server: MailServer, **options: Any) -> SmtpMailer:
    return SmtpMailer(parse_server(server.url), SENDER, ManualClock(NOON), **options)


@pytest.fixture
async def server() -> AsyncIterator[MailServer]:
    async with MailServer() as server:
        yield server


async def send(server: MailServer, *emails: Email, **options: Any) -> list[SendResult]:
    sending = mailer(server, **options)
    try:
        return [await sending.send(email) for email in emails]
    finally:
        await sending.close()


async def test_an_email_arrives_with_both_parts_and_its_headers(server: MailServer) -> None:
    outcome = await send(server, email(reply_to="help@store.example", headers=(("X-Extra", "yes"),)))
    assert [result.kind for result in outcome] == ["sent"]
    (arrived,) = server.arrived
    assert (arrived.sender, arrived.recipients) == ("shop@store.example", ["ann@mail.example"])
    headers = {
        "From": "Shop <shop@store.example>",
        "To": "Ann <ann@mail.example>",
        "Subject": "Hello",
        "Date": "Sun, 15 Nov 2026 12:00:00 +0000",
        "Message-ID": "<mail.1.2@store.example>",
        "Reply-To": "help@store.example",
        "X-Extra": "yes",
    }
    assert {name: str(arrived.message[name]) for name in headers} == headers
    assert (arrived.part("plain"), arrived.part("html")) == ("Plain words.\n", "<p>Rich words.</p>")


@pytest.mark.parametrize(
    "text",
    [
        "Zoë 💎 «ключ»",
        '"quoted", \\back\\slash; <angle@x>',
        "=?utf-8?q?=0d=0aBcc:_x@y?=",
        "a" * 500,
        "日本語" * 60,
        "<script>alert(1)</script>",
        "a, b@c.example",
    ],
    ids=["letters", "quotes", "encoded word", "long", "long and wide", "markup", "list"],
)
async def test_hostile_text_arrives_unchanged(server: MailServer, text: str) -> None:
    sent = email(to_name=text, from_name=text, subject=text, text=f"{text}\n.\n..\n", html=f"{text}\n")
    assert [result.kind for result in await send(server, sent)] == ["sent"]
    (arrived,) = server.arrived
    message: Any = arrived.message
    assert (arrived.sender, arrived.recipients) == ("shop@store.example", ["ann@mail.example"])
    assert arrived.names("To") == [(text, "ann@mail.example")]
    assert arrived.names("From") == [(text, "shop@store.example")]
    assert str(message["Subject"]) == text
    assert message["Bcc"] is None
    assert arrived.part("plain") == f"{text}\n.\n..\n"
    assert arrived.part("html") == f"{text}\n"


@pytest.mark.parametrize("break_", ["\n", "\r", "\r\n", "\x00", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("field", ["to_email", "to_name", "subject", "from_name", "reply_to"])
def test_a_line_break_in_any_header_is_rejected(field: str, break_: str) -> None:
    fields = {"kind": "test", "to_email": "a@b.example", "to_name": "A", "subject": "S", "text": "T", "html": "H"}
    with pytest.raises(NotAHeaderError, match=field):
        NewEmail(**fields | {field: f"x{break_}Bcc: evil@evil.example"})


@pytest.mark.parametrize("field", ["to_email", "to_name", "subject", "from_name", "reply_to"])
async def test_a_line_break_that_passes_validation_does_not_reach_the_server(server: MailServer, field: str) -> None:
    (outcome,) = await send(server, email(**{field: "x\r\nBcc: evil@evil.example"}))
    assert (outcome.kind, server.arrived) == ("refused", [])


async def test_one_connection_serves_many_emails(server: MailServer) -> None:
    results = await send(server, *(email(f"p{n}@mail.example") for n in range(5)))
    assert [result.kind for result in results] == ["sent"] * 5
    assert (len(server.arrived), server.connections) == (5, 1)


async def test_a_connection_closed_by_the_server_is_reopened(server: MailServer) -> None:
    sending = mailer(server)
    await sending.send(email())
    server.drop_connections()
    assert (await sending.send(email())).kind == "sent"
    assert (len(server.arrived), server.connections) == (2, 2)
    await sending.close()


@pytest.mark.parametrize(
    ("word", "kind", "is_bounce"),
    [
        ("gone", "refused", True),
        ("plain", "refused", True),
        ("policy", "refused", False),
        ("spam", "refused", False),
        ("full", "deferred", False),
        ("greylist", "deferred", False),
        ("busy", "deferred", False),
        ("bye", "unreachable", False),
        ("vanish", "unreachable", False),
    ],
)
async def test_a_rejection_is_reported_as_text_and_does_not_affect_the_next_email(
    server: MailServer, word: str, kind: str, is_bounce: bool
) -> None:
    refused, taken = await send(server, email(f"{word}@mail.example"), email())
    assert (refused.kind, refused.is_bounce, refused.perhaps_sent) == (kind, is_bounce, False)
    assert (refused.reason or "").startswith("the mail server ")
    assert taken.kind == "sent"


async def test_a_connection_lost_after_the_content_is_reported_as_unknown_outcome(server: MailServer) -> None:
    (outcome,) = await send(server, email("drop@mail.example"))
    reason = "the mail server closed the connection before the server confirmed the e-mail"
    assert outcome == SendResult("deferred", reason, perhaps_sent=True)


async def test_a_server_that_never_answers_times_out(server: MailServer) -> None:
    # Time enough to hand it over on a busy machine.
    (outcome,) = await send(server, email("hang@mail.example"), deadline=3)
    reason = "the mail server did not answer within 3 s before the server confirmed the e-mail"
    assert outcome == SendResult("deferred", reason, perhaps_sent=True)


async def test_a_server_that_sends_no_greeting_times_out() -> None:
    async def silent(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await over.wait()
        writer.close()

    over = asyncio.Event()
    listener = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    sending = SmtpMailer(SmtpServer("127.0.0.1", port), SENDER, ManualClock(NOON), deadline=0.2)
    assert await sending.send(email()) == SendResult("unreachable", "the mail server did not answer within 0.2 s")
    over.set()
    listener.close()
    await listener.wait_closed()


async def test_an_unreachable_server_is_reported() -> None:
    async with MailServer() as server:
        url = server.url
    sending = SmtpMailer(parse_server(url), SENDER, ManualClock(NOON))
    assert await sending.send(email()) == SendResult("unreachable", "the mail server cannot be reached")
    assert await sending.check() == "the mail server cannot be reached"


async def test_a_rejected_sender_affects_every_email() -> None:
    async with MailServer(sender_rejection="550 not you") as server:
        assert await send(server, email()) == [SendResult("unreachable", "the mail server answered 550: not you")]


async def test_a_non_ascii_email_address_needs_server_support() -> None:
    async with MailServer() as able, MailServer(takes_utf8=False) as unable:
        assert [result.kind for result in await send(able, email("zoë@mail.example"))] == ["sent"]
        assert able.arrived[0].recipients == ["zoë@mail.example"]
        (outcome,) = await send(unable, email("zoë@mail.example"))
    assert outcome == SendResult(
        "refused", "the mail server does not accept e-mail addresses with non-ASCII characters"
    )


async def test_an_international_host_name_is_encoded_in_ascii(server: MailServer) -> None:
    assert [result.kind for result in await send(server, email("ann@bücher.example"))] == ["sent"]
    assert server.arrived[0].recipients == ["ann@xn--bcher-kva.example"]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def contexts(authority: trustme.CA) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(served)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    return served, trusting


@pytest.mark.parametrize("from_the_start", [True, False], ids=["smtps", "starttls"])
async def test_tls_is_used_and_the_password_goes_through_it(authority: trustme.CA, from_the_start: bool) -> None:
    served, trusting = contexts(authority)
    async with MailServer(tls=served, is_tls_from_the_start=from_the_start, password="s3cret") as server:
        scheme, end = ("smtps", "") if from_the_start else ("smtp", "?starttls=required")
        for password, is_right in (("s3cret", True), ("wrong", False)):
            parsed = parse_server(f"{scheme}://me:{password}@127.0.0.1:{server.port}{end}")
            sending = SmtpMailer(parsed, SENDER, ManualClock(NOON), tls=trusting)
            outcome = await sending.send(email())
            await sending.close()
            assert outcome.kind == ("sent" if is_right else "unreachable")
            assert password not in (outcome.reason or "")


async def test_an_untrusted_certificate_stops_sending(authority: trustme.CA) -> None:
    served, _ = contexts(authority)
    async with MailServer(tls=served, is_tls_from_the_start=True) as server:
        sending = SmtpMailer(SmtpServer("127.0.0.1", server.port, is_tls=True), SENDER, ManualClock(NOON))
        assert await sending.send(email()) == SendResult("unreachable", "the mail server's certificate is not trusted")


async def test_without_a_mail_server_nothing_is_marked_as_sent() -> None:
    assert await OutboxMailer().send(email()) == SendResult("outbox")


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail.example", SmtpServer("mail.example", 25)),
        ("smtp://mail.example:2525?starttls=never", SmtpServer("mail.example", 2525, starttls="never")),
        ("smtps://u:p%40ss@mail.example", SmtpServer("mail.example", 465, "u", "p@ss", True, "never")),
        ("smtp://u:p@mail.example:587", SmtpServer("mail.example", 587, "u", "p", False, "required")),
        ("smtp://u:p@localhost", SmtpServer("localhost", 25, "u", "p")),
    ],
)
def test_a_server_is_parsed_from_its_url(url: str, server: SmtpServer) -> None:
    assert parse_server(url) == server
    assert "p@ss" not in repr(server)


@pytest.mark.parametrize(
    "url",
    [
        "mail.example",
        "http://x",
        "smtp://",
        "smtp://x:99999",
        "smtp://x/path",
        "smtp://x?tls=1",
        "smtp://x?starttls=maybe",
    ],
)
def test_an_invalid_server_url_is_rejected(url: str) -> None:
    with pytest.raises(ValueError, match="must"):
        parse_server(url)


def test_a_sender_is_parsed_with_or_without_a_name() -> None:
    assert parse_sender("Shop <shop@store.example>") == Sender("Shop", "shop@store.example")
    assert parse_sender('"My, Shop" <shop@store.example>') == Sender("My, Shop", "shop@store.example")
    assert parse_sender("shop@store.example") == Sender("", "shop@store.example")
    assert parse_sender("shop@store.example", "Ember") == Sender("Ember", "shop@store.example")
    assert parse_sender("Shop <shop@store.example>", "Ember") == Sender("Shop", "shop@store.example")


@pytest.mark.parametrize(
    "text", ["", "shop", "Shop <shop>", "Shop <a@b.example", "a@b.example\r\nBcc: x@y.example", "@b"]
)
def test_an_invalid_sender_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="must"):
        parse_sender(text)
