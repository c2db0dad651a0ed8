"""Cancelling an order that is not paid."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import orders as rules
from lootkeep.domain.orders import Sale
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.services import gift_cards
from lootkeep.services.orders import _details
from lootkeep.storage import coupons as coupons_db
from lootkeep.storage import orders as orders_db
from lootkeep.storage import products as products_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals.changes import Changes


async def cancel(deps: Deps, order_id: int, reason: str | None) -> tuple[Sale, Hundredths]:
    """The order, and what could not be put back on a revoked gift card."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        sale = await _details.lock(tx, order_id)
        rules.require(sale.order, "cancel")
        changes = Changes(spread=sale.order.customer_id)
        sale, unreturned = await cancel_in(tx, sale, reason, now, changes)
        await changes.apply(tx)
    return sale, unreturned


async def cancel_in(
    tx: Transaction, sale: Sale, reason: str | None, now: Instant, changes: Changes
) -> tuple[Sale, Hundredths]:
    """The same inside a transaction: coupon, stock and gift card are released."""
    after = replace(sale.order, status="cancelled", cancel_reason=reason, cancelled_at=now, updated_at=now)
    await orders_db.save(tx, sale.order, after, sale.items, changes)
    if sale.order.coupon_id is not None:
        await coupons_db.release(tx, sale.order.coupon_id)
    for line in sorted((line for line in sale.items if line.holds_stock), key=lambda line: line.product_id):
        await products_db.release_stock(tx, line.product_id, line.quantity)
    card = await gift_cards.give_back(tx, sale.order, sale.order.gift_card_total, now, changes)
    unreturned = sale.order.gift_card_total if card and card.revoked_at is not None else Hundredths(0)
    return replace(sale, order=after), unreturned
