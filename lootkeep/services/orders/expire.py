"""What an order bought has ended: its commands for that are queued."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.orders import OrderDetails
from lootkeep.kernel.clock import Instant
from lootkeep.services import goods
from lootkeep.services.orders import _details
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import expiring as expiring_db
from lootkeep.storage.orders import rows as orders_db


async def expire(tx: Transaction, order_id: int, now: Instant, *, is_renewal: bool) -> None:
    """All of it: the order of a subscription's last period. What it has not given by now, it never gives.

    The refund of a renewal takes back what the renewal gave; what earlier periods gave ends here.
    """
    details = await _details.lock(tx, order_id)
    await goods.cancel_waiting(tx, details.items, now)
    has_earlier = is_renewal and not await goods.is_taken_back(tx, order_id)
    if has_earlier or details.order.status != "refunded":
        await goods.queue(tx, details, "expired", now)


async def expire_lines(deps: Deps) -> None:
    """Lines that were valid for some days. What is queued is no longer due, so another worker finds nothing."""
    while True:
        now = deps.clock.now()
        async with deps.db.read() as tx:
            order_ids = await expiring_db.due_orders(tx, now)
        if not order_ids:
            return
        async with deps.db.write(is_long=True) as tx:
            for order_id in order_ids:
                await _expire_lines(tx, order_id, now)


async def _expire_lines(tx: Transaction, order_id: int, now: Instant) -> None:
    details = await _details.lock(tx, order_id)
    lines = [line for line in details.items if line.expiry_due_at is not None and line.expiry_due_at <= now]
    await _queue(tx, replace(details, items=lines), now)
    await orders_db.set_delivered(tx, [replace(line, expiry_due_at=None) for line in lines])


async def _queue(tx: Transaction, details: OrderDetails, now: Instant) -> None:
    """A refund has taken everything back already."""
    if details.order.status != "refunded":
        await goods.queue(tx, details, "expired", now)
