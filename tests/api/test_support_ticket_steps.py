"""What the staff do with a ticket: its states, closing and assigning it, and which steps are refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from lootkeep.kernel.clock import DAY, MINUTE
from lootkeep.services import access as access_service
from tests.api.ticket_steps import STATES, a_ticket, customer_writes, in_state, read, set_status, staff_writes, trail
from tests.world import World

FORBIDDEN = {("resolved", "pending"), ("closed", "pending"), ("closed", "resolved")}
ALLOWED = {
    "open": "pending, resolved, closed",
    "pending": "open, resolved, closed",
    "resolved": "open, closed",
    "closed": "open",
}


async def test_a_status_change_is_made_or_rejected_with_the_allowed_ones(world: World) -> None:
    tickets = {steps: await in_state(world, steps[0]) for steps in product(STATES, STATES)}
    world.clock.advance(MINUTE)
    for (before, after), ticket_id in tickets.items():
        answer = await set_status(world, ticket_id, after)
        if (before, after) in FORBIDDEN:
            assert answer.status_code == 409
            assert answer.json()["code"] == "ticket_step_not_allowed"
            assert answer.json()["message"] == (
                f"Ticket TKT-{ticket_id:06d} is {before} and cannot become {after}. "
                f"Allowed from here: {ALLOWED[before]}."
            )
            assert (await read(world, ticket_id))["status"] == before
            continue
        assert (answer.status_code, answer.json()["data"]["status"]) == (200, after)
        ticket = answer.json()["data"]
        later, at_once = "2026-11-15T12:01:00Z", "2026-11-15T12:00:00Z"
        settled = ("resolved", "closed")
        expected_resolution = (at_once if before in settled else later) if after in settled else None
        assert ticket["resolved_at"] == expected_resolution
        assert ticket["closed_at"] == ((at_once if before == "closed" else later) if after == "closed" else None)
        assert ticket["reopened_count"] == int(before in settled and after not in settled)
        assert ticket["updated_at"] == (at_once if before == after else later)


async def test_a_status_that_does_not_exist_is_rejected(world: World) -> None:
    ticket = await a_ticket(world)
    answer = await set_status(world, ticket["id"], "spam")
    assert (answer.status_code, answer.json()["errors"]) == (
        422,
        {"status": ["The status field must be one of: open, pending, resolved, closed."]},
    )


async def test_a_ticket_is_closed_with_a_final_message(world: World) -> None:
    ticket = await a_ticket(world)
    answer = await world.post(f"/support-tickets/{ticket['id']}/close", {"message": "Enjoy!"})
    assert (answer.status_code, answer.json()["message"]) == (200, "Support ticket closed successfully")
    updated = answer.json()["data"]
    assert (updated["status"], updated["messages_count"], updated["last_message_by"]) == ("closed", 2, "staff")
    assert updated["first_response_at"] == updated["resolved_at"] == updated["closed_at"] == "2026-11-15T12:00:00Z"
    current = await read(world, ticket["id"])
    assert [message["body"] for message in current["messages"]] == [
        "It was used before.",
        "Enjoy!",
        "Owner closed the ticket.",
    ]


@pytest.mark.parametrize("body", [None, {}, {"message": None}])
async def test_a_ticket_is_closed_without_a_message(world: World, body: Any) -> None:
    ticket = await a_ticket(world)
    updated = (await world.post(f"/support-tickets/{ticket['id']}/close", body)).json()["data"]
    assert (updated["status"], updated["messages_count"], updated["first_response_at"]) == ("closed", 1, None)


async def test_closing_again_changes_nothing(world: World) -> None:
    ticket = await a_ticket(world)
    first = await world.post(f"/support-tickets/{ticket['id']}/close", {"message": "Enjoy!"})
    world.clock.advance(DAY)
    again = await world.post(f"/support-tickets/{ticket['id']}/close", {"message": "Enjoy again!"})
    assert (again.status_code, again.json()) == (200, first.json())
    assert len((await read(world, ticket["id"]))["messages"]) == 3


async def test_a_ticket_is_assigned_to_a_user_and_unassigned(world: World) -> None:
    mira = await access_service.add_user(world.deps, "mira@store.example", "Mira Voss")
    ticket = await a_ticket(world)
    answer = await world.post(f"/support-tickets/{ticket['id']}/assign", {"user_id": mira.id})
    assert (answer.status_code, answer.json()["message"]) == (200, "Support ticket assigned successfully")
    assert answer.json()["data"]["assigned_to"] == {"id": mira.id, "name": "Mira Voss"}
    again = await world.post(f"/support-tickets/{ticket['id']}/assign", {"user_id": mira.id})
    assert again.json() == answer.json()
    answer = await world.post(f"/support-tickets/{ticket['id']}/assign", {"user_id": None})
    assert answer.json()["data"]["assigned_to"] is None
    assert trail(await read(world, ticket["id"])) == [
        "Owner assigned the ticket to Mira Voss.",
        "Owner unassigned the ticket.",
    ]


async def test_a_ticket_cannot_be_assigned_to_an_unknown_user(world: World) -> None:
    ticket = await a_ticket(world)
    bodies: tuple[tuple[dict[str, Any], str], ...] = (
        ({}, "The user id field is required."),
        ({"user_id": 99}, "The user id field is not a user of this store."),
        ({"user_id": 2**63 - 1}, "The user id field is not a user of this store."),
        ({"user_id": 0}, "The user id field must be at least 1."),
        ({"user_id": "me"}, "The user id field must be an integer."),
    )
    for body, sentence in bodies:
        answer = await world.post(f"/support-tickets/{ticket['id']}/assign", body)
        assert (answer.status_code, answer.json()["errors"]) == (422, {"user_id": [sentence]})


async def test_a_missing_ticket_is_not_found(world: World) -> None:
    for answer in (
        await world.get("/support-tickets/7"),
        await set_status(world, 7, "closed"),
        await staff_writes(world, 7),
        await staff_writes(world, 7, is_internal=True),
        await world.post("/support-tickets/7/close"),
        await world.post("/support-tickets/7/assign", {"user_id": None}),
        await customer_writes(world, 7),
    ):
        assert (answer.status_code, answer.json()["message"]) == (404, "Support ticket not found.")


async def test_repeating_a_call_with_the_same_key_writes_once(world: World) -> None:
    ticket = await a_ticket(world)
    path, body = f"/support-tickets/{ticket['id']}/messages", {"message": "Once."}
    first = await world.post(path, body, headers={"Idempotency-Key": "k1"})
    again = await world.post(path, body, headers={"Idempotency-Key": "k1"})
    assert (again.status_code, again.content) == (201, first.content)
    assert (await read(world, ticket["id"]))["messages_count"] == 2
