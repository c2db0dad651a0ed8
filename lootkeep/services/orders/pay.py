"""Paying an order."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain import orders as orders_rules
from lootkeep.domain.orders import OrderDetails
from lootkeep.services.orders import _details, _payment


async def pay(deps: Deps, order_id: int, method: str | None, transaction_id: str | None) -> OrderDetails:
    """Paying again with the same transaction changes nothing: payment providers repeat calls."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        details = await _details.lock(tx, order_id)
        order = details.order
        if transaction_id and order.paid_at is not None and order.transaction_id == transaction_id:
            return details
        orders_rules.require(order, "pay")
        return await _payment.record(deps, tx, details, orders_rules.paid(order, now, method, transaction_id, now))
