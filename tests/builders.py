"""Short ways to a store with something in it: customers, products and orders through the Store API."""

from __future__ import annotations

from itertools import count
from typing import Any

from tests.world import World

STORE = "/api/store/v1"

_numbers = count(1)


async def new_customer(world: World, **fields: Any) -> dict[str, Any]:
    """A customer with a mailbox of their own; gives the whole answer: customer, referral, welcome_coupon."""
    number = next(_numbers)
    body = {"email": f"player{number}@mail{number}.example", "name": f"Player {number}"} | fields
    return await _data(world, "/customers", body)


async def new_product(world: World, **fields: Any) -> dict[str, Any]:
    return await _data(world, "/products", {"name": "VIP rank", "price": "20.00"} | fields)


async def new_order(world: World, customer_id: int, *lines: tuple[int, int], **fields: Any) -> dict[str, Any]:
    """A placed order of (product_id, quantity) lines."""
    items = [{"product_id": product_id, "quantity": quantity} for product_id, quantity in lines]
    body = {"customer_id": customer_id, "items": items, "ip_address": "203.0.113.9"} | fields
    order: dict[str, Any] = (await _data(world, "/orders", body))["order"]
    return order


async def paid_order(world: World, customer_id: int, *lines: tuple[int, int], **fields: Any) -> dict[str, Any]:
    order = await new_order(world, customer_id, *lines, **fields)
    answer = await world.post(f"{STORE}/orders/{order['id']}/pay", {"transaction_id": f"t{order['id']}"})
    assert answer.status_code == 200, answer.text
    paid: dict[str, Any] = answer.json()["data"]
    return paid


async def referred(world: World, code: str, **fields: Any) -> dict[str, Any]:
    """A customer who signed up with the code, and was attributed."""
    answer = await new_customer(world, referral_code=code, **fields)
    assert answer["referral"]["attributed"], answer
    customer: dict[str, Any] = answer["customer"]
    return customer


async def new_gift_card(world: World, **fields: Any) -> dict[str, Any]:
    """A card of 25.00 with its whole code."""
    return await _data(world, "/gift-cards", {"initial_balance": "25.00"} | fields)


async def new_ticket(world: World, customer_id: int, **fields: Any) -> dict[str, Any]:
    body = {"customer_id": customer_id, "subject": "My key does not work", "message": "It was used before."} | fields
    return await _data(world, "/support-tickets", body)


async def _data(world: World, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await world.post(STORE + path, body)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data
