"""Subscriptions over the Store API, read one by one and as a list."""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import bindparam, insert

from lootkeep.kernel.clock import DAY
from lootkeep.storage import schema
from lootkeep.storage.engine.query import Query
from lootkeep.storage.queue import MAX_COUNTED
from tests.builders import STORE, new_customer, new_product
from tests.world import World

MONTHLY = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}


async def subscribe(world: World, customer_id: int, **fields: Any) -> dict[str, Any]:
    answer = await world.post(f"{STORE}/subscriptions", {"customer_id": customer_id, "product_id": 1} | fields)
    assert answer.status_code == 201, answer.text
    world.clock.advance(DAY)
    subscription: dict[str, Any] = answer.json()["data"]["subscription"]
    return subscription


async def test_a_subscription_reads_as_it_was_returned(world: World) -> None:
    await new_product(world, **MONTHLY)
    await new_customer(world)
    subscription = await subscribe(world, 1, external_id="sub_81")
    assert subscription["external_id"] == "sub_81"
    assert (await world.get(f"{STORE}/subscriptions/1")).json() == {"success": True, "data": subscription}
    answer = await world.get(f"{STORE}/subscriptions/2")
    assert (answer.status_code, answer.json()["message"]) == (404, "Subscription not found.")


async def test_very_many_are_counted_up_to_a_limit_from_the_page_on(world: World) -> None:
    await new_product(world, **MONTHLY)
    await new_customer(world)
    await subscribe(world, 1)
    async with world.db.write() as tx:
        (row,) = await tx.all(Query(schema.subscriptions.select()))
        named = dict(zip(schema.subscriptions.c.keys(), row, strict=True))
        del named["id"]
        adding = Query(
            insert(schema.subscriptions).values({name: bindparam(name) for name in named}).inline(), set_based=True
        )
        await tx.execute_many(adding, [named] * (MAX_COUNTED + 20))
    metas = [
        (await world.get(f"{STORE}/subscriptions?per_page=100&page={page}")).json()["meta"] for page in (1, 2, 101)
    ]
    assert [meta["total"] for meta in metas] == [MAX_COUNTED, MAX_COUNTED + 21, MAX_COUNTED + 21]


async def test_the_list_is_filtered_newest_first(world: World) -> None:
    await new_product(world, **MONTHLY)
    for _ in range(2):
        await new_customer(world)
    subscriptions = [await subscribe(world, 1, external_id="a"), await subscribe(world, 2), await subscribe(world, 1)]
    await world.post(f"{STORE}/subscriptions/3/cancel", {"at_period_end": False})
    expected = {
        "": [3, 2, 1],
        "customer_id=1": [3, 1],
        "customer_id=9": [],
        "status=active": [2, 1],
        "status=expired": [],
        "status=cancelled&customer_id=1": [3],
        "external_id=a": [1],
        "external_id=b": [],
        "per_page=1&page=2": [2],
    }
    listed = {query: (await world.get(f"{STORE}/subscriptions?{query}")).json() for query in expected}
    assert {query: [row["id"] for row in answer["data"]] for query, answer in listed.items()} == expected
    assert listed["external_id=a"]["data"] == subscriptions[:1]
    assert listed["per_page=1&page=2"]["meta"]["total"] == 3
    for query in ("status=gone", "customer_id=x", "per_page=0"):
        assert (await world.get(f"{STORE}/subscriptions?{query}")).status_code == 422


async def test_an_external_id_has_only_one_subscription(world: World) -> None:
    await new_product(world, **MONTHLY)
    await new_customer(world)
    body = {"customer_id": 1, "product_id": 1, "external_id": "sub_81"}
    answers = await asyncio.gather(*(world.post(f"{STORE}/subscriptions", body) for _ in range(4)))
    codes = sorted(answer.json().get("code", "") for answer in answers)
    assert codes[0] == ""
    assert set(codes[1:]) <= {"validation_failed", "subscription_in_progress"}
    again = await world.post(f"{STORE}/subscriptions", body)
    assert again.json()["errors"] == {
        "external_id": ["The external id field has already been taken by subscription 1."]
    }
    assert (await world.get("/orders")).json()["meta"]["total"] == 1
