"""Events of changes to the catalogue, and deleting a product."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from sqlalchemy import select

from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import events
from tests.api.store_products import MONTHLY, PRODUCTS, SWORD, change, make
from tests.storage.subscribing import subscribe
from tests.world import World

_EVENTS = Query(select(events.c.type, events.c.data).order_by(events.c.id))


async def sent_events(world: World) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Type and data of every event, the keys in their order."""
    async with world.db.read() as tx:
        return [(kind, list(json.loads(data).items())) for kind, data in await tx.all(_EVENTS)]


async def test_creating_sends_an_event(world: World) -> None:
    await make(world, sku="S-1", stock=7)
    assert await sent_events(world) == [
        (
            "product.created",
            [
                ("product_id", 1),
                ("product_name", "Dragon Sword"),
                ("slug", "dragon-sword"),
                ("sku", "S-1"),
                ("price", "19.99"),
                ("currency", "USD"),
                ("status", "active"),
                ("stock", 7),
            ],
        )
    ]


async def test_changing_sends_an_event_with_the_changed_fields(world: World) -> None:
    product = await make(world)
    await change(world, product, price=25, name="Axe", category=None, tags=["rare"])
    assert (await sent_events(world))[1:] == [
        (
            "product.updated",
            [
                ("product_id", 1),
                ("product_name", "Axe"),
                ("slug", "dragon-sword"),
                ("sku", None),
                ("price", "25.00"),
                ("currency", "USD"),
                ("status", "active"),
                ("stock", None),
                ("changes", ["name", "price", "tags"]),
            ],
        )
    ]


async def test_a_dropped_billing_period_is_among_the_changes(world: World) -> None:
    product = await make(world, **MONTHLY)
    await change(world, product, billing_type="one_time")
    _, (_, data) = await sent_events(world)
    assert dict(data)["changes"] == ["billing_interval", "billing_interval_count", "billing_type"]


@pytest.mark.parametrize("changes", [{}, {"price": 19.99}, {"currency": "usd", "tags": []}, {"sales_count": 7}])
async def test_a_change_that_changes_nothing_sends_nothing(world: World, changes: dict[str, Any]) -> None:
    product = await make(world)
    world.clock.advance(60_000_000)
    assert await change(world, product, **changes) == product
    assert [kind for kind, _ in await sent_events(world)] == ["product.created"]


async def test_deleting_sends_an_event_and_the_product_is_gone(world: World) -> None:
    product = await make(world, sku="S-1")
    world.clock.advance(60_000_000)
    answer = await world.delete(f"{PRODUCTS}/{product['id']}")
    assert (answer.status_code, answer.json()) == (200, {"success": True, "message": "Product deleted successfully"})
    assert (await sent_events(world))[1:] == [
        (
            "product.deleted",
            [
                ("product_id", 1),
                ("product_name", "Dragon Sword"),
                ("slug", "dragon-sword"),
                ("sku", "S-1"),
                ("price", "19.99"),
                ("currency", "USD"),
                ("status", "active"),
                ("stock", None),
                ("deleted_at", "2026-11-15T12:01:00Z"),
            ],
        )
    ]
    assert (await world.put(f"{PRODUCTS}/{product['id']}", {})).status_code == 404
    assert (await world.delete(f"{PRODUCTS}/{product['id']}")).status_code == 404


async def test_a_product_with_active_subscriptions_is_not_deleted(world: World) -> None:
    product = await make(world, **MONTHLY)
    await subscribe(world.db, product["id"])
    answer = await world.delete(f"{PRODUCTS}/{product['id']}")
    assert answer.status_code == 409
    assert answer.json() == {
        "success": False,
        "error": "Conflict",
        "code": "product_has_subscriptions",
        "message": "A product with active subscriptions cannot be deleted.",
    }
    assert await change(world, product) == product
    assert len(await sent_events(world)) == 1


async def test_only_one_of_many_concurrent_deletions_succeeds_and_sends_an_event(world: World) -> None:
    product = await make(world)
    answers = await asyncio.gather(*(world.delete(f"{PRODUCTS}/{product['id']}") for _ in range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 9
    assert [kind for kind, _ in await sent_events(world)] == ["product.created", "product.deleted"]


async def test_a_replayed_or_refused_request_sends_nothing_more(world: World) -> None:
    for _ in range(2):
        await world.post(PRODUCTS, SWORD | {"sku": "S-1"}, headers={"Idempotency-Key": "one"})
    await world.post(PRODUCTS, SWORD | {"sku": "S-1"})
    await world.put(f"{PRODUCTS}/1", {"price": -1})
    assert [kind for kind, _ in await sent_events(world)] == ["product.created"]
