"""What an order bought has ended: its commands for that are queued."""

from __future__ import annotations

from lootkeep.kernel.clock import Instant
from lootkeep.services import goods
from lootkeep.services.orders import _details
from lootkeep.storage.engine.database import Transaction


async def expire(tx: Transaction, order_id: int, now: Instant) -> None:
    details = await _details.lock(tx, order_id)
    if details.order.status != "refunded":
        await goods.queue(tx, details, "expired", now)
