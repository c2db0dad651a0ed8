"""Delivering what was ordered: in parts or at once, however often a game server repeats it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import orders as rules
from lootkeep.domain.orders import Delivered, Sale
from lootkeep.services.orders import _delivery, _details
from lootkeep.storage import orders as orders_db
from lootkeep.storage.totals.changes import Changes


async def fulfill(
    deps: Deps, order_id: int, delivered: Sequence[Delivered] | None, note: str | None
) -> tuple[Sale, bool]:
    """The order, and whether anything was delivered now: a completed order stays as it is, and nothing is sent."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        sale = await _details.lock(tx, order_id)
        before = sale.order
        if before.status == "completed":
            return sale, False
        rules.require(before, "fulfill")
        after = replace(before, updated_at=now, fulfillment_note=note or before.fulfillment_note)
        changes = Changes(spread=after.customer_id)
        sale = await _delivery.deliver(tx, sale, rules.fulfilled(sale.items, delivered))
        if sale.is_delivered:
            completed = replace(after, status="completed", completed_at=now)
            sale = await _delivery.complete(tx, sale, completed, changes)
        else:
            await orders_db.save(tx, before, after, sale.items, changes)
            sale = replace(sale, order=after)
        await changes.apply(tx)
    return sale, True
