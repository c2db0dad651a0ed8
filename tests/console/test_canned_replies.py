"""Canned replies: written with variables, inserted into a reply, and sent to many tickets."""

from __future__ import annotations

import re
from html import unescape

import pytest

from lootkeep.domain.canned_replies import MAX_REPLIES
from lootkeep.kernel.clock import Instant
from lootkeep.services import canned_replies as canned_replies_service
from lootkeep.storage import audit as audit_db
from tests.builders import new_customer, new_ticket
from tests.console.visits import Visitor, visitor
from tests.worker import bulk
from tests.world import World

NEW = "/tickets/replies/new"
ALL = "{{ customer_name }}|{{ticket_number}}|{{ order_number }}|{{ product }}|{{ store_name }}|{{ agent_name }}"


def written(page: str) -> str:
    """What the reply field of a ticket holds."""
    (text,) = re.findall(r'<textarea id="message"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    return unescape(text)


async def messages(world: World, ticket_id: int) -> list[str]:
    data = (await world.get(f"/support-tickets/{ticket_id}")).json()["data"]
    return [message["body"] for message in data["messages"] if message["author_type"] == "staff"]


async def insert(visits: Visitor, ticket_id: int, reply_id: str, message: str = "") -> str:
    path = f"/tickets/{ticket_id}"
    return (await visits.post(f"{path}/insert", on=path, canned_id=reply_id, message=message)).text


async def test_a_reply_is_inserted_filled_in_after_what_was_typed_and_nothing_is_sent_before_it_is(
    store: World,
) -> None:
    await new_ticket(store, 1, order_id=1)
    visits = await visitor(store, "staff")
    assert (await visits.post(NEW, name="All", body=ALL)).status_code == 303
    page = await insert(visits, 2, "2", "Hello!")
    assert written(page) == "Hello!\n\nJun Park|TKT-000002|ORD-000001|VIP rank|Lootkeep|The staff"
    assert " autofocus=" in page
    assert await messages(store, 2) == []
    sent = await visits.post("/tickets/2/reply", on="/tickets/2", message=written(page))
    assert sent.status_code == 303
    assert await messages(store, 2) == ["Hello!\n\nJun Park|TKT-000002|ORD-000001|VIP rank|Lootkeep|The staff"]


async def test_what_a_ticket_lacks_is_named_and_is_not_sent_until_someone_has_written_it(store: World) -> None:
    visits = await visitor(store, "staff")
    page = await insert(visits, 1, "1")
    assert "{{ product }} cannot be filled in: the ticket is about no order. Write it yourself." in unescape(page)
    assert written(page) == "Hello Jun Park, about {{ product }}:"
    refused = await visits.post("/tickets/1/reply", on="/tickets/1", message=written(page))
    assert (refused.status_code, 'id="message-error"' in refused.text) == (422, True)
    assert await messages(store, 1) == []
    # A note is for staff, as it is written.
    assert (await visits.post("/tickets/1/note", on="/tickets/1", message="{{ product }}")).status_code == 303


async def test_an_unknown_variable_is_refused_with_the_names_there_are(store: World) -> None:
    visits = await visitor(store, "staff")
    answer = await visits.post(NEW, name="Typo", body="Dear {{ custmer_name }}")
    assert answer.status_code == 422
    text = unescape(answer.text)
    assert "unknown variable (did you mean customer_name?). The variables are: {{ customer_name }}," in text
    assert "Dear {{ custmer_name }}" in text


async def test_the_preview_has_the_words_of_the_newest_ticket_and_saves_nothing(store: World) -> None:
    visits = await visitor(store, "staff")
    answer = await visits.post(f"{NEW}/preview", name="Bye", body="Bye, {{ customer_name }}")
    assert (answer.status_code, "Bye, Jun Park" in answer.text, "as in TKT-000001" in answer.text) == (200, True, True)
    assert f'action="/console{NEW}"' in answer.text
    wrong = await visits.post("/tickets/replies/1/edit/preview", name="Bye", body="{{ nobody }}")
    assert "unknown variable" in wrong.text
    assert "Bye" not in (await visits.get("/tickets/replies")).text


async def test_a_reply_is_changed_and_deleted_by_staff_alone_and_logged(store: World) -> None:
    reader = await visitor(store, "read_only")
    assert "Used key" in (await reader.get("/tickets/replies")).text
    assert (await reader.post("/tickets/replies/1/delete", confirmed="yes")).status_code == 403
    visits = await visitor(store, "staff")
    await visits.post(NEW, name="Second", body="Hi")
    taken = await visits.post("/tickets/replies/1/edit", name="Second", body="Hi")
    assert (taken.status_code, "has this name" in taken.text) == (422, True)
    assert (await visits.post("/tickets/replies/1/edit", name="Used key", body="New words")).status_code == 303
    assert (await visits.post("/tickets/replies/1/delete", confirmed="yes")).status_code == 303
    assert ">Used key</option>" not in (await visits.get("/tickets/1")).text
    async with store.db.read() as tx:
        entries = await audit_db.changes_since(tx, "canned_reply:1", Instant(0))
    assert [entry.action for entry in entries] == ["Delete a canned reply", "Edit a canned reply"]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "{{ order_number }}", "\"' onmouseover='x' y=\""])
async def test_a_hostile_name_of_a_customer_is_inserted_once_and_as_text(store: World, name: str) -> None:
    customer = (await new_customer(store, name=name))["customer"]
    await new_ticket(store, customer["id"])
    visits = await visitor(store, "staff")
    await visits.post(NEW, name="Hi", body="Hi {{ customer_name }}")
    page = await insert(visits, 2, "2")
    assert written(page) == f"Hi {name}"
    assert "<script>" not in page
    assert "onmouseover='" not in page


async def test_a_choice_of_nothing_keeps_what_was_typed(store: World) -> None:
    visits = await visitor(store, "staff")
    page = await insert(visits, 1, "", "Half an answer")
    assert "Choose a canned reply first." in page
    assert written(page) == "Half an answer"


async def test_there_is_a_limit_to_them(store: World) -> None:
    for number in range(MAX_REPLIES - 1):
        await canned_replies_service.create(store.deps, f"Reply {number}", "Hi")
    answer = await (await visitor(store, "staff")).post(NEW, name="One more", body="Hi")
    assert (answer.status_code, "Delete one of them first" in answer.text) == (422, True)


async def test_many_tickets_get_the_canned_reply_each_in_its_own_words(store: World) -> None:
    await new_ticket(store, 1, order_id=1)
    visits = await visitor(store, "staff")
    draft = await visits.post("/tickets/bulk", on="/tickets", act="reply", ids="1\n2")
    path = draft.headers["location"].removeprefix("/console")
    assert ">Used key</option>" in (await visits.get(path)).text
    empty = await visits.post(f"{path}/start", on=path, canned_id="", message="")
    typo = await visits.post(f"{path}/start", on=path, canned_id="", message="{{ nam }}")
    assert (empty.status_code, typo.status_code) == (422, 422)
    started = await visits.post(f"{path}/start", on=path, canned_id="1", message="Bye.")
    assert started.status_code == 303
    await bulk.work(store)
    assert await messages(store, 2) == ["Hello Jun Park, about VIP rank:\n\nBye."]
    assert await messages(store, 1) == []
    assert "the ticket is about no order" in (await visits.get(path)).text
