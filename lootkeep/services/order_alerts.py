"""Notifies staff of what happened to an order."""

from __future__ import annotations

from lootkeep.domain.alerts import AlertTrigger
from lootkeep.domain.orders import Order
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant
from lootkeep.storage import alerts as alerts_db
from lootkeep.storage.engine.database import Transaction


async def raise_for(tx: Transaction, order: Order, trigger: AlertTrigger, key: str, what: str, now: Instant) -> None:
    """Every alert that wants it, from its amount on; once for each key."""
    text = f"Order {order.number} ({money.text(order.total)} {order.currency}): {what}"
    await alerts_db.raise_notice(tx, trigger, key, text, f"/orders/{order.id}", now, amount=order.total)
