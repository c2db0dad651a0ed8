"""The links of campaign e-mails: unsubscribing, counting opens and clicks, and forged links that do nothing."""

from __future__ import annotations

import re

from tests.api.campaigns import PATH, make, reader, set_customer
from tests.builders import STORE
from tests.mailbox import MailServer, ReceivedEmail
from tests.recount import outbox, sent
from tests.worker.campaigning import URL, campaign_worker, email_status, send, stats, work
from tests.world import World


def unsubscribe_link(server: MailServer) -> str:
    (received,) = server.arrived
    return str(received.message["List-Unsubscribe"]).replace("\r\n ", "").strip("<>")


def links_of(email: ReceivedEmail) -> list[str]:
    return re.findall(r"""(?:href|src)=["']([^"']*)""", email.part("html"))


def named(world: World) -> World:
    """The same store with a name and a postal address."""
    store = World(world.db, clock=world.clock, store_name="Dragon Shop", store_url="https://dragon.example")
    store.token = world.token
    return store


async def test_each_email_can_be_unsubscribed_with_one_click_and_on_a_page(world: World, server: MailServer) -> None:
    world = named(world)
    customer = await reader(world)
    campaign = await send(world)
    await work(world, campaign_worker(world, server))
    (received,) = server.arrived
    assert received.message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = unsubscribe_link(server)
    assert link.startswith(f"{URL}/u/")
    assert link in received.part("html")
    assert link in received.part("plain")
    path = link.removeprefix(URL)
    page = await world.http.get(path)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert '<form method="post"><button>Unsubscribe</button></form>' in page.text
    assert "news and offers from Dragon Shop by e-mail" in page.text
    assert "form-action 'self'" in page.headers["content-security-policy"]
    assert await email_status(world, customer["id"]) == "ok"
    for _ in range(2):
        clicked = await world.http.post(path, data={"List-Unsubscribe": "One-Click"})
        assert (clicked.status_code, "Unsubscribed" in clicked.text) == (200, True)
    assert await email_status(world, customer["id"]) == "unsubscribed"
    events = [(data["email_status"], data["changes"]) for _, data in await outbox(world.db, "customer.updated")]
    assert events == [("unsubscribed", ["email_status"])]
    figures = await stats(world, campaign)
    assert (figures["unsubscribed"], figures["unsubscribe_rate"]) == (1, 100.0)
    again = await make(world)
    assert (await world.post(f"{PATH}/{again['id']}/send", {})).json()["code"] == "empty_audience"


async def test_opens_and_clicks_are_counted_once_and_links_keep_their_target(world: World, server: MailServer) -> None:
    await reader(world)
    body = (
        "<body><a href=\"https://a.example/?x=1&amp;y=2\">A</a><a href='https://b.example/'>B</a>"
        '<a href="https://a.example/?x=1&amp;y=2">again</a><a href="mailto:x@y.example">m</a>'
        '<a href="https://r.example/{{ referral_code }}">r</a></body>'
    )
    campaign = await send(world, body_html=body)
    await work(world, campaign_worker(world, server))
    first, second, third, mailto, own, unsubscribe, pixel = links_of(server.arrived[0])
    assert (first == third, mailto) == (True, "mailto:x@y.example")
    assert own.startswith("https://r.example/")
    assert unsubscribe.startswith(f"{URL}/u/")
    for _ in range(2):
        response = await world.http.get(pixel.removeprefix(URL))
        assert (response.status_code, response.headers["content-type"]) == (200, "image/gif")
    assert (await stats(world, campaign))["opened"] == 1
    for link, target in ((first, "https://a.example/?x=1&y=2"), (second, "https://b.example/")):
        followed = await world.http.get(link.removeprefix(URL))
        assert (followed.status_code, followed.headers["location"]) == (302, target)
    figures = await stats(world, campaign)
    assert (figures["opened"], figures["clicked"], figures["click_rate"]) == (1, 1, 100.0)


async def test_a_click_counts_as_an_open_where_images_are_not_shown(world: World, server: MailServer) -> None:
    await reader(world)
    campaign = await send(world, body_html='<a href="https://a.example/">A</a>')
    await work(world, campaign_worker(world, server))
    await world.http.get(links_of(server.arrived[0])[0].removeprefix(URL))
    figures = await stats(world, campaign)
    assert (figures["opened"], figures["clicked"]) == (1, 1)


async def test_open_and_click_tracking_can_be_switched_off(world: World, server: MailServer) -> None:
    await reader(world)
    await send(world, body_html='<a href="https://a.example/">A</a>')
    await work(world, campaign_worker(world, server, is_tracked=False))
    link, unsubscribe = links_of(server.arrived[0])
    assert link == "https://a.example/"
    assert unsubscribe.startswith(f"{URL}/u/")


