"""Support tickets through both APIs: how one is opened, how its messages are read, and the answers as documented."""

from __future__ import annotations

import pytest

from lootkeep.domain.tickets import TicketMessage
from lootkeep.storage.tickets import rows as tickets_db
from tests.api.openapi import ALL_ROWS, content_of, example_body, faults, operation, path_of
from tests.api.ticket_steps import a_ticket, customer_writes, read, staff_writes
from tests.builders import STORE, new_customer, new_order, new_product, new_ticket
from tests.world import NOON, World

HOSTILE = (
    "'; DROP TABLE support_tickets; --",
    "<script>alert(1)</script>{{ 7 * 7 }}{% raw %}",
    "Bcc: all@example.com\r\nSubject: other\r\n\r\nbody",
    "\u202e\u200b\ufeff ٱلسَّلَامُ 👩‍👩‍👧‍👦 \u0001\u001f",
    "%s %(x)s {0} \\ \\u0000 $1 ?1 :name",
    "\"quoted\" 'single' `back` \"\" ''",
    "İıſẞ Ǆǅǆ ﬁ",
)


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


async def test_every_wrong_field_of_a_new_ticket_is_named(shared_world: World) -> None:
    answer = await shared_world.post(
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


async def test_customer_and_order_must_exist_and_belong_together(world: World) -> None:
    first, other = [(await new_customer(world))["customer"]["id"] for _ in range(2)]
    product = await new_product(world)
    order = await new_order(world, first, (product["id"], 1))
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
    current = await read(world, ticket["id"])
    assert current["subject"] == text
    assert [m["body"] for m in current["messages"] if m["author_type"] != "system"] == [text] * 5
    response = await world.get("/support-tickets", params={"search": text})
    assert [entry["subject"] for entry in response.json()["data"]] == [text]


# --- the messages of a ticket


async def test_a_long_ticket_is_paged_from_its_end(world: World) -> None:
    ticket = await a_ticket(world, message="0")
    for number in range(1, 8):
        await customer_writes(world, ticket["id"], str(number))
    page = await read(world, ticket["id"], "?limit=3")
    assert [message["body"] for message in page["messages"]] == ["5", "6", "7"]
    read_before = []
    while page["earlier_before"]:
        page = await read(world, ticket["id"], f"?limit=3&before={page['earlier_before']}")
        read_before.append([message["body"] for message in page["messages"]])
    assert read_before == [["2", "3", "4"], ["0", "1"]]
    assert page["messages_count"] == 8


async def test_a_ticket_returns_its_newest_fifty_messages_by_default(world: World) -> None:
    ticket = await a_ticket(world)
    async with world.db.write() as tx:
        for number in range(200):
            message = TicketMessage(0, ticket["id"], "customer", None, "Jun", str(number), False, NOON)
            await tickets_db.MESSAGES.add(tx, message)
    current = await read(world, ticket["id"])
    assert [message["body"] for message in current["messages"]] == [str(number) for number in range(150, 200)]
    for query, sentence in (
        ("limit=101", "The limit field must not be greater than 100."),
        ("limit=0", "The limit field must be at least 1."),
        ("before=0", "The before field must be at least 1."),
    ):
        answer = await world.get(f"/support-tickets/{ticket['id']}?{query}")
        assert (answer.status_code, list(answer.json()["errors"].values())) == (422, [[sentence]])


async def test_every_answer_matches_the_document(world: World) -> None:
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
