"""Delivers an order: in parts or at once; a game server may repeat the call."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import orders as orders_rules
from lootkeep.domain.fulfilment import DeliveredQuantity, fulfilled
from lootkeep.domain.orders import OrderDetails, OrderStatus
from lootkeep.services.orders import _delivery, _details
from lootkeep.storage.orders import rows as orders_db


async def fulfill(
    deps: Deps, order_id: int, delivered: Sequence[DeliveredQuantity] | None, note: str | None
) -> tuple[OrderDetails, bool]:
    """The order, and whether anything was delivered now: a completed order does not change, and nothing is sent."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        details = await _details.lock(tx, order_id)
        before = details.order
        if orders_rules.is_fulfilled(before):
            return details, False
        orders_rules.require(before, "fulfill")
        after = replace(before, updated_at=now, fulfillment_note=note or before.fulfillment_note)
        details = await _delivery.deliver(tx, details, fulfilled(details.items, delivered))
        if details.is_delivered:
            # The refund of a part stays visible in the status.
            status: OrderStatus = "completed" if before.status == "paid" else before.status
            completed = replace(after, status=status, completed_at=now)
            details = await _delivery.complete(tx, details, completed)
        else:
            await orders_db.save(tx, before, after, details.items)
            details = replace(details, order=after)
    return details, True
