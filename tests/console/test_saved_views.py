"""Saved views: someone's own names for what a list shows, at its head and in the palette."""

from __future__ import annotations

import asyncio
import re

import httpx
import pytest
from msgspec.structs import replace

from lootkeep.domain.saved_views import MAX_NAME_LENGTH, MAX_QUERY_LENGTH, MAX_VIEWS
from lootkeep.kernel.clock import Instant
from lootkeep.services import saved_views as saved_views_service
from lootkeep.storage import audit as audit_db
from lootkeep.storage.access import accounts as accounts_db
from lootkeep.storage.schema import saved_views
from tests.builders import new_customer
from tests.console.visits import Visitor, user, visitor
from tests.recount import rows
from tests.world import World

URGENT = "priority=urgent&sort=created_at&order=asc"
NEW = "/account/views/new"


async def save(visits: Visitor, name: str, query: str = URGENT, path: str = "/tickets") -> httpx.Response:
    return await visits.post(NEW, name=name, list=path, query=query)


def tabs(page: str) -> list[tuple[str, bool]]:
    """The names at the head of a list, and whether each is the one that is shown."""
    (head,) = re.findall(r'<nav class="tabs" aria-label="Saved views">(.*?)</nav>', page) or [""]
    links = re.findall(r'<a href="[^"]*"( aria-current="true")?>(.*?)</a>', head)
    return [(re.sub("<[^>]+>", "", name), bool(current)) for current, name in links]


async def test_the_filter_and_order_of_a_list_are_saved_and_shown_at_its_head_for_their_owner_alone(
    store: World,
) -> None:
    visits = await visitor(store, "read_only")
    listed = (await visits.get(f"/tickets?{URGENT}&page=2")).text
    assert f'name="query" value="{URGENT.replace("&", "&amp;")}"' in listed
    saved = await save(visits, "Burning")
    assert (saved.status_code, saved.headers["location"]) == (303, f"/console/tickets?{URGENT}")
    page = (await visits.get(f"/tickets?{URGENT}")).text
    assert "“Burning” is saved." in page
    assert tabs(page) == [("Tickets", False), ("Burning", True)]
    assert "Save view" not in page
    assert tabs((await visits.get("/tickets")).text) == [("Tickets", True), ("Burning", False)]
    assert tabs((await (await visitor(store, "owner")).get("/tickets")).text) == []


async def test_the_palette_finds_a_view_by_any_part_of_its_name_while_its_list_may_be_opened(store: World) -> None:
    visits = await visitor(store, "support-tickets:read")
    await save(visits, "Burning")
    for term in ("", "urn"):
        page = (await visits.get("/palette", params={"q": term})).text
        assert f'href="/console/tickets?{URGENT.replace("&", "&amp;")}"' in page
    assert "Burning" not in (await visits.get("/palette", params={"q": "other"})).text
    async with store.db.write() as tx:
        role = await accounts_db.ROLES.find_one(tx, name="Only support-tickets:read")
        assert role
        await accounts_db.ROLES.save(tx, role, replace(role, scopes="orders:read"))
    assert "Burning" not in (await visits.get("/palette")).text


async def test_a_view_is_replaced_under_its_name_renamed_and_deleted_and_the_log_has_no_query(store: World) -> None:
    visits = await visitor(store, "staff")
    await save(visits, "Mine", "search=jun")
    await save(visits, "Mine", "priority=low")
    await save(visits, "Other", "priority=high")
    taken = await visits.post("/account/views/1/edit", name="Other")
    assert (taken.status_code, "has this name" in taken.text, 'value="Other"' in taken.text) == (422, True, True)
    renamed = await visits.post("/account/views/1/edit", name="Low")
    assert renamed.headers["location"] == "/console/tickets?priority=low"
    gone = await visits.post("/account/views/2/delete")
    assert gone.headers["location"] == "/console/tickets"
    assert tabs((await visits.get("/tickets?priority=low")).text) == [("Tickets", False), ("Low", True)]
    page = (await visits.get("/account/views")).text
    assert 'href="/console/tickets?priority=low"><bdi>Low' in page
    assert '<td data-title="List">Tickets</td>' in page
    async with store.db.read() as tx:
        entries = await audit_db.changes_since(tx, "view:1", Instant(0))
    assert [entry.action for entry in entries] == ["Edit a view", "Save a view", "Save a view"]
    assert "jun" not in str(entries)


async def test_views_of_others_and_of_pages_that_do_not_exist_are_not_found(store: World) -> None:
    visits, other = await visitor(store, "staff"), await visitor(store, "owner")
    await save(other, "Theirs")
    answers = [
        await visits.post("/account/views/1/edit", name="Mine"),
        await visits.post("/account/views/1/delete"),
        *[await save(visits, "Mine", path=path) for path in ("/tokens", "//evil.example", "/tickets\\x", "/x")],
    ]
    assert [answer.status_code for answer in answers] == [404] * len(answers)
    assert [view["name"] for view in await rows(store.db, saved_views)] == ["Theirs"]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "\"' onmouseover='x' y=\"", "{{ 1234 * 5678 }}"])
async def test_a_hostile_name_or_query_is_shown_as_text(store: World, name: str) -> None:
    visits = await visitor(store, "owner")
    assert (await save(visits, name, '"><script>=1')).status_code == 303
    for path in ("/tickets", "/palette", "/account/views", "/account/views?edit=1"):
        page = (await visits.get(path)).text
        assert "<script>" not in page, path
        assert "onmouseover='" not in page, path
        assert "7006652" not in page, path


async def test_names_and_queries_have_limits_and_what_was_wrong_is_said_in_a_form(store: World) -> None:
    visits = await visitor(store, "staff")
    for name in (" ", "x" * (MAX_NAME_LENGTH + 1), "a\x07b"):
        answer = await save(visits, name)
        assert (answer.status_code, 'id="name-error"' in answer.text) == (422, True)
        assert 'name="query" value="priority=urgent&amp;' in answer.text
    long = await save(visits, "Long", "search=" + "x" * MAX_QUERY_LENGTH)
    assert (long.status_code, "too long to be saved" in long.text) == (422, True)


async def test_nobody_has_more_views_than_the_limit_even_with_two_at_once(store: World) -> None:
    user_id = await user(store, "staff")
    for number in range(MAX_VIEWS - 1):
        await saved_views_service.save(store.deps, user_id, f"View {number}", "/tickets", "priority=low")
    visits = await visitor(store, "staff")
    answers = await asyncio.gather(save(visits, "One"), save(visits, "Two"))
    assert sorted(answer.status_code for answer in answers) == [303, 422]
    assert len(await rows(store.db, saved_views)) == MAX_VIEWS


async def test_a_view_that_searches_for_a_customer_is_erased_with_them_and_all_views_with_their_user(
    store: World,
) -> None:
    customer = (await new_customer(store, name="Quill Park", email="quill@park.example"))["customer"]
    staff = await visitor(store, "staff")
    for name, term in (("By e-mail", "QUILL%40park.example"), ("By name", "quill+park"), ("Other", "ranks")):
        await save(staff, name, f"status=any&search={term}")
    owner = await visitor(store, "owner")
    await save(owner, "Owner's")
    assert (await owner.post(f"/customers/{customer['id']}/erase", confirmed="yes")).status_code == 303
    assert [view["name"] for view in await rows(store.db, saved_views)] == ["Other", "Owner's"]
    staff_id = await user(store, "staff")
    assert (await owner.post(f"/users/{staff_id}/disable", confirmed="yes")).status_code == 303
    assert [view["name"] for view in await rows(store.db, saved_views)] == ["Owner's"]
