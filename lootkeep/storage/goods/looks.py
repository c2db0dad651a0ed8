"""What buyers looked at on their page: when, from where, with which browser."""

from __future__ import annotations

from sqlalchemy import bindparam, update

from lootkeep.domain.goods import Look
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows
from lootkeep.storage.schema import goods_looks, product_keys

ROWS = Rows(goods_looks, Look)

_REVEAL = Query(
    update(product_keys)
    .where(product_keys.c.id == bindparam("key"), product_keys.c.revealed_at.is_(None))
    .values(revealed_at=bindparam("now"))
)


async def add(tx: Transaction, look: Look) -> None:
    await ROWS.add(tx, look)
    if look.key_id is not None:
        await tx.run(_REVEAL, key=look.key_id, now=look.at)
