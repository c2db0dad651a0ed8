"""Sixty-four concurrent requests on one ticket: nothing is lost or done twice, and every figure agrees afterwards."""

from __future__ import annotations

from typing import Any

from lootkeep.services import recount as recount_service
from tests.builders import STORE, new_customer, new_ticket
from tests.races.racing import AT_ONCE, ROUNDS, Call, race, statuses
from tests.world import World

LIST = "/support-tickets"


async def a_ticket(world: World) -> int:
    ticket = await new_ticket(world, (await new_customer(world))["customer"]["id"])
    number: int = ticket["id"]
    return number


async def read(world: World, ticket_id: int) -> dict[str, Any]:
    data: dict[str, Any] = (await world.get(f"{LIST}/{ticket_id}?limit=100")).json()["data"]
    return data


async def assert_figures_agree(world: World) -> None:
    assert set((await recount_service.check(world.deps)).values()) == {0}


async def test_no_message_is_lost(world: World) -> None:
    for _ in range(ROUNDS):
        ticket_id = await a_ticket(world)
        calls: list[Call] = []
        for number in range(AT_ONCE // 2):
            calls.append((f"{LIST}/{ticket_id}/messages", {"message": f"s{number}"}))
            calls.append((f"{STORE}/support-tickets/{ticket_id}/messages", {"message": f"c{number}"}))
        assert statuses(await race(world, calls)) == {201: AT_ONCE}
        current = await read(world, ticket_id)
        assert current["messages_count"] == len(current["messages"]) == AT_ONCE + 1
        assert {body["message"] for _, body in calls} <= {message["body"] for message in current["messages"]}
        assert current["last_message_by"] == current["messages"][-1]["author_type"]
        assert current["status"] == ("open" if current["last_message_by"] == "customer" else "pending")
        await assert_figures_agree(world)


async def test_a_ticket_is_closed_once_with_one_final_message(world: World) -> None:
    for _ in range(ROUNDS):
        ticket_id = await a_ticket(world)
        calls: list[Call] = [(f"{LIST}/{ticket_id}/close", {"message": f"Bye {n}"}) for n in range(AT_ONCE)]
        answers = await race(world, calls)
        assert statuses(answers) == {200: AT_ONCE}
        assert {answer.json()["data"]["messages_count"] for answer in answers} == {2}
        assert len((await read(world, ticket_id))["messages"]) == 3
        await assert_figures_agree(world)


async def test_figures_agree_after_concurrent_messages_closing_and_assigning(world: World) -> None:
    tickets = [await a_ticket(world) for _ in range(3)]
    for _ in range(ROUNDS):
        calls: list[Call] = []
        for number in range(AT_ONCE // 4):
            ticket_id = tickets[number % 3]
            calls.append((f"{LIST}/{ticket_id}/messages", {"message": "s"}))
            calls.append((f"{STORE}/support-tickets/{ticket_id}/messages", {"message": "c"}))
            calls.append((f"{LIST}/{ticket_id}/close", {"message": "Bye"}))
            calls.append((f"{LIST}/{ticket_id}/assign", {"user_id": 1 if number % 2 else None}))
        answers = await race(world, calls)
        # Staff may find the ticket closed; customers never do.
        assert set(statuses(answers)) <= {200, 201, 409}
        assert all(answer.status_code == 201 for answer in answers[1::4])
        for ticket_id in tickets:
            current = await read(world, ticket_id)
            assert (current["status"] == "closed") == (current["closed_at"] is not None)
        await assert_figures_agree(world)


async def test_concurrent_customers_get_one_ticket_each(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    body = {"customer_id": customer["id"], "subject": "S", "message": "M"}
    for number in range(1, ROUNDS + 1):
        answers = await race(world, [(f"{STORE}/support-tickets", body)] * AT_ONCE)
        assert statuses(answers) == {201: AT_ONCE}
        assert (await world.get(LIST)).json()["meta"]["total"] == number * AT_ONCE
        await assert_figures_agree(world)
