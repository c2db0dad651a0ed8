"""Helpers that call the products of the Store API."""

from __future__ import annotations

from typing import Any

from tests.world import World

PRODUCTS = "/api/store/v1/products"

SWORD = {"name": "Dragon Sword", "price": "19.99"}

MONTHLY = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}


async def make(world: World, **changes: Any) -> dict[str, Any]:
    answer = await world.post(PRODUCTS, SWORD | changes)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def change(world: World, product: dict[str, Any], **changes: Any) -> dict[str, Any]:
    answer = await world.put(f"{PRODUCTS}/{product['id']}", changes)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data
