"""Paid lines that wait for keys, oldest first."""

from __future__ import annotations

import msgspec
from sqlalchemy import Text, bindparam, select

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsListed
from lootkeep.storage.engine.query import Query
from lootkeep.storage.queue import count_up_to
from lootkeep.storage.schema import order_items as items, orders, products

_IS_WAITING = items.c.waiting_since.is_not(None)
_OF_PRODUCT = (items.c.product_id == bindparam("product"), _IS_WAITING)

_OLDEST = Query(
    select(items.c.order_id).where(*_OF_PRODUCT).order_by(items.c.waiting_since, items.c.id).limit(bindparam("size"))
)
_LOCK = Query(
    select(orders.c.id)
    .where(IsListed(orders.c.id, bindparam("ids", type_=Text)))
    .order_by(orders.c.id)
    .with_for_update()
)
_SERVABLE = Query(
    select(items.c.product_id)
    .join(products, products.c.id == items.c.product_id)
    .where(_IS_WAITING, products.c.keys_available > 0)
    .distinct()
)
_COUNT = Query(select(count_up_to(select(items.c.id).where(*_OF_PRODUCT))))
_COUNT_ALL = Query(select(count_up_to(select(items.c.id).where(_IS_WAITING))))


async def lock_orders(tx: Transaction, product_id: int, size: int) -> list[int]:
    """The orders that have waited longest for keys of a product, locked by id."""
    order_ids = [order_id for (order_id,) in await tx.all(_OLDEST, product=product_id, size=size)]
    if order_ids:
        await tx.run(_LOCK, ids=msgspec.json.encode(sorted(set(order_ids))).decode())
    return list(dict.fromkeys(order_ids))


async def servable_products(tx: Transaction) -> list[int]:
    """The products with keys that lines wait for."""
    return [product_id for (product_id,) in await tx.all(_SERVABLE)]


async def count(tx: Transaction, product_id: int | None = None) -> int:
    """How many lines wait, up to a limit."""
    rows = await (tx.all(_COUNT_ALL) if product_id is None else tx.all(_COUNT, product=product_id))
    return int(rows[0][0])
