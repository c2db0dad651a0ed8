"""Guests of an open house: they see what a read-only role sees, without addresses, and change nothing at all."""

from __future__ import annotations

import re

import pytest

from lootkeep.console.guests import MAX_REQUESTS
from lootkeep.console.page import PREFIX, Page
from lootkeep.console.pages import PAGES
from lootkeep.domain.roles import PRESETS
from lootkeep.kernel.clock import MINUTE
from lootkeep.storage.schema import metadata
from tests.cli.demo_store import rows
from tests.console.visits import MAIL, Visitor, as_demo, path_of, visitor
from tests.world import World

GUESTS_ONLY = "Guests look around and change nothing."


@pytest.fixture
async def house(store: World) -> World:
    """The store as an open house."""
    return as_demo(store, is_open_house=True)


async def everything(world: World) -> dict[str, list[dict[str, object]]]:
    return {table.name: await rows(world.db, table) for table in metadata.sorted_tables}


def expected(page: Page) -> str:
    if page.path.startswith("/account"):
        return "to the sign-in"
    if page.scope is None or page.scope in {*PRESETS["read_only"].scopes, "account"}:
        return "open"
    return "forbidden"


async def outcome(visits: Visitor, page: Page) -> str:
    answer = await visits.get(path_of(page))
    if answer.status_code == 303 and "/sign-in?next=" in answer.headers["location"]:
        return "to the sign-in"
    return {200: "open", 303: "open", 422: "open", 403: "forbidden"}[answer.status_code]


async def test_a_guest_opens_what_a_read_only_role_opens_and_no_account(house: World) -> None:
    outcomes: dict[str, str] = {}
    pages = [page for page in PAGES if page.method == "GET"]
    for page in pages:
        # Each from another network, because one network has a limit.
        outcomes[page.path] = await outcome(await visitor(house, None, f"198.51.100.{len(outcomes)}"), page)
    assert outcomes == {page.path: expected(page) for page in pages}


async def test_every_form_of_a_guest_is_refused_and_nothing_is_written(house: World) -> None:
    changes = [page for page in PAGES if page.method == "POST" and page.scope is not None]
    before = await everything(house)
    refused = {}
    for number, page in enumerate(changes):
        visits = await visitor(house, None, f"198.51.{number // 200}.{number % 200}")
        answer = await visits.post(path_of(page), on="/sign-in", confirmed="yes", name="x", email="x@y.example")
        refused[page.path] = (answer.status_code, GUESTS_ONLY in answer.text)
    assert len(refused) > 100
    assert {path: result for path, result in refused.items() if result != (403, True)} == {}
    assert await everything(house) == before


async def test_a_guest_gets_no_cookie_no_live_connection_and_no_file(house: World) -> None:
    visits = await visitor(house, None)
    page = await visits.get("")
    assert (page.status_code, "set-cookie" in page.headers) == (200, False)
    assert 'class="live"' not in page.text
    assert 'href="/console/sign-in"' in page.text
    assert (await visits.get("/live")).status_code == 401
    for path in ("/orders?format=csv", "/analytics?format=csv"):
        answer = await visits.get(path)
        assert (answer.status_code, GUESTS_ONLY in answer.text) == (403, True)


async def test_a_guest_sees_no_address_of_a_customer(house: World) -> None:
    leaks: list[str] = []
    for number, page in enumerate(page for page in PAGES if page.method == "GET" and page.path != MAIL):
        visits = await visitor(house, None, f"198.51.100.{number}")
        text = (await visits.get(path_of(page))).text
        leaks += [page.path] if re.search(r"jun(@|%40)park\.example", text) else []
    assert leaks == []
    assert "j***@park.example" in (await (await visitor(house, None)).get("/customers/1")).text


async def test_a_network_that_asks_too_often_waits_and_others_do_not(house: World) -> None:
    visits = await visitor(house, None, "203.0.113.1")
    statuses = [(await visits.get("/palette")).status_code for _ in range(MAX_REQUESTS + 1)]
    assert statuses == [200] * MAX_REQUESTS + [429]
    assert (await (await visitor(house, None, "203.0.113.2")).get("/palette")).status_code == 200
    house.clock.advance(MINUTE)
    assert (await visits.get("/palette")).status_code == 200


async def test_the_owner_signs_in_and_changes_things_in_an_open_house(house: World) -> None:
    owner = await visitor(house, "owner")
    assert (await owner.post("/orders/1/fulfill", on="/orders/1")).status_code == 303
    assert "look around</a> without an account" in (await (await visitor(house, None)).get("/sign-in")).text


async def test_nobody_is_a_guest_of_a_demo_that_is_no_open_house(store: World) -> None:
    answer = await (await visitor(as_demo(store), None)).get("/orders")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PREFIX}/sign-in?next=/console/orders")
