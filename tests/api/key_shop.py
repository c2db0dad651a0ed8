"""Helpers for the tests of keys: a product with keys, and what became of them."""

from __future__ import annotations

from typing import Any

from lootkeep.services import recount as recount_service
from lootkeep.storage.schema import events, product_keys
from tests.api.ordering import buyer
from tests.builders import new_product
from tests.recount import maintained, recounted, rows
from tests.world import World

KEYS = "/products/1/keys"


async def added(world: World, *keys: str, **fields: Any) -> dict[str, Any]:
    answer = await world.post(KEYS, {"keys": keys} | fields)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def listed(world: World, query: str = "") -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = (await world.get(f"{KEYS}{query}")).json()["data"]
    return data


async def statuses(world: World) -> list[str]:
    return [row["status"] for row in await rows(world.db, product_keys)]


async def product(world: World) -> dict[str, Any]:
    data: dict[str, Any] = (await world.get("/products/1")).json()["data"]
    return data


async def sent(world: World) -> list[str]:
    return [
        row["type"] for row in await rows(world.db, events) if not row["type"].startswith(("product.", "customer."))
    ]


async def agree(world: World) -> None:
    """Whatever happened: the stock and the counts of keys are what a recount finds."""
    assert await maintained(world.db) == await recounted(world.db)
    assert not any((await recount_service.check(world.deps)).values())


async def open_shop(world: World) -> World:
    """A buyer, and a product of which there are no keys yet."""
    await buyer(world)
    await new_product(world, delivery_type="keys", stock=0)
    return world
