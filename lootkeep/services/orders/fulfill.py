"""Delivers an order: in parts or at once; a game server may repeat the call."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import orders as orders_rules
from lootkeep.domain.fulfilment import DeliveredQuantity, fulfilled
from lootkeep.domain.orders import OrderDetails
from lootkeep.services import goods
from lootkeep.services.orders import _delivery, _details


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
        lines = fulfilled(details.items, delivered, now)
        whole = [new for old, new in zip(details.items, lines, strict=True) if old.missing and not new.missing]
        await goods.cancel_waiting(tx, whole, now)
        done = await _delivery.deliver(tx, details, after, lines)
        await goods.release_waiting(tx, details.items, lines)
    return done, True
