"""A support ticket in each of its states, and short ways to read it, write to it and move it."""

from __future__ import annotations

from typing import Any

import httpx

from tests.builders import STORE, new_customer, new_ticket
from tests.world import World

STATES = ("open", "pending", "resolved", "closed")


async def a_ticket(world: World, **fields: Any) -> dict[str, Any]:
    """Of one customer, however many there are."""
    customers = (await world.get(f"{STORE}/customers?email=jun@example.com")).json()["data"]
    customer = (
        customers[0] if customers else (await new_customer(world, name="Jun Park", email="jun@example.com"))["customer"]
    )
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
