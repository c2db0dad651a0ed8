"""What is written when items of an order are delivered."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from lootkeep.domain.orders import AUTOMATIC_DELIVERY, Order, OrderDetails
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.views import order_events as order_events_views


async def deliver(tx: Transaction, details: OrderDetails, fulfilled: Mapping[int, int]) -> OrderDetails:
    """Saves the delivered quantity of each line; other lines do not change."""
    await orders_db.set_fulfilled(tx, fulfilled)
    items = [
        replace(line, fulfilled_quantity=fulfilled.get(line.id, line.fulfilled_quantity)) for line in details.items
    ]
    return replace(details, items=items)


async def complete(tx: Transaction, details: OrderDetails, completed: Order) -> OrderDetails:
    """Saves that everything was delivered, and appends the event."""
    details = await deliver(tx, details, {line.id: line.quantity for line in details.items})
    await orders_db.save(tx, details.order, completed, details.items)
    details = replace(details, order=completed)
    await outbox_db.append(tx, "order.completed", order_events_views.completed(details), completed.updated_at)
    return details


async def deliver_automatic(tx: Transaction, details: OrderDetails) -> OrderDetails:
    """Keys, files and gift cards are delivered with the payment; an order of nothing else is complete."""
    automatic = {line.id: line.quantity for line in details.items if line.delivery_type in AUTOMATIC_DELIVERY}
    if len(automatic) == len(details.items):
        completed = replace(details.order, status="completed", completed_at=details.order.updated_at)
        return await complete(tx, details, completed)
    return await deliver(tx, details, automatic)
