"""Keys in the console: what is left of a product, adding and withdrawing, and the goods of an order."""

from __future__ import annotations

import pytest

from lootkeep.storage.schema import audit_log, product_keys
from tests.builders import new_keys, new_product, paid_order
from tests.console.visits import Visitor, visitor
from tests.recount import rows
from tests.world import World


@pytest.fixture
async def shop(store: World) -> World:
    """With a product of three keys, of which one is sold in order 2."""
    await new_product(store, name="Emberfall", delivery_type="keys", stock=0)
    await new_keys(store, 2, 3, batch="October", unit_cost="18.00")
    await paid_order(store, 1, (2, 1))
    return store


async def send(visits: Visitor, path: str, **fields: str) -> int:
    return (await visits.post(path, on="/account", **fields)).status_code


async def test_the_page_shows_batches_counts_and_masks_and_no_key(shop: World) -> None:
    page = (await (await visitor(shop, "read_only")).get("/products/2/keys")).text
    assert "2 available, 0 reserved by orders" in page
    assert "$36.00" in page
    assert "Assigned 1" in page
    assert "October" in page
    assert "KEY-" not in page
    assert "Add keys" not in page


async def test_keys_are_pasted_and_withdrawn(shop: World) -> None:
    visits = await visitor(shop, "staff")
    assert await send(visits, "/products/2/keys", keys="NEW-1\n\n NEW-2 \r\nNEW-1", batch="November") == 303
    page = (await visits.get("/products/2/keys")).text
    assert "2 keys are added. 1 was known before and is skipped. 4 can be sold." in page
    assert await send(visits, "/products/2/keys/withdraw", batch="October", confirmed="yes") == 303
    assert "2 keys are withdrawn. Buyers have 1 others." in (await visits.get("/products/2/keys")).text
    assert (await shop.get("/products/2")).json()["data"]["stock"] == 2
    entries = repr([row["after"] for row in await rows(shop.db, audit_log)])
    assert "NEW-" not in entries


async def test_what_is_wrong_with_keys_is_said_next_to_them(shop: World) -> None:
    visits = await visitor(shop, "staff")
    assert await send(visits, "/products/2/keys", keys="x" * 4001) == 422
    assert await send(visits, "/products/2/keys", keys="A", batch="October", unit_cost="17.00") == 422
    assert await send(visits, "/products/1/keys", keys="A") == 409


async def test_the_goods_of_an_order_are_shown_and_replaced(shop: World) -> None:
    visits = await visitor(shop, "staff")
    page = (await visits.get("/orders/2")).text
    assert "1 of 1 delivered" in page
    assert "KEY-" not in page
    assert await send(visits, "/orders/2/replace-key", item_id="2", key_id="1", reason="Used") == 303
    assert "The key is replaced." in (await visits.get("/orders/2")).text
    assert [row["status"] for row in await rows(shop.db, product_keys)] == ["replaced", "assigned", "available"]


@pytest.mark.parametrize("path", ["/orders/2/show-key", "/products/2/keys/show"])
async def test_a_look_at_a_key_is_in_the_audit_log_and_not_for_everyone(shop: World, path: str) -> None:
    staff, reader = await visitor(shop, "staff"), await visitor(shop, "read_only")
    assert await send(reader, path, key_id="1") == 403
    assert await send(staff, path, key_id="1") == 200
    (entry,) = [row for row in await rows(shop.db, audit_log) if row["action"] == "Show a key"]
    assert entry["record"] == "order:2"
    assert await send(staff, path, key_id="99") == 404
