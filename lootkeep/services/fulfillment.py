"""Delivering what was ordered: in parts or at once, however often a game server says so."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import orders as rules
from lootkeep.domain.orders import Delivered, Sale
from lootkeep.kernel.errors import NotFound
from lootkeep.storage import customers, orders, payments
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction


async def fulfill(
    deps: Deps, order_id: int, delivered: Sequence[Delivered] | None, note: str | None
) -> tuple[Sale, bool]:
    """The order, and whether anything was delivered now: a completed order stays as it is, and nothing is sent."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        sale = await _for_change(tx, order_id)
        if sale.order.status == "completed":
            return sale, False
        rules.require(sale.order, "fulfill")
        after = replace(sale.order, updated_at=now, fulfillment_note=note or sale.order.fulfillment_note)
        changes = Changes(spread=after.customer_id)
        before = sale.order
        sale = await payments.deliver(tx, sale, rules.fulfilled(sale.items, delivered))
        if sale.is_delivered:
            completed = replace(after, status="completed", completed_at=now)
            sale = await payments.complete(tx, sale, completed, changes)
        else:
            await orders.save(tx, before, after, changes)
            sale = replace(sale, order=after)
        await changes.apply(tx)
    return sale, True


async def _for_change(tx: Transaction, order_id: int) -> Sale:
    order = await orders.for_change(tx, order_id)
    if order is None:
        raise NotFound("Order")
    customer = await customers.get(tx, order.customer_id)
    assert customer is not None
    return Sale(order, await orders.items_of(tx, order.id), customer)
