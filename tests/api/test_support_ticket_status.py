"""How messages of staff and customers change the status of a ticket."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY, HOUR, MINUTE
from tests.api.ticket_steps import STATES, a_ticket, customer_writes, in_state, read, staff_writes, trail
from tests.world import World


async def test_a_staff_reply_makes_the_ticket_wait_for_the_customer(world: World) -> None:
    ticket = await a_ticket(world)
    world.clock.advance(90 * 1_000_000)
    answer = await staff_writes(world, ticket["id"])
    assert answer.status_code == 201
    assert answer.json()["message"] == "Message added successfully"
    data = answer.json()["data"]
    assert {name: data[name] for name in ("author_type", "author_name", "body", "is_internal", "created_at")} == {
        "author_type": "staff",
        "author_name": "Owner",
        "body": "Here is a new key.",
        "is_internal": False,
        "created_at": "2026-11-15T12:01:30Z",
    }
    updated = data["ticket"]
    assert (updated["status"], updated["messages_count"], updated["last_message_by"]) == ("pending", 2, "staff")
    assert updated["first_response_at"] == updated["last_message_at"] == updated["updated_at"] == "2026-11-15T12:01:30Z"


async def test_only_the_first_reply_is_the_first_response(world: World) -> None:
    ticket = await a_ticket(world)
    await staff_writes(world, ticket["id"])
    world.clock.advance(HOUR)
    updated = (await staff_writes(world, ticket["id"])).json()["data"]["ticket"]
    assert (updated["first_response_at"], updated["last_message_at"]) == (
        "2026-11-15T12:00:00Z",
        "2026-11-15T13:00:00Z",
    )


async def test_a_staff_message_leaves_a_resolved_ticket_resolved(world: World) -> None:
    ticket_id = await in_state(world, "resolved")
    assert (await staff_writes(world, ticket_id)).json()["data"]["ticket"]["status"] == "resolved"


async def test_staff_cannot_write_to_a_closed_ticket(world: World) -> None:
    ticket_id = await in_state(world, "closed")
    answer = await staff_writes(world, ticket_id)
    assert (answer.status_code, answer.json()) == (
        409,
        {
            "success": False,
            "error": "Conflict",
            "code": "ticket_closed",
            "message": "Ticket TKT-000001 is closed. Set its status to open before you write to it.",
        },
    )
    assert (await read(world, ticket_id))["messages_count"] == 1


async def test_an_internal_note_changes_nothing(world: World) -> None:
    for status in STATES:
        ticket_id = await in_state(world, status)
        before = await read(world, ticket_id)
        world.clock.advance(HOUR)
        answer = await staff_writes(world, ticket_id, "Looks like fraud.", is_internal=True)
        assert answer.status_code == 201
        after = await read(world, ticket_id)
        added = after.pop("messages")[-1]
        assert (added["author_type"], added["body"], added["is_internal"]) == ("staff", "Looks like fraud.", True)
        before.pop("messages")
        assert after == before
        assert (await world.get("/support-tickets/stats")).json()["data"]["average_first_response_minutes"] is None


async def test_the_store_api_never_shows_an_internal_note(world: World) -> None:
    ticket = await a_ticket(world)
    await staff_writes(world, ticket["id"], "Looks like fraud.", is_internal=True)
    answer = await customer_writes(world, ticket["id"])
    assert "fraud" not in answer.text
    assert answer.json()["data"]["ticket"]["messages_count"] == 2


async def test_a_customers_message_reopens_the_ticket(world: World) -> None:
    for status in STATES:
        ticket_id = await in_state(world, status)
        world.clock.advance(MINUTE)
        answer = await customer_writes(world, ticket_id)
        assert answer.status_code == 201
        ticket = answer.json()["data"]["ticket"]
        assert (ticket["status"], ticket["resolved_at"], ticket["closed_at"]) == ("open", None, None)
        assert (ticket["messages_count"], ticket["last_message_by"]) == (2, "customer")
        assert ticket["reopened_count"] == (1 if status in ("resolved", "closed") else 0)


async def test_a_customer_can_reopen_a_closed_ticket_within_14_days(world: World) -> None:
    ticket_id = await in_state(world, "closed")
    world.clock.advance(14 * DAY)
    assert (await customer_writes(world, ticket_id)).json()["data"]["ticket"]["status"] == "open"
    assert trail(await read(world, ticket_id)) == [
        "Owner set the status to closed.",
        "The customer's message reopened the ticket.",
    ]


async def test_after_14_days_the_customer_is_asked_to_open_a_new_ticket(world: World) -> None:
    ticket_id = await in_state(world, "closed")
    before = await read(world, ticket_id)
    world.clock.advance(14 * DAY + 1)
    answer = await customer_writes(world, ticket_id)
    assert answer.status_code == 409
    assert (answer.json()["code"], answer.json()["message"]) == (
        "ticket_closed",
        "Ticket TKT-000001 was closed more than 14 days ago. Please open a new ticket.",
    )
    assert await read(world, ticket_id) == before


async def test_a_resolved_ticket_can_be_reopened_at_any_time(world: World) -> None:
    ticket_id = await in_state(world, "resolved")
    world.clock.advance(400 * DAY)
    assert (await customer_writes(world, ticket_id)).json()["data"]["ticket"]["status"] == "open"
