"""The stock of keys, counted again from the keys and from the lines that reserve them."""

from __future__ import annotations

from typing import Any

from lootkeep.storage.engine.database import Database
from lootkeep.storage.schema import order_items, product_keys, products
from tests.recount.stored import Row, rows


async def key_counters(db: Database) -> list[str]:
    return [f"keys.{key['product_id']}.{key['batch_id']}.{key['status']}" for key in await rows(db, product_keys)]


async def stocks_of_keys(db: Database, placed: list[Row]) -> dict[int, tuple[Any, ...]]:
    """Available, reserved, and what can be sold."""
    status = {order["id"]: order["status"] for order in placed}
    keys, lines = await rows(db, product_keys), await rows(db, order_items)
    stocks: dict[int, tuple[Any, ...]] = {}
    for product in await rows(db, products):
        if product["delivery_type"] == "keys":
            available = sum((key["product_id"], key["status"]) == (product["id"], "available") for key in keys)
            reserved = sum(_reserved(line, status) for line in lines if line["product_id"] == product["id"])
            stocks[product["id"]] = available, reserved, max(0, available - reserved)
    return stocks


def _reserved(line: Row, status: dict[int, str]) -> int:
    if status[line["order_id"]] in ("pending", "on_hold") and line["holds_stock"]:
        return int(line["quantity"])
    return int(line["quantity"] - line["fulfilled_quantity"]) if line["waiting_since"] is not None else 0
