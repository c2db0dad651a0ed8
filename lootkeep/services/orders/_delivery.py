"""What is written when items of an order are delivered."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from lootkeep.domain.orders import AUTOMATIC_DELIVERY, Order, Sale
from lootkeep.storage import orders as orders_db
from lootkeep.storage import outbox
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals.changes import Changes
from lootkeep.views import order_events


async def deliver(tx: Transaction, sale: Sale, fulfilled: Mapping[int, int]) -> Sale:
    """Saves how many of each line are delivered; lines that are not named stay as they are."""
    await orders_db.set_fulfilled(tx, fulfilled)
    items = [replace(line, fulfilled_quantity=fulfilled.get(line.id, line.fulfilled_quantity)) for line in sale.items]
    return replace(sale, items=items)


async def complete(tx: Transaction, sale: Sale, completed: Order, changes: Changes) -> Sale:
    """Saves that everything was delivered, and announces it."""
    sale = await deliver(tx, sale, {line.id: line.quantity for line in sale.items})
    await orders_db.save(tx, sale.order, completed, sale.items, changes)
    sale = replace(sale, order=completed)
    await outbox.append(tx, "order.completed", order_events.completed(sale), completed.updated_at)
    return sale


async def deliver_automatic(tx: Transaction, sale: Sale, changes: Changes) -> Sale:
    """Keys, files and gift cards are delivered with the payment; an order of nothing else is complete."""
    automatic = {line.id: line.quantity for line in sale.items if line.delivery_type in AUTOMATIC_DELIVERY}
    if len(automatic) == len(sale.items):
        completed = replace(sale.order, status="completed", completed_at=sale.order.paid_at)
        return await complete(tx, sale, completed, changes)
    return await deliver(tx, sale, automatic)
