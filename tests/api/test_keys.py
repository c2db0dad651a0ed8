"""Keys of products: added, listed, withdrawn, looked at; assigned by payments and given to those who wait."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.goods import SealedKey
from lootkeep.services import orders as orders_service, recount as recount_service
from lootkeep.storage.goods import keys as keys_db
from lootkeep.storage.products import rows as products_db
from lootkeep.storage.schema import audit_log, events, product_keys
from tests.api.ordering import ORDERS, buyer, errors, place, step, stock_of
from tests.builders import STORE, new_keys, new_order, new_product, paid_order
from tests.conftest import only_sqlite
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
    return [row["type"] for row in await rows(world.db, events) if not row["type"].startswith("product.")]


async def agree(world: World) -> None:
    """Whatever happened: the stock and the counts of keys are what a recount finds."""
    assert await maintained(world.db) == await recounted(world.db)
    assert not any((await recount_service.check(world.deps)).values())


@pytest.fixture
async def shop(world: World) -> World:
    """A buyer, and a product of which there are no keys yet."""
    await buyer(world)
    await new_product(world, delivery_type="keys", stock=0)
    return world


# --- adding


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


# --- selling


async def test_a_payment_assigns_the_oldest_keys(shop: World) -> None:
    await new_keys(shop, 1, 3)
    order = await paid_order(shop, 1, (1, 2))
    assert (order["status"], order["items"][0]["fulfilled_quantity"]) == ("completed", 2)
    assert [(key["id"], key["status"], key["order_id"], key["item_id"]) for key in await listed(shop)] == [
        (3, "available", None, None),
        (2, "assigned", 1, 1),
        (1, "assigned", 1, 1),
    ]
    assert await sent(shop) == ["order.created", "order.paid", "order.delivered", "order.completed"]
    assert await stock_of(shop, 1) == 1
    await agree(shop)


async def test_an_order_reserves_keys_and_a_cancelled_one_returns_them(shop: World) -> None:
    await new_keys(shop, 1, 3)
    await new_order(shop, 1, (1, 2))
    assert [(await product(shop))[name] for name in ("stock", "keys_available")] == [1, 3]
    assert errors(await place(shop, (1, 2))).keys() == {"items.0.quantity"}
    await step(shop, 1, "cancel")
    assert [(await product(shop))[name] for name in ("stock", "keys_available")] == [3, 3]
    await agree(shop)


async def test_a_line_without_enough_keys_waits_and_is_served_first(shop: World) -> None:
    await new_keys(shop, 1, 2)
    for order in (await new_order(shop, 1, (1, 1)), await new_order(shop, 1, (1, 1))):
        shop.clock.advance(1)
        await shop.post(f"{KEYS}/withdraw", {"key_ids": [1, 2]})
        assert (await step(shop, order["id"], "pay")).json()["data"]["status"] == "paid"
    assert await new_keys(shop, 1, 1) == {"added": 1, "already_known": 0, "stock": 0}
    assert [row["order_id"] for row in await rows(shop.db, product_keys)] == [None, None, 1]
    await agree(shop)
    assert await new_keys(shop, 1, 3) == {"added": 3, "already_known": 0, "stock": 2}
    assert [(await shop.get(f"/orders/{number}")).json()["data"]["status"] for number in (1, 2)] == ["completed"] * 2
    assert (await sent(shop))[-2:] == ["order.delivered", "order.completed"]
    await agree(shop)


async def test_a_line_gets_the_keys_there_are(shop: World) -> None:
    await new_keys(shop, 1, 3)
    await new_order(shop, 1, (1, 3))
    await shop.post(f"{KEYS}/withdraw", {"key_ids": [2]})
    paid = (await step(shop, 1, "pay")).json()["data"]
    assert (paid["status"], paid["items"][0]["fulfilled_quantity"]) == ("paid", 2)
    assert await sent(shop) == ["order.created", "order.paid"]
    await new_keys(shop, 1, 1)
    assert (await sent(shop))[-2:] == ["order.delivered", "order.completed"]
    await agree(shop)


async def test_staff_declare_a_waiting_line_delivered_and_its_key_can_be_sold(shop: World) -> None:
    await new_keys(shop, 1, 1)
    await new_order(shop, 1, (1, 1))
    await shop.post(f"{KEYS}/withdraw", {"key_ids": [1]})
    await step(shop, 1, "pay")
    assert (await shop.post("/orders/1/fulfill", {})).json()["data"]["status"] == "completed"
    assert (await new_keys(shop, 1, 1))["stock"] == 1
    assert await statuses(shop) == ["withdrawn", "available"]
    await agree(shop)


async def test_the_worker_serves_lines_that_still_wait(shop: World) -> None:
    """As after a withdrawal that failed: its keys were locked while the payment looked for them."""
    await new_keys(shop, 1, 1)
    await new_order(shop, 1, (1, 1))
    await shop.post(f"{KEYS}/withdraw", {"key_ids": [1]})
    await step(shop, 1, "pay")
    async with shop.db.write() as tx:
        batch = await keys_db.BATCHES.get(tx, 1)
        assert batch is not None
        await keys_db.add(tx, batch, [SealedKey("hash", "sealed", "last")], shop.clock.now())
        await products_db.change_keys(tx, 1, 1)
    await orders_service.serve_all(shop.deps)
    assert (await shop.get("/orders/1")).json()["data"]["status"] == "completed"
    await agree(shop)


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


# --- taking back


async def test_a_full_refund_revokes_keys_for_good(shop: World) -> None:
    await new_keys(shop, 1, 2)
    await paid_order(shop, 1, (1, 1))
    await step(shop, 1, "refund", {"amount": "1.00"})
    assert await statuses(shop) == ["assigned", "available"]
    await step(shop, 1, "refund")
    assert await statuses(shop) == ["revoked", "available"]
    assert await stock_of(shop, 1) == 1
    await agree(shop)


async def test_a_refunded_line_waits_no_longer(shop: World) -> None:
    await new_keys(shop, 1, 1)
    await new_order(shop, 1, (1, 1))
    await shop.post(f"{KEYS}/withdraw", {"key_ids": [1]})
    await step(shop, 1, "pay")
    await step(shop, 1, "refund")
    assert (await new_keys(shop, 1, 1))["stock"] == 1
    assert await statuses(shop) == ["withdrawn", "available"]
    await agree(shop)


async def test_a_lost_dispute_revokes_keys_and_an_open_one_does_not(shop: World) -> None:
    await new_keys(shop, 1, 1)
    await paid_order(shop, 1, (1, 1))
    for kind, status in (("dispute", "assigned"), ("dispute_lost", "revoked")):
        answer = await shop.post(f"{ORDERS}/1/dispute", {"kind": kind, "reason": "other"})
        assert answer.status_code == 201, answer.text
        assert await statuses(shop) == [status]
        shop.clock.advance(1_000_000)
    await agree(shop)


# --- replacing


async def test_a_bad_key_is_replaced_and_both_are_remembered(shop: World) -> None:
    await new_keys(shop, 1, 2)
    await paid_order(shop, 1, (1, 1))
    path, body = "/orders/1/items/1/replace-key", {"key_id": 1, "reason": "Already redeemed."}
    assert (await shop.post(path, body)).json()["data"] == {"replaced_key_id": 1, "key_id": 2}
    assert [(row["status"], row["replaced_by_id"]) for row in await rows(shop.db, product_keys)] == [
        ("replaced", 2),
        ("assigned", None),
    ]
    again = await shop.post(path, body)
    assert (again.status_code, again.json()["code"]) == (409, "key_replaced")
    left = await shop.post(path, body | {"key_id": 2})
    assert (left.status_code, left.json()["code"]) == (409, "no_keys_left")
    assert (await shop.post(path, body | {"key_id": 9})).status_code == 404
    await agree(shop)


async def test_a_reserved_key_replaces_nothing(shop: World) -> None:
    await new_keys(shop, 1, 2)
    await paid_order(shop, 1, (1, 1))
    await new_order(shop, 1, (1, 1))
    answer = await shop.post("/orders/1/items/1/replace-key", {"key_id": 1, "reason": "Used."})
    assert (answer.status_code, answer.json()["code"]) == (409, "no_keys_left")
    assert await statuses(shop) == ["assigned", "available"]
    await agree(shop)


async def test_a_look_at_a_whole_key_is_in_the_audit_log(shop: World) -> None:
    await added(shop, "AAAA-1111")
    assert (await shop.post(f"{KEYS}/1/reveal")).json()["data"] == {"id": 1, "key": "AAAA-1111"}
    ((entry),) = [row for row in await rows(shop.db, audit_log) if row["action"] == "Show a key"]
    assert (entry["record"], entry["after"]) == ("product:1", '{"key_id":1,"key":"••••1111"}')
    assert (await shop.post(f"{KEYS}/2/reveal")).status_code == 404


# --- warnings


async def test_a_stock_that_becomes_low_is_reported_once(shop: World) -> None:
    await new_keys(shop, 1, 7)
    for _ in range(3):
        await new_order(shop, 1, (1, 1))
    assert (await sent(shop)).count("keys.low") == 1


async def test_subscriptions_take_a_key_each_period(world: World) -> None:
    await buyer(world)
    monthly = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}
    await new_product(world, delivery_type="keys", stock=1, **monthly)
    created = await world.post(f"{STORE}/subscriptions", {"customer_id": 1, "product_id": 1})
    assert created.status_code == 201, created.text
    assert await statuses(world) == ["assigned"]
    renewed = await world.post(f"{STORE}/subscriptions/1/renew")
    assert (renewed.status_code, renewed.json()["code"]) == (422, "product_out_of_stock")
    await agree(world)
