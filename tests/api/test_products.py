"""Products over the External API: the list, and one of them."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY
from tests.api.searches import HOSTILE
from tests.builders import STORE, new_customer, new_product, paid_order
from tests.world import World


async def test_a_listed_product_equals_the_product_as_read_and_as_returned(world: World) -> None:
    product = await new_product(world, sku="S-1", tags=["rare"], metadata={"a": 1.50}, stock=3, category="Maps")
    assert (await world.get("/products/1")).json() == {"success": True, "data": product}
    listed = (await world.get("/products")).json()
    assert listed["data"] == [product]
    assert listed["meta"] == {"current_page": 1, "last_page": 1, "per_page": 15, "total": 1}


async def test_filters_and_orders_find_the_products_they_name(world: World) -> None:
    await new_product(world, name="sword", price="5.00", stock=0, tags=["rare", "new"], category="Weapons", sku="AB-1")
    world.clock.advance(DAY)
    await new_product(world, name="Épée", price="9.99", delivery_type="keys", tags=["new"], status="draft")
    await new_product(
        world,
        name="Pass",
        price="20",
        stock=2,
        billing_type="recurring",
        billing_interval="month",
        billing_interval_count=1,
    )
    await new_product(world, name="Gone")
    await world.delete(f"{STORE}/products/4")
    await new_customer(world)
    await paid_order(world, 1, (3, 1))
    expected = {
        "": [3, 2, 1],
        "sort=name&order=asc": [3, 1, 2],
        "sort=price": [3, 2, 1],
        "sort=stock&order=asc": [1, 3, 2],
        "sort=sales_count": [3, 2, 1],
        "sort=updated_at&order=asc": [1, 2, 3],
        "sort=id&order=asc&per_page=1&page=2": [2],
        "status=draft": [2],
        "delivery_type=keys": [2],
        "billing_type=recurring": [3],
        "category=Weapons": [1],
        "category=weapons": [],
        "tag=new": [2, 1],
        "tag=new&status=active": [1],
        "in_stock=true": [3, 2],
        "in_stock=0": [1],
        "min_price=5&max_price=10": [2, 1],
        "search=SWO": [1],
        "search=ab-": [1],
        "search=é": [2],
        "search=gone": [],
        "from=2026-11-16&to=2026-11-16": [3, 2],
    }
    ids_by_query = {}
    for query in expected:
        ids_by_query[query] = [product["id"] for product in (await world.get(f"/products?{query}")).json()["data"]]
    assert ids_by_query == expected


async def test_products_are_found_by_their_current_tags(world: World) -> None:
    await new_product(world, tags=["old"])
    await world.put(f"{STORE}/products/1", {"tags": ["new"]})
    assert [(await world.get(f"/products?tag={tag}")).json()["meta"]["total"] for tag in ("old", "new")] == [0, 1]


async def test_a_deleted_or_unknown_product_is_not_found(world: World) -> None:
    await new_product(world)
    await world.delete(f"{STORE}/products/1")
    for product_id in (1, 2):
        answer = await world.get(f"/products/{product_id}")
        assert (answer.status_code, answer.json()["message"]) == (404, "Product not found.")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("status=lost", "status"),
        ("delivery_type=post", "delivery_type"),
        ("billing_type=never", "billing_type"),
        ("in_stock=maybe", "in_stock"),
        ("min_price=x", "min_price"),
        ("max_price=-1", "max_price"),
        ("min_price=2&max_price=1", "min_price"),
        ("tag=", "tag"),
        ("sort=tags", "sort"),
        ("to=today", "to"),
    ],
)
async def test_a_bad_value_of_a_filter_is_rejected_by_name(shared_world: World, query: str, field: str) -> None:
    answer = await shared_world.get(f"/products?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


async def test_hostile_texts_come_back_as_they_were_sent_and_are_found_by_themselves(world: World) -> None:
    fields: dict[str, Any] = {
        "name": HOSTILE.strip(),
        "description": HOSTILE,
        "category": HOSTILE,
        "tags": [HOSTILE[:60]],
    }
    fields |= {"sku": HOSTILE[:64], "metadata": {"x": HOSTILE}}
    product = await new_product(world, **fields)
    await new_product(world)
    assert {name: product[name] for name in fields} == fields
    assert (await world.get("/products/1")).json()["data"] == product
    for name, value in (("search", HOSTILE[:20]), ("tag", HOSTILE[:60]), ("category", HOSTILE)):
        answer = (await world.call("GET", "/products", params={name: value})).json()
        assert [item["id"] for item in answer["data"]] == [1], name
