"""An order with its items, customer and fraud check: the only place that loads one."""

from __future__ import annotations

from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.kernel.cause import note
from lootkeep.kernel.errors import existing
from lootkeep.storage import order_lists as order_lists_db, orders as orders_db
from lootkeep.storage.engine.database import Transaction


async def lock(tx: Transaction, order_id: int) -> OrderDetails:
    """The order, locked until the transaction ends."""
    order = existing(await orders_db.get_for_update(tx, order_id), "Order")
    return await load(tx, order)


async def load(tx: Transaction, order: Order) -> OrderDetails:
    note(order=order.id)
    (details,) = await order_lists_db.sales(tx, [order])
    return details
