"""Paying an order."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain import orders as rules
from lootkeep.domain.orders import Sale
from lootkeep.services.orders import _details, _payment
from lootkeep.storage.totals.changes import Changes


async def pay(deps: Deps, order_id: int, method: str | None, transaction_id: str | None) -> Sale:
    """Paying again with the same transaction changes nothing: payment providers repeat themselves."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        sale = await _details.lock(tx, order_id)
        order = sale.order
        if transaction_id and order.paid_at is not None and order.transaction_id == transaction_id:
            return sale
        rules.require(order, "pay")
        changes = Changes(spread=order.customer_id)
        sale = await _payment.record(deps, tx, sale, rules.paid(order, now, method, transaction_id, now), changes)
        await changes.apply(tx)
    return sale
