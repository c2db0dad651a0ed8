"""What is written when lines of an order are delivered."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from lootkeep.domain.fulfilment import concluded
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.views import order_events as order_events_views

NewEvents = list[tuple[str, Struct]]


async def deliver(tx: Transaction, details: OrderDetails, step: Order, lines: Sequence[OrderItem]) -> OrderDetails:
    """Saves a step of the order with its lines as they are now, and appends the events."""
    done = await save(tx, details, step, lines)
    await outbox_db.append_all(tx, events(details, step, done), step.updated_at)
    return done


async def save(tx: Transaction, details: OrderDetails, step: Order, lines: Sequence[OrderItem]) -> OrderDetails:
    """The order is completed with its last line."""
    order = concluded(step, lines)
    await orders_db.set_delivered(tx, [new for old, new in zip(details.items, lines, strict=True) if old != new])
    await orders_db.save(tx, details.order, order, lines)
    return replace(details, order=order, items=lines)


def events(before: OrderDetails, step: Order, done: OrderDetails) -> NewEvents:
    """One for each line that is whole now, and one if that was the last."""
    stepped = replace(done, order=step)
    new: NewEvents = [
        ("order.delivered", order_events_views.delivered(stepped, line))
        for old, line in zip(before.items, done.items, strict=True)
        if line.delivered_at is not None and old.delivered_at is None
    ]
    if done.order.completed_at is not None and before.order.completed_at is None:
        new.append(("order.completed", order_events_views.completed(done)))
    return new
