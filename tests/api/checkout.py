"""Helpers that place orders paid with a gift card, and read the balance of the card."""

from __future__ import annotations

from typing import Any

import httpx

from tests.api.ordering import ORDERS
from tests.builders import honest_buyer, new_customer
from tests.recount import maintained, recounted
from tests.world import World


async def buyer(world: World) -> int:
    return int((await new_customer(world))["customer"]["id"])


async def place(world: World, code: str | None, quantity: int = 1, **fields: Any) -> httpx.Response:
    body = {"customer_id": 1, "items": [{"product_id": 1, "quantity": quantity}]}
    body |= honest_buyer(fields.get("customer_id", 1))
    return await world.post(ORDERS, body | ({} if code is None else {"gift_card_code": code}) | fields)


async def placed(world: World, code: str | None, quantity: int = 1, **fields: Any) -> dict[str, Any]:
    answer = await place(world, code, quantity, **fields)
    assert answer.status_code == 201, answer.text
    order: dict[str, Any] = answer.json()["data"]["order"]
    return order


async def card(world: World, card_id: int = 1) -> dict[str, Any]:
    data: dict[str, Any] = (await world.get(f"/gift-cards/{card_id}")).json()["data"]
    return data


def ledger(card: dict[str, Any]) -> list[tuple[str, str, int | None]]:
    return [(t["type"], t["amount"], t["order_id"]) for t in card["transactions"]]


async def assert_all_totals_agree(world: World) -> None:
    assert await maintained(world.db) == await recounted(world.db)
