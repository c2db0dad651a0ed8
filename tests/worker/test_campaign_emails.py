"""The content of campaign e-mails: placeholders are filled in and escaped, and the preview text."""

from __future__ import annotations

import re

from lootkeep.domain import campaign_emails as campaign_emails_rules, html as html_rules
from tests.api.campaigns import reader
from tests.mailbox import MailServer
from tests.threads import watched
from tests.worker.campaigning import URL, campaign_worker, send, work
from tests.world import World

HOSTILE = '<b>Ann</b> & "Bob" {{ email }} 💎'


async def test_placeholders_are_filled_in_escaped_and_never_expanded_twice(world: World, server: MailServer) -> None:
    customer = await reader(world, name=HOSTILE)
    body = "<p>Hi {{name}}, {{ email }} {{ referral_code }}</p>"
    await send(world, subject="For {{ name }}", body_html=body, body_text="Hi {{ name }} {{ unsubscribe_url }}")
    await work(world, campaign_worker(world, server))
    (received,) = server.arrived
    escaped = "&lt;b&gt;Ann&lt;/b&gt; &amp; &quot;Bob&quot; {{ email }} 💎"
    filled = f"<p>Hi {escaped}, {customer['email']} {customer['referral_code']}</p>"
    assert filled in received.part("html")
    assert str(received.message["Subject"]) == f"For {HOSTILE}"
    assert received.part("plain").startswith(f"Hi {HOSTILE} {URL}/u/")
    assert received.names("To") == [(HOSTILE, customer["email"])]


async def test_a_name_with_a_line_break_adds_no_header(world: World, server: MailServer) -> None:
    await reader(world, name="Ann\r\nBcc: evil@evil.example")
    await send(world, subject="For {{ name }}")
    await work(world, campaign_worker(world, server))
    (received,) = server.arrived
    assert (received.message["Bcc"], len(received.recipients)) == (None, 1)
    assert str(received.message["Subject"]) == "For Ann Bcc: evil@evil.example"


async def test_a_preview_text_comes_first_and_is_escaped(world: World, server: MailServer) -> None:
    await reader(world)
    await send(world, preview_text="<Only> {{ name }}", body_html="<html><body class='x'><p>Hi</p></body></html>")
    await work(world, campaign_worker(world, server))
    html = server.arrived[0].part("html")
    assert re.search(r"<body class='x'><div style=\"display:none\">&lt;Only&gt; Player \d+</div><p>Hi</p>", html)
    assert html.rstrip().endswith("</body></html>")


async def test_an_email_of_half_a_megabyte_is_written_on_another_thread(world: World, server: MailServer) -> None:
    customer = await reader(world)
    links = "".join(f'<a href="https://shop.example/{number}">{{{{ name }}}}</a>' for number in range(8000))
    await send(world, body_html=links)
    with watched(campaign_emails_rules, html_rules) as called:
        await work(world, campaign_worker(world, server))
    (received,) = server.arrived
    assert (called, received.part("html").count(f">{customer['name']}</a>")) == ([], 8000)
