"""Helpers that place orders and read their fraud checks."""

from __future__ import annotations

from typing import Any

import httpx

from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.kernel.clock import Instant
from lootkeep.storage.fraud import check_lists as fraud_check_lists_db
from tests.builders import STORE, new_customer, new_product
from tests.world import World

ORDERS = f"{STORE}/orders"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
HOME = "203.0.113.9"
TOR = "198.51.100.7"
VPN = "198.51.100.17"
PROXY = "198.51.100.33"
DATACENTER = "198.51.100.70"
DAY = 86_400_000_000


async def regular(world: World, **fields: Any) -> int:
    """A customer who registered long before."""
    customer = (await new_customer(world, **fields))["customer"]
    world.clock.advance(30 * DAY)
    return int(customer["id"])


async def shop(world: World, **fields: Any) -> None:
    await new_product(world, **fields)


async def place(world: World, customer_id: int, **fields: Any) -> httpx.Response:
    body = {
        "customer_id": customer_id,
        "items": [{"product_id": 1, "quantity": 1}],
        "ip_address": HOME,
        "user_agent": BROWSER,
    }
    return await world.post(ORDERS, body | fields)


async def judged(world: World, customer_id: int, **fields: Any) -> dict[str, Any]:
    """The order and its check as the API returned them."""
    answer = await place(world, customer_id, **fields)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def decline(world: World, order_id: int, **fields: Any) -> httpx.Response:
    """Reports a declined payment of the order."""
    return await world.post(f"{ORDERS}/{order_id}/payment-attempts", fields)


async def check(world: World, check_id: int) -> dict[str, Any]:
    answer = await world.get(f"/fraud/checks/{check_id}")
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def signals(world: World, check_id: int) -> dict[str, int]:
    return dict((await check(world, check_id))["check"]["signals"])


async def settings(world: World, **changes: Any) -> dict[str, Any]:
    answer = await world.put("/fraud/settings", changes)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def review(world: World, check_id: int, outcome: str, **fields: Any) -> httpx.Response:
    return await world.post(f"/fraud/checks/{check_id}/review", {"outcome": outcome, **fields})


async def stored(world: World) -> list[FraudCheck]:
    """All checks in the order of their orders."""
    checks: list[FraudCheck] = []
    async with world.deps.db.read() as tx:
        while batch := await fraud_check_lists_db.before(tx, *(checks[-1].place if checks else (Instant(2**60), 0)), 0):
            checks += batch
    return sorted(checks, key=lambda check: check.order_id)
