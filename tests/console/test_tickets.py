"""Tickets in the console: the list, the conversation, and what staff do."""

from __future__ import annotations

import re

import pytest

from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.storage import audit as audit_db
from tests.builders import STORE, new_ticket
from tests.console.visits import Visitor, visitor
from tests.world import World

NUMBER = re.compile(r"<code>(TKT-\d+)</code>")
HERE = "/tickets/1"


async def ticket(world: World) -> dict[str, object]:
    return dict((await world.get("/support-tickets/1")).json()["data"])


async def send(visits: Visitor, change: str, **fields: str) -> int:
    return (await visits.post(f"{HERE}/{change}", on=HERE, **fields)).status_code


async def test_the_list_is_filtered_by_status_priority_and_assignee(store: World) -> None:
    await new_ticket(store, 1, priority="urgent", category="refund")
    visits = await visitor(store, "staff")
    await send(visits, "assign", user_id="2")
    shown = {
        query: NUMBER.findall((await visits.get(f"/tickets{query}")).text)
        for query in ("", "?priority=urgent", "?unassigned=yes", "?agent=2", "?category=refund", "?status=closed")
    }
    assert [len(numbers) for numbers in shown.values()] == [2, 1, 1, 1, 1, 0]
    assert shown["?agent=2"] == ["TKT-000001"]


async def test_a_reply_reaches_the_customer_and_a_note_does_not(store: World) -> None:
    visits = await visitor(store, "staff")
    assert await send(visits, "reply", message="Here is a new key.") == 303
    assert await send(visits, "note", message="A known batch.") == 303
    page = (await visits.get(HERE)).text
    assert page.index("It was used before.") < page.index("Here is a new key.") < page.index("A known batch.")
    assert "Note for staff" in page
    after = await ticket(store)
    assert (after["status"], after["messages_count"]) == ("pending", 2)


async def test_an_empty_or_overlong_message_is_rejected_next_to_its_field(store: World) -> None:
    visits = await visitor(store, "staff")
    for message in (" ", "x" * 20_001):
        answer = await visits.post(f"{HERE}/reply", on=HERE, message=message)
        assert (answer.status_code, 'id="message-error"' in answer.text) == (422, True)
    assert (await ticket(store))["messages_count"] == 1


async def test_every_step_is_performed_and_logged_with_its_changes(store: World) -> None:
    visits = await visitor(store, "staff")
    assert await send(visits, "assign", user_id="2") == 303
    assert await send(visits, "priority", priority="urgent") == 303
    assert await send(visits, "status", status="resolved") == 303
    assert await send(visits, "close", message="Enjoy your game!") == 303
    after = await ticket(store)
    assert (after["status"], after["priority"], after["messages_count"]) == ("closed", "urgent", 2)
    async with store.db.read() as tx:
        entries = await audit_db.changes_since(tx, "ticket:1", Instant(0))
    assert [entry.changes for entry in reversed(entries)] == [
        [("assigned_to_id", None, 2)],
        [("priority", "normal", "urgent")],
        [("status", "open", "resolved")],
        [("status", "resolved", "closed"), ("messages_count", 1, 2)],
    ]
    stats = (await store.get("/support-tickets/stats")).json()["data"]
    assert stats["by_priority"]["urgent"] == 1


@pytest.mark.parametrize(
    ("change", "fields"),
    [("status", {"status": "lost"}), ("priority", {"priority": "x"}), ("assign", {"user_id": "x"})],
)
async def test_a_value_that_is_not_offered_is_rejected(store: World, change: str, fields: dict[str, str]) -> None:
    assert await send(await visitor(store, "staff"), change, **fields) == 422


async def test_a_closed_ticket_takes_no_messages_until_it_is_reopened(store: World) -> None:
    visits = await visitor(store, "staff")
    await send(visits, "close")
    assert await send(visits, "reply", message="One more thing.") == 409
    assert await send(visits, "status", status="open") == 303
    assert await send(visits, "reply", message="One more thing.") == 303


async def test_a_step_from_a_stale_page_shows_who_changed_the_ticket(store: World) -> None:
    slow, quick = await visitor(store, "owner"), await visitor(store, "staff")
    version = re.findall(r'name="version" value="(\d+)"', (await slow.get(HERE)).text)[0]
    store.clock.advance(MINUTE)
    await send(quick, "priority", priority="high")
    stale = await slow.post(f"{HERE}/priority", on=HERE, priority="low", version=version)
    assert (stale.status_code, "The staff" in stale.text) == (409, True)
    assert (await ticket(store))["priority"] == "high"


async def test_a_conversation_of_long_messages_is_shown_in_parts(store: World) -> None:
    for number in range(6):
        body = {"message": f"<{number}>" + "x" * 19_000}
        assert (await store.post(f"{STORE}/support-tickets/1/messages", body)).status_code == 201
    visits = await visitor(store, "read_only")
    page = await visits.get(HERE)
    assert len(page.content) < 100_000
    assert "&lt;5&gt;" in page.text
    assert "&lt;0&gt;" not in page.text
    (before,) = re.findall(r'href="(\?before=\d+)"', page.text)
    assert "&lt;2&gt;" in (await visits.get(HERE + before)).text


async def test_the_list_opens_on_what_waits_for_an_answer_and_the_navigation_counts_the_same(store: World) -> None:
    await new_ticket(store, 1, subject="Second question")
    visits = await visitor(store, "staff")
    await visits.post(f"{HERE}/reply", on=HERE, message="Try again.")
    store.clock.advance(MINUTE)
    page = (await visits.get("/tickets")).text
    assert ("Second question" in page, "My key does not work" in page, "1–1 of 1" in page) == (True, False, True)
    assert re.search(r'href="/console/tickets"[^>]*>Tickets<span class="badge warn">1</span>', page)
    everything = (await visits.get("/tickets?status=any")).text
    assert "1–2 of 2" in everything
    assert "1–2 of 2" in (await visits.get("/tickets?customer_id=1")).text
    await visits.post("/tickets/2/reply", on="/tickets/2", message="Try again.")
    assert "No customer is waiting for a reply." in (await visits.get("/tickets")).text