async def test_unsubscribing_by_mistake_is_undone_by_one_button(world: World, server: MailServer) -> None:
    customer = await reader(world)
    campaign = await send(world)
    await work(world, campaign_worker(world, server))
    path = unsubscribe_link(server).removeprefix(URL)
    assert (await world.http.post(f"{path}/undo")).status_code == 404
    done = await world.http.post(path)
    (action,) = re.findall(r'<form method="post" action="([^"]+)">', done.text)
    assert f"/u/{action}" == f"{path}/undo"
    undone = await world.http.post(f"/u/{action}")
    assert (undone.status_code, "again" in undone.text) == (200, True)
    assert await email_status(world, customer["id"]) == "ok"
    assert (await stats(world, campaign))["unsubscribed"] == 0
    assert await sent(world.db, "customer.updated") == ["customer.updated"] * 2
    await set_customer(world, customer["id"], email_status="unsubscribed")
    assert (await world.http.post(f"{path}/undo")).status_code == 404
    assert await email_status(world, customer["id"]) == "unsubscribed"


async def test_referral_links_are_counted_and_lead_to_the_store_with_the_code_of_the_reader(
    world: World, server: MailServer
) -> None:
    world = named(world)
    customer = await reader(world)
    campaign = await send(world, body_html='<a href="{{ referral_url }}">Bring a friend</a>')
    await work(world, campaign_worker(world, server))
    (link,) = [link for link in links_of(server.arrived[0]) if link.startswith(f"{URL}/r/")]
    for _ in range(2):
        followed = await world.http.get(link.removeprefix(URL) + "?next=https://evil.example")
        target = f"https://dragon.example?ref={customer['referral_code']}"
        assert (followed.status_code, followed.headers["location"]) == (302, target)
    figures = await stats(world, campaign)
    assert (figures["referral_clicks"], figures["clicked"]) == (2, 0)


async def test_without_tracking_a_referral_link_leads_straight_to_the_store(world: World, server: MailServer) -> None:
    world = named(world)
    customer = await reader(world)
    await send(world, body_html='<a href="{{ referral_url }}">Bring a friend</a>')
    await work(world, campaign_worker(world, server, is_tracked=False))
    assert f"https://dragon.example?ref={customer['referral_code']}" in links_of(server.arrived[0])


async def test_a_referral_link_needs_the_store_url(world: World) -> None:
    answer = await world.post(PATH, {"name": "N", "subject": "S", "body_html": "{{ referral_url }}"})
    assert (answer.status_code, "the URL of the shop" in answer.text) == (422, True)


async def test_an_unknown_token_or_a_token_of_another_page_does_nothing(world: World, server: MailServer) -> None:
    customer = await reader(world)
    campaign = await send(world, body_html='<a href="https://a.example/">A</a>')
    await work(world, campaign_worker(world, server))
    click, unsubscribe, pixel = (link.rpartition("/")[2] for link in links_of(server.arrived[0]))
    own = {"u": unsubscribe, "c": click, "p": pixel, "r": world.deps.vault.sign("999", "referral")}
    for page, good in own.items():
        other_tokens = [token for name, token in own.items() if name != page]
        forged = [good[:-1] + ("A" if good[-1] != "A" else "B"), "2" + good, "x", "1.", ".", "1.é", "%00"]
        forged += [world.deps.vault.sign("999", "unsubscribe"), "https://evil.example", "//evil.example"]
        for token in [*other_tokens, *forged]:
            answer = await world.http.get(f"/{page}/{token}")
            assert "location" not in answer.headers
            assert answer.status_code in (200, 404)
            if page == "u":
                assert (await world.http.post(f"/{page}/{token}")).status_code == 404
    assert await email_status(world, customer["id"]) == "ok"
    figures = await stats(world, campaign)
    assert (figures["opened"], figures["clicked"], figures["unsubscribed"]) == (0, 0, 0)


async def test_a_link_number_the_email_does_not_have_leads_nowhere(world: World, server: MailServer) -> None:
    await reader(world)
    await send(world, body_html='<a href="https://a.example/">A</a>')
    await work(world, campaign_worker(world, server))
    assert (await world.http.get(f"/c/{world.deps.vault.sign('1.7', 'click')}")).status_code == 404


async def test_unsubscribing_after_the_erasure_of_the_customer_records_nothing_about_them(
    world: World, server: MailServer
) -> None:
    customer = await reader(world)
    await send(world)
    await work(world, campaign_worker(world, server))
    await world.delete(f"{STORE}/customers/{customer['id']}")
    path = unsubscribe_link(server).removeprefix(URL)
    for page, words in ((path, "Unsubscribed"), (f"{path}/undo", "")):
        answer = await world.http.post(page)
        assert (answer.status_code, words in answer.text) == (200, True)
    assert await outbox(world.db, "customer.updated") == []
