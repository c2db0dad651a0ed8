"""What an order has handed over, and what a customer owns."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY
from lootkeep.storage.schema import order_items
from tests.api.key_shop import KEYS, added, open_shop
from tests.api.ordering import ORDERS, step
from tests.builders import STORE, new_order, new_product, paid_order
from tests.recount import rows
from tests.world import World

URL = "https://files.example/map.zip"


@pytest.fixture
async def shop(world: World) -> World:
    return await open_shop(world)


async def goods(world: World, order_id: int = 1) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = (await world.get(f"{ORDERS}/{order_id}/goods")).json()["data"]
    return data


async def states(world: World) -> list[tuple[str, str, str | None]]:
    return [(good["kind"], good["state"], good["value"]) for good in await goods(world)]


async def test_an_unpaid_order_has_handed_over_nothing(shop: World) -> None:
    await added(shop, "AAAA-1111")
    await new_order(shop, 1, (1, 1))
    assert await goods(shop) == []
    assert (await shop.get(f"{ORDERS}/2/goods")).status_code == 404
    assert (await shop.get("/orders/2/goods")).status_code == 404


async def test_the_store_reads_values_and_staff_do_not(shop: World) -> None:
    await added(shop, "AAAA-1111", "BBBB-2222")
    file = (await new_product(shop, name="Map", delivery_type="file"))["id"]
    await paid_order(shop, 1, (1, 2), (file, 1))
    assert await states(shop) == [
        ("key", "delivered", "AAAA-1111"),
        ("key", "delivered", "BBBB-2222"),
        ("file", "delivered", URL),
    ]
    seen = (await shop.get("/orders/1/goods")).json()["data"]
    of_staff = {"command_id": None, "output": None}
    assert [good | {"value": of_store["value"]} for good, of_store in zip(seen, await goods(shop), strict=True)] == [
        good | of_staff for good in await goods(shop)
    ]
    assert [good["masked"] for good in seen] == ["••••1111", "••••2222", None]


async def test_the_first_read_of_the_store_is_recorded(shop: World) -> None:
    await added(shop, "AAAA-1111")
    await paid_order(shop, 1, (1, 1))
    await shop.get("/orders/1/goods")
    assert [row["handed_at"] for row in await rows(shop.db, order_items)] == [None]
    first = shop.clock.now()
    for _ in range(2):
        await goods(shop)
        shop.clock.advance(DAY)
    assert [row["handed_at"] for row in await rows(shop.db, order_items)] == [first]


async def test_lines_that_wait_differ_from_those_delivered(world: World) -> None:
    await open_shop(world)
    await added(world, "AAAA-1111", "BBBB-2222")
    manual, file = await new_product(world), await new_product(world, delivery_type="file", file_url=None)
    other = [manual["id"], file["id"], (await new_product(world, delivery_type="gift_card"))["id"]]
    await new_order(world, 1, (1, 2), *((number, 1) for number in other))
    await world.post(f"{KEYS}/withdraw", {"key_ids": [2]})
    await step(world, 1, "pay")
    assert await states(world) == [
        ("key", "delivered", "AAAA-1111"),
        ("key", "waiting", None),
        ("manual", "waiting", None),
        ("file", "waiting", None),
        ("gift_card", "delivered", None),
    ]


async def test_a_full_refund_takes_everything_back(shop: World) -> None:
    await added(shop, "AAAA-1111")
    file = (await new_product(shop, name="Map", delivery_type="file"))["id"]
    await paid_order(shop, 1, (1, 1), (file, 1))
    await step(shop, 1, "refund")
    assert await states(shop) == [("key", "revoked", None), ("file", "revoked", None)]


async def test_no_value_is_shown_while_a_dispute_is_open(shop: World) -> None:
    await added(shop, "AAAA-1111")
    await paid_order(shop, 1, (1, 1))
    for kind, value in (("early_warning", "AAAA-1111"), ("dispute", None), ("dispute_won", "AAAA-1111")):
        shop.clock.advance(DAY)
        await shop.post(f"{ORDERS}/1/dispute", {"kind": kind, "reason": "other"})
        assert await states(shop) == [("key", "delivered", value)]


async def test_no_value_is_shown_once_the_order_was_fraud_whatever_its_payment_says_later(shop: World) -> None:
    file = (await new_product(shop, name="Map", delivery_type="file"))["id"]
    await new_order(shop, 1, (file, 1))
    await step(shop, 1, "pay", {"transaction_id": "pi_1"})
    for outcome, value in (("fraud", None), ("legitimate", URL)):
        await shop.post("/fraud/checks/1/review", {"outcome": outcome})
        payment = {"fingerprint": f"card of {outcome}"}
        assert (await step(shop, 1, "pay", {"transaction_id": "pi_1", "payment": payment})).status_code == 200
        assert await states(shop) == [("file", "delivered", value)]


async def test_a_file_is_delivered_although_its_product_was_deleted_before_the_payment(shop: World) -> None:
    file = (await new_product(shop, name="Map", delivery_type="file"))["id"]
    await new_order(shop, 1, (file, 1))
    assert (await shop.delete(f"{STORE}/products/{file}")).status_code == 200
    await step(shop, 1, "pay")
    assert await states(shop) == [("file", "delivered", URL)]


async def test_a_replaced_key_is_shown_next_to_the_new_one(shop: World) -> None:
    await added(shop, "AAAA-1111", "BBBB-2222")
    await paid_order(shop, 1, (1, 1))
    await shop.post("/orders/1/items/1/replace-key", {"key_id": 1, "reason": "Used."})
    assert await states(shop) == [("key", "replaced", None), ("key", "delivered", "BBBB-2222")]


async def test_goods_expire_as_the_product_said_when_it_was_ordered(shop: World) -> None:
    file = (await new_product(shop, name="Map", delivery_type="file", valid_days=30))["id"]
    await paid_order(shop, 1, (file, 1))
    await shop.put(f"{STORE}/products/{file}", {"valid_days": 1})
    shop.clock.advance(30 * DAY - 1)
    assert await states(shop) == [("file", "delivered", URL)]
    shop.clock.advance(1)
    assert await states(shop) == [("file", "expired", None)]


async def test_a_customer_owns_the_goods_of_all_orders_newest_first(shop: World) -> None:
    await added(shop, "AAAA-1111", "BBBB-2222")
    for _ in range(2):
        await paid_order(shop, 1, (1, 1))
    await step(shop, 1, "refund")
    path = f"{STORE}/customers/1/goods"
    every = (await shop.get(path)).json()
    assert [(good["order_id"], good["state"]) for good in every["data"]] == [(2, "delivered"), (1, "revoked")]
    assert "value" not in every["data"][0]
    assert [good["order_id"] for good in (await shop.get(f"{path}?active=true")).json()["data"]] == [2]
    assert [good["order_id"] for good in (await shop.get(f"{path}?active=false")).json()["data"]] == [1]
    second = (await shop.get(f"{path}?page=2&per_page=1")).json()
    assert ([good["order_id"] for good in second["data"]], second["meta"]["total"]) == ([1], 2)
    assert (await shop.get(f"{STORE}/customers/2/goods")).status_code == 404


async def test_imported_history_assigns_nothing(shop: World) -> None:
    await added(shop, "AAAA-1111")
    past = {"created_at": "2026-11-01T10:00:00Z", "paid_at": "2026-11-01T10:01:00Z"}
    order = await new_order(shop, 1, (1, 1), **past)
    assert order["status"] == "completed"
    assert await states(shop) == [("key", "delivered", None)]
    assert (await shop.get(f"{KEYS}?status=available")).json()["meta"]["total"] == 1
