"""Support tickets through both APIs: what each step does to a ticket, and which steps are refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from lootkeep.kernel.clock import DAY, HOUR, MINUTE
from lootkeep.services import access
from lootkeep.storage import support_tickets as storage
from tests.api.test_openapi import ALL_ROWS, content_of, example_body, faults, operation, path_of
from tests.builders import STORE, new_customer, new_order, new_product, new_ticket
from tests.world import NOON, World

STATES = ("open", "pending", "resolved", "closed")
FORBIDDEN = {("resolved", "pending"), ("closed", "pending"), ("closed", "resolved")}
ALLOWED = {
    "open": "pending, resolved, closed",
    "pending": "open, resolved, closed",
    "resolved": "open, closed",
    "closed": "open",
}
HOSTILE = (
    "'; DROP TABLE support_tickets; --",
    "<script>alert(1)</script>{{ 7 * 7 }}{% raw %}",
    "Bcc: all@example.com\r\nSubject: other\r\n\r\nbody",
    "\u202e\u200b\ufeff ٱلسَّلَامُ 👩‍👩‍👧‍👦 \u0001\u001f",
    "%s %(x)s {0} \\ \\u0000 $1 ?1 :name",
    "\"quoted\" 'single' `back` \"\" ''",
    "İıſẞ Ǆǅǆ ﬁ",
)


async def a_ticket(world: World, **fields: Any) -> dict[str, Any]:
    customer = (await new_customer(world, name="Jun Park", email="jun@example.com"))["customer"]
    return await new_ticket(world, customer["id"], **fields)


async def staff_writes(
    world: World, ticket_id: int, message: str = "Here is a new key.", **fields: Any
) -> httpx.Response:
    return await world.post(f"/support-tickets/{ticket_id}/messages", {"message": message} | fields)


async def customer_writes(world: World, ticket_id: int, message: str = "It still fails.") -> httpx.Response:
    return await world.post(f"{STORE}/support-tickets/{ticket_id}/messages", {"message": message})


async def set_status(world: World, ticket_id: int, status: str) -> httpx.Response:
    return await world.put(f"/support-tickets/{ticket_id}/status", {"status": status})


async def read(world: World, ticket_id: int, query: str = "") -> dict[str, Any]:
    answer = await world.get(f"/support-tickets/{ticket_id}{query}")
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def in_state(world: World, status: str) -> int:
    ticket = await a_ticket(world)
    if status != "open":
        assert (await set_status(world, ticket["id"], status)).status_code == 200
    ticket_id: int = ticket["id"]
    return ticket_id


def trail(ticket: dict[str, Any]) -> list[str]:
    return [message["body"] for message in ticket["messages"] if message["author_type"] == "system"]


# --- opening


async def test_a_customer_opens_a_ticket(world: World) -> None:
    customer = (await new_customer(world, name="Jun Park", email="jun@example.com"))["customer"]
    product = await new_product(world)
    order = await new_order(world, customer["id"], (product["id"], 1))
    body = {"customer_id": customer["id"], "subject": "Key", "message": "Used.", "priority": "high"}
    answer = await world.post(f"{STORE}/support-tickets", body | {"category": "delivery", "order_id": order["id"]})
    assert answer.status_code == 201
    assert answer.json() == {
        "success": True,
        "message": "Support ticket created successfully",
        "data": {
            "id": 1,
            "ticket_number": "TKT-000001",
            "subject": "Key",
            "status": "open",
            "priority": "high",
            "category": "delivery",
            "customer": {"id": customer["id"], "name": "Jun Park", "email": "jun@example.com"},
            "order_id": order["id"],
            "assigned_to": None,
            "messages_count": 1,
            "last_message_at": "2026-11-15T12:00:00Z",
            "last_message_by": "customer",
            "first_response_at": None,
            "resolved_at": None,
            "closed_at": None,
            "reopened_count": 0,
            "created_at": "2026-11-15T12:00:00Z",
            "updated_at": "2026-11-15T12:00:00Z",
            "messages": [
                {
                    "id": 1,
                    "author_type": "customer",
                    "author_name": "Jun Park",
                    "body": "Used.",
                    "is_internal": False,
                    "created_at": "2026-11-15T12:00:00Z",
                }
            ],
            "earlier_before": None,
        },
    }
    assert await read(world, 1) == answer.json()["data"]


async def test_priority_and_category_have_defaults(world: World) -> None:
    ticket = await a_ticket(world)
    assert (ticket["priority"], ticket["category"], ticket["order_id"]) == ("normal", "other", None)


async def test_every_wrong_field_of_a_new_ticket_is_named(world: World) -> None:
    answer = await world.post(
        f"{STORE}/support-tickets",
        {"customer_id": "1", "subject": " ", "message": "", "priority": "none", "category": "x", "order_id": 0},
    )
    assert answer.status_code == 422
    assert answer.json()["errors"] == {
        "customer_id": ["The customer id field must be an integer."],
        "subject": ["The subject field must not be blank."],
        "message": ["The message field must not be empty."],
        "priority": ["The priority field must be one of: low, normal, high, urgent."],
        "category": ["The category field must be one of: order, payment, delivery, account, refund, technical, other."],
        "order_id": ["The order id field must be at least 1."],
    }


async def test_customer_and_order_must_be_there_and_belong_together(world: World) -> None:
    one, other = [(await new_customer(world))["customer"]["id"] for _ in range(2)]
    product = await new_product(world)
    order = await new_order(world, one, (product["id"], 1))
    body = {"customer_id": 99, "subject": "S", "message": "M", "order_id": 99}
    assert (await world.post(f"{STORE}/support-tickets", body)).json()["errors"] == {
        "customer_id": ["The customer id field is not a customer of this store."],
        "order_id": ["The order id field is not an order of this customer."],
    }
    answer = await world.post(f"{STORE}/support-tickets", body | {"customer_id": other, "order_id": order["id"]})
    assert answer.json()["errors"] == {"order_id": ["The order id field is not an order of this customer."]}


@pytest.mark.parametrize("length", [255, 256])
async def test_a_subject_has_at_most_255_characters(world: World, length: int) -> None:
    customer = (await new_customer(world))["customer"]
    body = {"customer_id": customer["id"], "subject": "ß" * length, "message": "M"}
    answer = await world.post(f"{STORE}/support-tickets", body)
    assert answer.status_code == (201 if length == 255 else 422)


@pytest.mark.parametrize("length", [20_000, 20_001])
async def test_a_message_has_at_most_20000_characters(world: World, length: int) -> None:
    ticket = await a_ticket(world)
    for answer in (
        await staff_writes(world, ticket["id"], "ß" * length),
        await customer_writes(world, ticket["id"], "ß" * length),
        await world.post(f"/support-tickets/{ticket['id']}/close", {"message": "ß" * length}),
    ):
        assert answer.status_code in ((200, 201) if length == 20_000 else (422,))


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_comes_back_as_it_was_sent(world: World, text: str) -> None:
    ticket = await a_ticket(world, subject=text, message=text)
    await staff_writes(world, ticket["id"], text)
    await staff_writes(world, ticket["id"], text, is_internal=True)
    await customer_writes(world, ticket["id"], text)
    await world.post(f"/support-tickets/{ticket['id']}/close", {"message": text})
    seen = await read(world, ticket["id"])
    assert seen["subject"] == text
    assert [m["body"] for m in seen["messages"] if m["author_type"] != "system"] == [text] * 5
    found = await world.get("/support-tickets", params={"search": text})
    assert [entry["subject"] for entry in found.json()["data"]] == [text]


# --- whose turn it is


async def test_an_answer_of_the_staff_makes_it_the_customers_turn(world: World) -> None:
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
    told = data["ticket"]
    assert (told["status"], told["messages_count"], told["last_message_by"]) == ("pending", 2, "staff")
    assert told["first_response_at"] == told["last_message_at"] == told["updated_at"] == "2026-11-15T12:01:30Z"


async def test_only_the_first_answer_is_the_first_response(world: World) -> None:
    ticket = await a_ticket(world)
    await staff_writes(world, ticket["id"])
    world.clock.advance(HOUR)
    told = (await staff_writes(world, ticket["id"])).json()["data"]["ticket"]
    assert (told["first_response_at"], told["last_message_at"]) == ("2026-11-15T12:00:00Z", "2026-11-15T13:00:00Z")


async def test_a_staff_message_leaves_a_resolved_ticket_resolved(world: World) -> None:
    ticket_id = await in_state(world, "resolved")
    assert (await staff_writes(world, ticket_id)).json()["data"]["ticket"]["status"] == "resolved"


async def test_staff_do_not_write_to_a_closed_ticket(world: World) -> None:
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


@pytest.mark.parametrize("status", STATES)
async def test_an_internal_note_changes_nothing(world: World, status: str) -> None:
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


@pytest.mark.parametrize("status", STATES)
async def test_a_customers_message_opens_the_ticket(world: World, status: str) -> None:
    ticket_id = await in_state(world, status)
    world.clock.advance(MINUTE)
    answer = await customer_writes(world, ticket_id)
    assert answer.status_code == 201
    told = answer.json()["data"]["ticket"]
    assert (told["status"], told["resolved_at"], told["closed_at"]) == ("open", None, None)
    assert (told["messages_count"], told["last_message_by"]) == (2, "customer")
    assert told["reopened_count"] == (1 if status in ("resolved", "closed") else 0)


async def test_a_customer_opens_a_closed_ticket_again_within_14_days(world: World) -> None:
    ticket_id = await in_state(world, "closed")
    world.clock.advance(14 * DAY)
    assert (await customer_writes(world, ticket_id)).json()["data"]["ticket"]["status"] == "open"
    assert trail(await read(world, ticket_id)) == [
        "Owner set the status to closed.",
        "The customer's message opened the ticket again.",
    ]


async def test_later_the_customer_is_told_to_open_a_new_one(world: World) -> None:
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


async def test_a_resolved_ticket_is_opened_again_however_late(world: World) -> None:
    ticket_id = await in_state(world, "resolved")
    world.clock.advance(400 * DAY)
    assert (await customer_writes(world, ticket_id)).json()["data"]["ticket"]["status"] == "open"


# --- steps of the staff


@pytest.mark.parametrize("before", STATES)
@pytest.mark.parametrize("after", STATES)
async def test_a_step_is_taken_or_refused_with_those_that_are_allowed(world: World, before: str, after: str) -> None:
    ticket_id = await in_state(world, before)
    world.clock.advance(MINUTE)
    answer = await set_status(world, ticket_id, after)
    if (before, after) in FORBIDDEN:
        assert answer.status_code == 409
        assert answer.json()["code"] == "ticket_step_not_allowed"
        assert answer.json()["message"] == (
            f"Ticket TKT-000001 is {before} and cannot become {after}. Allowed from here: {ALLOWED[before]}."
        )
        assert (await read(world, ticket_id))["status"] == before
        return
    assert (answer.status_code, answer.json()["data"]["status"]) == (200, after)
    told = answer.json()["data"]
    later, at_once = "2026-11-15T12:01:00Z", "2026-11-15T12:00:00Z"
    settled = ("resolved", "closed")
    expected_resolution = (at_once if before in settled else later) if after in settled else None
    assert told["resolved_at"] == expected_resolution
    assert told["closed_at"] == ((at_once if before == "closed" else later) if after == "closed" else None)
    assert told["reopened_count"] == int(before in settled and after not in settled)
    assert told["updated_at"] == (at_once if before == after else later)


async def test_a_status_that_does_not_exist_is_refused(world: World) -> None:
    ticket = await a_ticket(world)
    answer = await set_status(world, ticket["id"], "spam")
    assert (answer.status_code, answer.json()["errors"]) == (
        422,
        {"status": ["The status field must be one of: open, pending, resolved, closed."]},
    )


async def test_a_ticket_is_closed_with_a_last_word(world: World) -> None:
    ticket = await a_ticket(world)
    answer = await world.post(f"/support-tickets/{ticket['id']}/close", {"message": "Enjoy!"})
    assert (answer.status_code, answer.json()["message"]) == (200, "Support ticket closed successfully")
    told = answer.json()["data"]
    assert (told["status"], told["messages_count"], told["last_message_by"]) == ("closed", 2, "staff")
    assert told["first_response_at"] == told["resolved_at"] == told["closed_at"] == "2026-11-15T12:00:00Z"
    seen = await read(world, ticket["id"])
    assert [message["body"] for message in seen["messages"]] == [
        "It was used before.",
        "Enjoy!",
        "Owner closed the ticket.",
    ]


@pytest.mark.parametrize("body", [None, {}, {"message": None}])
async def test_a_ticket_is_closed_without_a_word(world: World, body: Any) -> None:
    ticket = await a_ticket(world)
    told = (await world.post(f"/support-tickets/{ticket['id']}/close", body)).json()["data"]
    assert (told["status"], told["messages_count"], told["first_response_at"]) == ("closed", 1, None)


async def test_closing_again_changes_nothing(world: World) -> None:
    ticket = await a_ticket(world)
    first = await world.post(f"/support-tickets/{ticket['id']}/close", {"message": "Enjoy!"})
    world.clock.advance(DAY)
    again = await world.post(f"/support-tickets/{ticket['id']}/close", {"message": "Enjoy again!"})
    assert (again.status_code, again.json()) == (200, first.json())
    assert len((await read(world, ticket["id"]))["messages"]) == 3


async def test_a_ticket_is_assigned_to_a_user_and_to_nobody(world: World) -> None:
    mira = await access.add_user(world.deps, "mira@store.example", "Mira Voss")
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
        "Owner left the ticket to nobody.",
    ]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "The user id field is required."),
        ({"user_id": 99}, "The user id field is not a user of this store."),
        ({"user_id": 2**63 - 1}, "The user id field is not a user of this store."),
        ({"user_id": 0}, "The user id field must be at least 1."),
        ({"user_id": "me"}, "The user id field must be an integer."),
    ],
)
async def test_a_ticket_is_not_assigned_to_a_stranger(world: World, body: Any, sentence: str) -> None:
    ticket = await a_ticket(world)
    answer = await world.post(f"/support-tickets/{ticket['id']}/assign", body)
    assert (answer.status_code, answer.json()["errors"]) == (422, {"user_id": [sentence]})


async def test_a_ticket_that_is_not_there_is_not_found(world: World) -> None:
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


async def test_a_repeated_call_with_the_same_key_writes_once(world: World) -> None:
    ticket = await a_ticket(world)
    path, body = f"/support-tickets/{ticket['id']}/messages", {"message": "Once."}
    first = await world.post(path, body, headers={"Idempotency-Key": "k1"})
    again = await world.post(path, body, headers={"Idempotency-Key": "k1"})
    assert (again.status_code, again.content) == (201, first.content)
    assert (await read(world, ticket["id"]))["messages_count"] == 2


# --- the messages of a ticket


async def test_a_long_ticket_is_read_from_its_end_in_pieces(world: World) -> None:
    ticket = await a_ticket(world, message="0")
    for number in range(1, 8):
        await customer_writes(world, ticket["id"], str(number))
    seen = await read(world, ticket["id"], "?limit=3")
    assert [message["body"] for message in seen["messages"]] == ["5", "6", "7"]
    read_before = []
    while seen["earlier_before"]:
        seen = await read(world, ticket["id"], f"?limit=3&before={seen['earlier_before']}")
        read_before.append([message["body"] for message in seen["messages"]])
    assert read_before == [["2", "3", "4"], ["0", "1"]]
    assert seen["messages_count"] == 8


async def test_a_ticket_answers_its_newest_fifty_messages_unless_told_otherwise(world: World) -> None:
    ticket = await a_ticket(world)
    async with world.db.write() as tx:
        for number in range(200):
            await storage.add_message(tx, ticket["id"], "customer", "Jun", str(number), NOON)
    seen = await read(world, ticket["id"])
    assert [message["body"] for message in seen["messages"]] == [str(number) for number in range(150, 200)]
    for query, sentence in (
        ("limit=101", "The limit field must not be greater than 100."),
        ("limit=0", "The limit field must be at least 1."),
        ("before=0", "The before field must be at least 1."),
    ):
        answer = await world.get(f"/support-tickets/{ticket['id']}?{query}")
        assert (answer.status_code, list(answer.json()["errors"].values())) == (422, [[sentence]])


async def test_every_answer_is_as_the_document_says(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    order = await new_order(world, customer["id"], ((await new_product(world))["id"], 1))
    for prefix, route in ALL_ROWS:
        if "support-tickets" not in route.path:
            continue
        await new_ticket(world, customer["id"])
        body = example_body(prefix, route)
        for name, value in (("customer_id", customer["id"]), ("order_id", order["id"]), ("user_id", 1)):
            if body and name in body:
                body = body | {name: value}
        answer = await world.call(route.method, path_of(prefix, route, 1), body)
        assert (route.path, answer.status_code) == (route.path, route.answer.status)
        documented = content_of(operation(prefix, route)["responses"][str(answer.status_code)])
        assert faults(answer.json(), documented["schema"]) == []
        assert set(answer.json()) == set(documented["example"])
        await world.put("/support-tickets/1/status", {"status": "open"})
