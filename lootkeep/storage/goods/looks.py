"""What buyers looked at on their page: when, from where, with which browser."""

from __future__ import annotations

from sqlalchemy import bindparam, select, update

from lootkeep.domain.goods import Look
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import goods_looks, orders, product_keys

ROWS = Rows(goods_looks, Look)

_REVEAL = Query(
    update(product_keys)
    .where(product_keys.c.id == bindparam("key"), product_keys.c.revealed_at.is_(None))
    .values(revealed_at=bindparam("now"))
)
_OF_CUSTOMER = Query(
    select(*columns_of(goods_looks, Look))
    .join(orders, orders.c.id == goods_looks.c.order_id)
    .where(orders.c.customer_id == bindparam("customer"))
    .order_by(goods_looks.c.id),
    Look,
)


async def of_customer(tx: Transaction, customer_id: int) -> list[Look]:
    return await tx.all(_OF_CUSTOMER, customer=customer_id)


async def add(tx: Transaction, look: Look) -> None:
    await ROWS.add(tx, look)
    if look.key_id is not None:
        await tx.run(_REVEAL, key=look.key_id, now=look.at)
