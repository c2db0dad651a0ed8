"""What a payment changes and announces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import orders as rules
from lootkeep.domain.orders import Order, Sale
from lootkeep.kernel.clock import Instant
from lootkeep.services import gift_cards
from lootkeep.services.orders import _delivery
from lootkeep.storage import coupons as coupons_db
from lootkeep.storage import customers as customers_db
from lootkeep.storage import orders as orders_db
from lootkeep.storage import outbox
from lootkeep.storage import products as products_db
from lootkeep.storage import referrals as referrals_db
from lootkeep.storage.customers import Payment
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals.changes import Changes
from lootkeep.views import order_events


async def record(deps: Deps, tx: Transaction, sale: Sale, paid: Order, changes: Changes) -> Sale:
    """Saves the payment, counts it, issues the gift cards it bought, announces it, delivers what needs nobody."""
    await orders_db.save(tx, sale.order, paid, sale.items, changes)
    sale = replace(sale, order=paid)
    await add_sold(tx, [sale])
    await count(tx, [sale], changes, deps.currency)
    await gift_cards.issue_bought(deps, tx, sale, paid.updated_at, changes)
    await outbox.append(tx, "order.paid", order_events.paid(sale), paid.updated_at)
    return await _delivery.deliver_automatic(tx, sale, changes)


async def record_if_nothing_due(
    deps: Deps, tx: Transaction, sale: Sale, method: str | None, now: Instant, changes: Changes
) -> Sale:
    """An order that is free, or paid by a gift card alone, is paid at once, unless it is on hold."""
    order = sale.order
    if order.amount_due > 0 or order.status != "pending":
        return sale
    method = rules.BY_GIFT_CARD if order.gift_card_total else method
    return await record(deps, tx, sale, rules.paid(order, now, method, None, now), changes)


async def add_sold(tx: Transaction, paid: Iterable[Sale]) -> None:
    """Counts what was sold at each product."""
    sold = Counter[int]()
    for sale in paid:
        for line in sale.items:
            sold[line.product_id] += line.quantity
    if sold:
        await products_db.add_sales(tx, sold)


async def count(tx: Transaction, paid: Sequence[Sale], changes: Changes, store_currency: str) -> None:
    """What payments change besides the orders: coupons, customers, referrals. One per customer at most."""
    for sale in paid:
        if sale.order.coupon_id is not None:
            await coupons_db.use(tx, sale.order.coupon_id)
    received = [
        Payment(sale.customer.id, sale.counted_in(store_currency, sale.order.total), _paid_at(sale)) for sale in paid
    ]
    await customers_db.add_payments(tx, received, changes)
    for sale in paid:
        await referrals_db.judge(tx, sale.customer, changes)


def _paid_at(sale: Sale) -> Instant:
    assert sale.order.paid_at is not None
    return sale.order.paid_at
