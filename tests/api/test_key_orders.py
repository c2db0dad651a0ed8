"""Keys and orders: assigned by payments, given to those who wait, replaced, revoked."""

from __future__ import annotations

import pytest

from lootkeep.domain.goods import SealedKey
from lootkeep.services import orders as orders_service
from lootkeep.storage.goods import keys as keys_db
from lootkeep.storage.products import rows as products_db
from lootkeep.storage.schema import alert_notices, product_keys
from tests.api.key_shop import KEYS, added, agree, listed, open_shop, product, sent, statuses
from tests.api.ordering import ORDERS, buyer, errors, place, step, stock_of
from tests.builders import STORE, new_alert, new_keys, new_order, new_product, paid_order
from tests.console.visits import visitor
from tests.recount import rows
from tests.world import World


@pytest.fixture
async def shop(world: World) -> World:
    return await open_shop(world)


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


# --- warnings


async def test_a_stock_that_becomes_low_is_reported_once(shop: World) -> None:
    await new_keys(shop, 1, 7)
    for _ in range(3):
        await new_order(shop, 1, (1, 1))
    assert (await sent(shop)).count("keys.low") == 1


async def test_a_stock_is_reported_again_after_it_rose_and_also_when_a_key_is_replaced(shop: World) -> None:
    await new_keys(shop, 1, 7)
    await paid_order(shop, 1, (1, 1))
    await shop.post("/orders/1/items/1/replace-key", {"key_id": 1, "reason": "Used."})
    assert (await sent(shop)).count("keys.low") == 1
    await added(shop, "ONE-MORE")
    await new_order(shop, 1, (1, 1))
    assert (await sent(shop)).count("keys.low") == 2


async def test_a_stock_that_was_never_more_has_not_become_low(shop: World) -> None:
    await new_keys(shop, 1, 5)
    await paid_order(shop, 1, (1, 1))
    await shop.post(f"{KEYS}/withdraw", {"key_ids": [2, 3, 4, 5]})
    assert "keys.low" not in await sent(shop)


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


async def test_lines_that_wait_are_an_alert_a_metric_and_a_need(shop: World) -> None:
    await new_alert(shop, triggers=["keys_missing", "low_stock"])
    await new_keys(shop, 1, 6)
    await new_order(shop, 1, (1, 1))
    await shop.post(f"{KEYS}/withdraw", {"key_ids": [1, 2, 3, 4, 5, 6]})
    await step(shop, 1, "pay")
    notices = [(row["trigger"], row["text"]) for row in await rows(shop.db, alert_notices)]
    assert notices == [
        ("low_stock", "VIP rank: 5 left in stock"),
        ("keys_missing", "Order ORD-000001 (20.00 USD): it is paid, and keys are missing"),
    ]
    metrics = await shop.http.get("/metrics", headers={"Authorization": f"Bearer {shop.token}"})
    assert "lootkeep_lines_waiting_for_keys 1.0" in metrics.text
    page = await (await visitor(shop, "staff")).get("")
    assert "1 paid line waits for a key" in page.text
