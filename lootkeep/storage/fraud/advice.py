"""What the store's own orders suggest about its fraud settings."""

from __future__ import annotations

from sqlalchemy import exists, func, literal_column, select
from sqlalchemy.sql.sqltypes import Integer

from lootkeep.kernel.clock import MINUTE
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, orders

# The newest customers who have paid an order.
_SAMPLE = 1000

_buyers = (
    select(customers.c.id, customers.c.created_at)
    .where(customers.c.first_order_at.is_not(None))
    .order_by(customers.c.id.desc())
    .limit(literal_column(str(_SAMPLE), Integer))
    .subquery()
)
_AT_ONCE = exists().where(
    orders.c.customer_id == _buyers.c.id, orders.c.created_at <= _buyers.c.created_at + literal_column(str(MINUTE))
)
_FIRST_ORDERS = Query(select(func.count(), func.count().filter(_AT_ONCE)).select_from(_buyers))


async def first_orders(tx: Transaction) -> tuple[int, int]:
    """The number of newest buyers, and how many of them ordered within a minute of signing up."""
    ((buyers, at_once),) = await tx.all(_FIRST_ORDERS)
    return buyers, at_once
