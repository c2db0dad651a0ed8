"""What someone typed is never lost: not by the end of a session, nor by a change of someone else, nor by a reload."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from lootkeep.console.page import PREFIX
from lootkeep.console.pages import PAGES
from lootkeep.domain.accounts import IDLE_LIMIT
from lootkeep.kernel.clock import MINUTE
from lootkeep.services import sign_in as sign_in_service
from tests.console.visits import PASSWORD, Visitor, first_owner, path_of, token, visitor
from tests.world import World


async def _signed_out(world: World, visits: Visitor, path: str, on: str, **fields: str) -> str:
    """Where signing in leads to, for someone who sent a form after their session had ended."""
    form = {"token": token(await visits.get(on))} | fields
    world.clock.advance(IDLE_LIMIT + 1)
    answer = await visits.http.post(PREFIX + path, data=form)
    assert answer.status_code == 303
    page = await visits.http.get(answer.headers["location"])
    assert "Your session has ended." in page.text
    return parse_qs(urlsplit(answer.headers["location"]).query)["next"][0]


async def _signs_in_again(world: World, visits: Visitor) -> None:
    visits.http.cookies = (await visitor(world, "staff")).http.cookies


async def test_what_was_typed_is_on_the_same_page_after_signing_in_again(store: World) -> None:
    visits = await visitor(store, "staff")
    target = await _signed_out(store, visits, "/tickets/1/reply", "/tickets/1", message="A long answer")
    assert target.startswith("/console/tickets/1?draft=")
    await _signs_in_again(store, visits)
    page = (await visits.http.get(target)).text
    assert ">A long answer</textarea>" in page
    assert "it is not saved yet" in page
    assert (await visits.http.get(target)).text.count("A long answer") == 1
    sent = await visits.http.post(f"{PREFIX}/tickets/1/reply", data=_form(page, message="A long answer"))
    assert sent.status_code == 303


def _form(page: str, **fields: str) -> dict[str, str]:
    match = re.search(r'name="token" value="([^"]+)"', page)
    assert match
    return {"token": match[1]} | fields


async def test_the_sign_in_leads_to_what_was_typed(world: World) -> None:
    visits = await first_owner(world)
    target = await _signed_out(world, visits, "/products/new", "/products/new", name="Gems", price="5.00")
    form = {"email": "ada@store.example", "password": PASSWORD, "next": target}
    signed_in = await visits.post("/sign-in", on="/sign-in", **form)
    page = await visits.http.get(signed_in.headers["location"])
    assert (page.status_code, 'value="Gems"' in page.text, 'value="5.00"' in page.text) == (200, True, True)


async def test_nobody_else_sees_it_and_passwords_are_not_kept(store: World) -> None:
    visits = await visitor(store, "staff")
    target = await _signed_out(store, visits, "/tickets/1/reply", "/tickets/1", message="A long answer")
    other = await visitor(store, "owner")
    assert "A long answer" not in (await other.http.get(target)).text
    await _signs_in_again(store, visits)
    form = {"token": token(await visits.get("/account")), "current": PASSWORD, "password": "x", "repeated": "x"}
    store.clock.advance(IDLE_LIMIT + 1)
    answer = await visits.http.post(f"{PREFIX}/account/password", data=form)
    assert answer.headers["location"] == "/console/sign-in?next=/console/account"


async def test_a_stranger_stores_nothing(store: World) -> None:
    visits = await visitor(store, None)
    form = {"token": token(await visits.get("/sign-in")), "message": "A long answer"}
    answer = await visits.http.post(f"{PREFIX}/tickets/1/reply", data=form)
    assert answer.headers["location"] == "/console/sign-in?next=/console/tickets/1"


async def test_a_session_that_was_ended_by_its_owner_keeps_what_was_typed_there(store: World) -> None:
    visits = await visitor(store, "staff")
    form = {"token": token(await visits.get("/tickets/1")), "message": "A long answer"}
    resumed = await sign_in_service.resume(store.deps, str(visits.http.cookies.get("lootkeep")), None)
    assert resumed
    await sign_in_service.end_session(store.deps, resumed[0].id, resumed[1].id)
    answer = await visits.http.post(f"{PREFIX}/tickets/1/reply", data=form)
    assert "draft" in answer.headers["location"]


# A change by someone else


def _differences(page: httpx.Response) -> list[tuple[str, ...]]:
    rows = re.findall(r"<tr><td>(.*?)</td><td><bdi>(.*?)</bdi></td><td><b><bdi>(.*?)</bdi></b></td></tr>", page.text)
    return [tuple(row) for row in rows]


async def test_a_stale_form_keeps_what_was_typed_and_shows_the_difference_as_pages_do(store: World) -> None:
    berlin = World(store.db, clock=store.clock, timezone="Europe/Berlin")
    slow, quick = await visitor(berlin, "owner"), await visitor(berlin, "staff")
    form = {"note": "Mine", "recipient_name": "Mina", "recipient_email": "", "message": "", "expires_at": "2027-01-31"}
    version = re.findall(r'name="version" value="(\d+)"', (await slow.get("/gift-cards/1")).text)[0]
    store.clock.advance(MINUTE)
    await quick.post("/gift-cards/1/edit", on="/gift-cards/1", **(form | {"note": "", "expires_at": "2026-12-24"}))
    stale = await slow.post("/gift-cards/1/edit", on="/gift-cards/1", **form, version=version)
    assert (stale.status_code, "The staff" in stale.text) == (409, True)
    assert _differences(stale) == [("Last day", "24 Dec 2026", "31 Jan 2027"), ("Note for staff", "–", "Mine")]
    assert 'value="2027-01-31"' in stale.text
    newer = re.findall(r'name="version" value="(\d+)"', stale.text)[0]
    saved = await slow.post("/gift-cards/1/edit", on="/gift-cards/1", **form, version=newer)
    assert saved.status_code == 303
    await berlin.close()


async def test_amounts_of_a_stale_form_are_shown_in_the_currency_of_the_store(store: World) -> None:
    slow, quick = await visitor(store, "owner"), await visitor(store, "staff")
    page = (await slow.get("/products/1/edit")).text
    version = re.findall(r'name="version" value="(\d+)"', page)[0]
    form = {"name": "VIP", "price": "20.00", "billing_type": "one_time", "status": "active", "delivery_type": "manual"}
    store.clock.advance(MINUTE)
    await quick.post("/products/1/edit", on="/products/1/edit", **(form | {"price": "1234.50"}))
    stale = await slow.post("/products/1/edit", on="/products/1/edit", **form, version=version)
    assert _differences(stale) == [("Price", "$1,234.50", "$20.00")]


@pytest.mark.parametrize("is_tracked", [True, False])
async def test_only_fields_that_a_stale_form_had_are_shown_as_typed(store: World, is_tracked: bool) -> None:
    slow = await visitor(store, "owner")
    stale = await slow.post("/gift-cards/1/redeem", on="/gift-cards/1", amount="2.00", version="5", confirmed="yes")
    assert (stale.status_code, _differences(stale)) == (409, [])
    form = {"store_name": "Pixel", "version": "5"} | ({"campaign_tracking": "yes"} if is_tracked else {})
    stale = await slow.post("/settings", on="/settings", **form)
    boxes = [] if is_tracked else [("Count opens and clicks", "yes", "no")]
    assert (stale.status_code, _differences(stale)) == (409, [("Name", "–", "Pixel"), *boxes])


# A reload


async def test_reloading_the_answer_of_any_form_leads_to_the_page_of_the_form(store: World) -> None:
    visits = await visitor(store, "owner")
    missing = []
    for page in (page for page in PAGES if page.method != "GET" and page.path != "/setup"):
        answer = await visits.http.get(PREFIX + path_of(page), follow_redirects=True)
        if answer.status_code != 200:
            missing.append((page.path, answer.status_code))
    assert missing == []


async def test_a_refund_without_an_amount_asks_first_and_names_the_sum(store: World) -> None:
    visits = await visitor(store, "staff")
    on = "/orders/1/refund"
    asked = await visits.post(on, on=on, reason="Unhappy")
    assert (asked.status_code, "Refund $40.00, which is everything that is left of ORD-000001?" in asked.text) == (
        200,
        True,
    )
    assert (await store.get("/orders/1")).json()["data"]["refunded_total"] == "0.00"
    part = await visits.post(on, on=on, amount="5.00")
    whole = await visits.post(on, on=on, confirmed="yes", reason="Unhappy")
    assert (part.status_code, whole.status_code) == (303, 303)
    assert (await store.get("/orders/1")).json()["data"]["refunded_total"] == "40.00"
