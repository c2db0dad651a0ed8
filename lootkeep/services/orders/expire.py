"""What an order bought has ended: its commands for that are queued."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.subscriptions import Subscription
from lootkeep.kernel.clock import Instant
from lootkeep.services import goods
from lootkeep.services.orders import _details
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import commands as commands_db, expiring as expiring_db
from lootkeep.storage.orders import rows as orders_db


async def expire(tx: Transaction, ended: Subscription, now: Instant) -> None:
    """All of it, by the order of the last period. What its periods have not given by now, they never give.

    The refund of a renewal takes back what the renewal gave; what earlier periods gave ends here.
    """
    if ended.latest_order_id is None:
        # An imported subscription has no order whose commands could run.
        return
    waiting = await commands_db.waiting_of_subscription(tx, ended)
    await orders_db.ROWS.lock_many(tx, [order_id for order_id, _ in waiting])
    details = await _details.lock(tx, ended.latest_order_id)
    await commands_db.cancel_of_items(tx, [item_id for _, item_id in waiting], now)
    has_earlier = ended.renewals_count > 0 and not await goods.is_taken_back(tx, details.order.id)
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
    if details.order.status != "refunded":
        # A refund has taken everything back already. What is sent again still waits, for its player.
        await goods.cancel_waiting(tx, lines, now)
        await goods.queue(tx, replace(details, items=lines), "expired", now)
    await orders_db.set_delivered(tx, [replace(line, expiry_due_at=None) for line in lines])
