"""Delivered lines whose time is over, and whose commands for that are not queued yet."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import order_items as items
from lootkeep.storage.schema.orders import EXPIRES

# Bounded: one batch never holds the write lock for long.
_DUE = Query(
    select(items.c.order_id)
    .where(EXPIRES, items.c.expiry_due_at <= bindparam("now"))
    .order_by(items.c.expiry_due_at)
    .limit(50)
)


async def due_orders(tx: Transaction, now: Instant) -> list[int]:
    """Some of their orders, by id: the order in which they are locked."""
    return sorted({order_id for (order_id,) in await tx.all(_DUE, now=now)})
