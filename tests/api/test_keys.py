"""The stock of keys: added, listed, withdrawn, looked at."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.storage.schema import audit_log
from tests.api.key_shop import KEYS, added, agree, listed, open_shop, product
from tests.api.ordering import errors, step
from tests.builders import STORE, new_keys, new_order, new_product, paid_order
from tests.conftest import only_sqlite
from tests.recount import rows
from tests.world import World


@pytest.fixture
async def shop(world: World) -> World:
    return await open_shop(world)


async def test_keys_are_added_once_and_are_the_stock(shop: World) -> None:
    first = await added(shop, " AAAA-1111 ", "BBBB-2222", "AAAA-1111", batch="October", unit_cost="18.00")
    again = await added(shop, "BBBB-2222", "CCCC-3333")
    assert first == {"added": 2, "already_known": 1, "stock": 2}
    assert again == {"added": 1, "already_known": 1, "stock": 3}
    assert [(await product(shop))[name] for name in ("stock", "keys_available")] == [3, 3]
    await agree(shop)


async def test_the_list_shows_keys_masked_newest_first(shop: World) -> None:
    await added(shop, "AAAA-1111", batch="October")
    await added(shop, "BBBB-2222")
    assert [(key["masked_key"], key["status"], key["batch"]) for key in await listed(shop)] == [
        ("••••2222", "available", None),
        ("••••1111", "available", "October"),
    ]
    assert [key["id"] for key in await listed(shop, "?batch=October&status=available")] == [1]
    assert await listed(shop, "?batch=August") == []
    assert (await shop.get(f"{KEYS}?status=available")).json()["meta"]["total"] == 2


async def test_only_a_product_with_keys_gets_keys(world: World) -> None:
    await new_product(world)
    answer = await world.post(KEYS, {"keys": ["A"]})
    assert (answer.status_code, answer.json()["code"]) == (409, "not_a_key_product")
    assert (await world.post("/products/2/keys", {"keys": ["A"]})).status_code == 404


async def test_another_cost_for_a_known_batch_is_refused(shop: World) -> None:
    await added(shop, "A-1", batch="October", unit_cost="18.00")
    await added(shop, "A-2", batch="October")
    assert errors(await shop.post(KEYS, {"keys": ["A-3"], "batch": "October", "unit_cost": "17.00"})).keys() == {
        "unit_cost"
    }


@only_sqlite
@pytest.mark.parametrize("keys", [[], [" "], ["x" * 4001], [5]])
async def test_bad_keys_are_refused_without_an_echo(shop: World, keys: list[Any]) -> None:
    answer = await shop.post(KEYS, {"keys": keys})
    assert answer.status_code == 422
    assert "xxx" not in answer.text


async def test_the_stock_of_a_product_with_keys_cannot_be_set(shop: World) -> None:
    await new_keys(shop, 1, 2)
    path = f"{STORE}/products/1"
    assert (await shop.put(path, {"stock": 2})).status_code == 200
    assert errors(await shop.put(path, {"stock": 3})).keys() == errors(await shop.put(path, {"stock": None})).keys()
    refused = await shop.post(f"{STORE}/products", {"name": "Key", "price": "1", "delivery_type": "keys", "stock": 4})
    assert errors(refused).keys() == {"stock"}


async def test_the_delivery_type_stays_while_there_are_keys_or_open_orders(shop: World) -> None:
    await new_keys(shop, 1, 1)
    refused = await shop.put(f"{STORE}/products/1", {"delivery_type": "manual"})
    path = f"{STORE}/products/{(other := (await new_product(shop))['id'])}"
    await new_order(shop, 1, (other, 1))
    open_order = await shop.put(path, {"delivery_type": "keys"})
    assert (refused.status_code, refused.json()["code"]) == (409, "product_has_keys")
    assert (open_order.status_code, open_order.json()["code"]) == (409, "product_has_open_orders")
    await step(shop, 1, "cancel")
    changed = await shop.put(path, {"delivery_type": "keys"})
    assert (changed.json()["data"]["stock"], changed.json()["data"]["keys_available"]) == (0, 0)


async def test_a_key_taken_back_before_it_was_paid_is_listed_with_its_owner(shop: World) -> None:
    await added(shop, "A-1", "A-2", "A-3", batch="October")
    await paid_order(shop, 1, (1, 1))
    answer = (await shop.post(f"{KEYS}/withdraw", {"batch": "October"})).json()["data"]
    assert answer == {"withdrawn": 2, "already_assigned": [{"key_id": 1, "order_id": 1}]}
    assert await added(shop, "A-2") == {"added": 0, "already_known": 1, "stock": 0}
    (batch, _) = reversed((await shop.get("/products/1/key-batches")).json()["data"])
    assert [batch[name] for name in ("added", "available", "assigned", "withdrawn")] == [3, 0, 1, 2]
    await agree(shop)


async def test_exactly_one_of_batch_and_keys_is_withdrawn(shop: World) -> None:
    for body in ({}, {"batch": "October", "key_ids": [1]}, {"batch": "October"}):
        assert errors(await shop.post(f"{KEYS}/withdraw", body)).keys() == {"batch"}


async def test_a_look_at_a_whole_key_is_in_the_audit_log(shop: World) -> None:
    await added(shop, "AAAA-1111")
    assert (await shop.post(f"{KEYS}/1/reveal")).json()["data"] == {"id": 1, "key": "AAAA-1111"}
    ((entry),) = [row for row in await rows(shop.db, audit_log) if row["action"] == "Show a key"]
    assert (entry["record"], entry["after"]) == ("product:1", '{"key_id":1,"key":"••••1111"}')
    assert (await shop.post(f"{KEYS}/2/reveal")).status_code == 404


async def test_revoked_keys_are_listed_whole_for_the_supplier(shop: World) -> None:
    await added(shop, "AAAA-1111", "=BBBB-2222", "CCCC-3333", batch="October")
    await paid_order(shop, 1, (1, 2))
    await step(shop, 1, "refund")
    csv = {"Accept": "text/csv"}
    answer = await shop.get(f"{KEYS}?status=revoked", headers=csv)
    assert answer.headers["content-type"] == "text/csv"
    assert answer.text.splitlines() == [
        "key,batch,order,revoked_at",
        "AAAA-1111,October,ORD-000001,2026-11-15T12:00:00Z",
        "'=BBBB-2222,October,ORD-000001,2026-11-15T12:00:00Z",
    ]
    assert [row["record"] for row in await rows(shop.db, audit_log)] == ["product:1"]
    assert errors(await shop.get(KEYS, headers=csv)).keys() == {"status"}
    reader = await shop.new_token("products:read")
    refused = await shop.get(f"{KEYS}?status=revoked", headers=csv, token=reader)
    assert (refused.status_code, refused.headers["content-type"]) == (403, "application/json")
