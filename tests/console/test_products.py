"""Products in the console: the list, the form, and stock that orders change meanwhile."""

from __future__ import annotations

import re

import pytest

from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.storage import audit as audit_db
from tests.builders import new_order, new_product
from tests.console.visits import Visitor, visitor
from tests.world import World

NAME = re.compile(r'<a class="row" href="/console/products/(\d+)">')
SWORD = {
    "name": "Dragon Sword",
    "price": "19.99",
    "status": "active",
    "delivery_type": "manual",
    "billing_type": "one_time",
    "billing_interval": "",
    "tags": "rare, melee, rare",
}


async def product(world: World, number: int = 1) -> dict[str, object]:
    return dict((await world.get(f"/products/{number}")).json()["data"])


async def send(visits: Visitor, path: str, on: str = "/products/1/edit", **fields: str) -> int:
    return (await visits.post(path, on=on, **fields)).status_code


async def test_the_list_is_filtered_and_sorted_by_its_url(store: World) -> None:
    await new_product(store, name="Apple", price="3.00", stock=0, status="draft", category="Fruit & more")
    visits = await visitor(store, "read_only")
    queries = ("?sort=name&order=asc", "?status=draft", "?out_of_stock=0", "?category=Fruit+%26+more", "?search=vip")
    shown = [NAME.findall((await visits.get(f"/products{query}")).text) for query in queries]
    assert shown == [["2", "1"], ["2"], ["2"], ["2"], ["1"]]
    assert 'href="/console/products?category=Fruit+%26+more"' in (await visits.get("/products/2")).text


async def test_a_product_is_created_from_the_form(store: World) -> None:
    visits = await visitor(store, "staff")
    assert await send(visits, "/products/new", "/products/new", **SWORD, stock="40") == 303
    sword = await product(store, 2)
    assert (sword["name"], sword["price"], sword["stock"], sword["tags"]) == (
        "Dragon Sword",
        "19.99",
        40,
        ["rare", "melee"],
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("price", "ten"),
        ("price", "-1"),
        ("stock", "1.5"),
        ("status", "lost"),
        ("compare_at_price", "1.00"),
        ("billing_type", "recurring"),
        ("sku", "x" * 65),
        ("tags", "x" * 65),
    ],
)
async def test_an_invalid_field_is_named_and_the_input_is_kept(store: World, field: str, value: str) -> None:
    answer = await (await visitor(store, "staff")).post("/products/new", on="/products/new", **(SWORD | {field: value}))
    assert (answer.status_code, 'class="error"' in answer.text) == (422, True)
    assert field == "name" or 'value="Dragon Sword"' in answer.text
    assert (await store.get("/products/2")).status_code == 404


async def test_an_edit_keeps_fields_not_in_the_form_and_is_logged(store: World) -> None:
    await store.put("/api/store/v1/products/1", {"metadata": {"rarity": "epic"}, "stock": 9})
    visits = await visitor(store, "staff")
    assert await send(visits, "/products/1/edit", **SWORD) == 303
    sword = await product(store)
    assert (sword["name"], sword["metadata"], sword["stock"]) == ("Dragon Sword", {"rarity": "epic"}, 9)
    async with store.db.read() as tx:
        (entry,) = await audit_db.changes_since(tx, "product:1", Instant(0))
    assert {name for name, _, _ in entry.changes} == {"name", "description", "price", "tags"}


async def test_a_stale_edit_is_rejected_and_so_is_a_taken_sku(store: World) -> None:
    visits = await visitor(store, "staff")
    version = re.findall(r'name="version" value="(\d+)"', (await visits.get("/products/1/edit")).text)[0]
    store.clock.advance(MINUTE)
    await new_product(store, name="Other", sku="TAKEN")
    assert await send(visits, "/products/1/edit", **SWORD, version=version, sku="TAKEN") == 422
    assert await send(visits, "/products/1/edit", **SWORD, version=version) == 303
    assert await send(visits, "/products/1/edit", **SWORD, version=version) == 409


async def test_an_edit_does_not_overwrite_stock_changes_by_orders(store: World) -> None:
    await store.put("/api/store/v1/products/1", {"stock": 5})
    visits = await visitor(store, "staff")
    await new_order(store, 1, (1, 2))
    refused = await visits.post("/products/1/stock", on="/products/1", stock="10", shown="5")
    assert (refused.status_code, "is 3 now" in refused.text) == (422, True)
    assert await send(visits, "/products/1/stock", stock="10", shown="3") == 303
    assert (await product(store))["stock"] == 10
    assert await send(visits, "/products/1/stock", stock="", shown="10") == 303
    assert (await product(store))["stock"] is None


async def test_a_product_is_deleted_after_a_confirmation(store: World) -> None:
    visits = await visitor(store, "staff")
    assert await send(visits, "/products/1/delete") == 200
    assert await send(visits, "/products/1/delete", confirmed="yes") == 303
    assert (await store.get("/products/1")).status_code == 404
    assert " is deleted." in (await visits.get("/products")).text
