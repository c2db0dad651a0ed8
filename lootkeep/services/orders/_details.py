"""An order with its items, customer and fraud check, as every step of an order begins."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.domain.orders import OrderDetails
from lootkeep.kernel.cause import note
from lootkeep.kernel.errors import existing
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.orders import details as order_details_db, rows as orders_db


async def lock(tx: Transaction, order_id: int) -> OrderDetails:
    """The order, locked until the transaction ends."""
    await orders_db.lock(tx, order_id)
    # Not in one statement with the lock, which may wait: what is joined would be as it was before.
    return await load(tx, order_id)


async def lock_loaded(tx: Transaction, details: OrderDetails) -> OrderDetails:
    """The same for an order whose customer's status decides which locks come first: that stays as it was loaded."""
    order = existing(await orders_db.ROWS.lock(tx, details.order.id), "Order")
    # Who waited for an erasure finds the order changed, and the customer too.
    if order == details.order:
        return details
    details_now = await load(tx, order.id)
    return replace(details_now, customer=replace(details_now.customer, status=details.customer.status))


async def load(tx: Transaction, order_id: int) -> OrderDetails:
    details = existing(await order_details_db.get(tx, order_id), "Order")
    note(order=order_id)
    return details
