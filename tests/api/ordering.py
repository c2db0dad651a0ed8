"""Helpers for the tests of orders: a buyer, placing and moving orders, and the steps that lead to every status."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from sqlalchemy import bindparam, update

from lootkeep.domain.orders import OrderStatus
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import orders
from tests.builders import STORE, honest_buyer, new_customer
from tests.world import World

ORDERS = f"{STORE}/orders"
LATER = "2026-11-15T12:01:00Z"
OUT_OF_STOCK = "The items.0.quantity field is more than what is in stock."

_SET_STATUS = Query(update(orders).where(orders.c.id == bindparam("order")).values(status=bindparam("new_status")))


async def buyer(world: World, **fields: Any) -> int:
    return int((await new_customer(world, **{"email": "jun@j.example", "name": "Jun Park"} | fields))["customer"]["id"])


async def place(world: World, *lines: tuple[int, int], **fields: Any) -> httpx.Response:
    """Places an order of customer 1, or another, whatever comes of it."""
    items = [{"product_id": product_id, "quantity": quantity} for product_id, quantity in lines]
    buyer_fields = honest_buyer(int(fields.get("customer_id", 1)))
    return await world.post(ORDERS, {"customer_id": 1, "items": items} | buyer_fields | fields)


async def step(world: World, order_id: int, name: str, body: Any = None) -> httpx.Response:
    return await world.post(f"{ORDERS}/{order_id}/{name}", body)


async def welcomed(world: World, kind: str = "percentage", value: Any = 10) -> tuple[int, str]:
    """A referred customer, and the code of the welcome coupon."""
    settings = {
        "referral_welcome_discount_enabled": True,
        "referral_welcome_discount_type": kind,
        "referral_welcome_discount_value": value,
    }
    assert (await world.put("/referrals/settings", settings)).status_code == 200
    friend = (await new_customer(world))["customer"]
    answer = await new_customer(world, referral_code=friend["referral_code"])
    return answer["customer"]["id"], answer["welcome_coupon"]["code"]


async def stock_of(world: World, product_id: int) -> int | None:
    answer = await world.put(f"{STORE}/products/{product_id}", {})
    stock: int | None = answer.json()["data"]["stock"]
    return stock


def errors(answer: httpx.Response) -> dict[str, list[str]]:
    assert answer.status_code == 422, answer.text
    messages: dict[str, list[str]] = answer.json()["errors"]
    return messages


async def _pending(world: World, order_id: int) -> None:
    """Leaves the order as placed."""


async def _on_hold(world: World, order_id: int) -> None:
    """Only what fraud detection holds back gets there, and these buyers are honest: the row is set by hand."""
    async with world.db.write() as tx:
        await tx.run(_SET_STATUS, order=order_id, new_status="on_hold")


async def _paid(world: World, order_id: int) -> None:
    await step(world, order_id, "pay")


async def _completed(world: World, order_id: int) -> None:
    await _paid(world, order_id)
    async with world.db.write() as tx:
        await tx.run(_SET_STATUS, order=order_id, new_status="completed")


async def _partially_refunded(world: World, order_id: int) -> None:
    await _paid(world, order_id)
    await step(world, order_id, "refund", {"amount": "1.00"})


async def _refunded(world: World, order_id: int) -> None:
    await _paid(world, order_id)
    await step(world, order_id, "refund")


async def _cancelled(world: World, order_id: int) -> None:
    await step(world, order_id, "cancel")


LEAD_TO: dict[OrderStatus, Callable[[World, int], Awaitable[None]]] = {
    "pending": _pending,
    "on_hold": _on_hold,
    "paid": _paid,
    "completed": _completed,
    "partially_refunded": _partially_refunded,
    "refunded": _refunded,
    "cancelled": _cancelled,
}
