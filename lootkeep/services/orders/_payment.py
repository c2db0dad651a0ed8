"""What a payment changes, and the events it sends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import orders as orders_rules
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.kernel.clock import Instant
from lootkeep.services import gift_cards, referrals
from lootkeep.services.orders import _delivery
from lootkeep.storage import coupons as coupons_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.customers.rows import CustomerPayment
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.products import rows as products_db
from lootkeep.views import order_events as order_events_views


async def record(deps: Deps, tx: Transaction, details: OrderDetails, paid: Order) -> OrderDetails:
    """Saves the payment, counts it, issues the gift cards it bought, sends events, and delivers what is automatic."""
    await orders_db.save(tx, details.order, paid, details.items)
    details = replace(details, order=paid)
    await add_sold(tx, [details])
    await count(tx, [details], deps.currency)
    await gift_cards.issue_bought(deps, tx, details, paid.updated_at)
    await outbox_db.append(tx, "order.paid", order_events_views.paid(details), paid.updated_at)
    return await _delivery.deliver_automatic(tx, details)


async def record_if_nothing_due(
    deps: Deps, tx: Transaction, details: OrderDetails, method: str | None, now: Instant
) -> OrderDetails:
    """An order that is free, or paid by a gift card alone, is paid immediately, unless it is on hold."""
    order = details.order
    if order.amount_due > 0 or order.status != "pending":
        return details
    method = orders_rules.BY_GIFT_CARD if order.gift_card_total else method
    return await record(deps, tx, details, orders_rules.paid(order, now, method, None, now))


async def add_sold(tx: Transaction, paid: Iterable[OrderDetails]) -> None:
    """Counts the sales of each product."""
    lines = [line for details in paid for line in details.items]
    sold = Counter[int]()
    # Locked in the same order as by a checkout, which takes stock first, so no two deadlock.
    for line in sorted(lines, key=lambda line: (not line.holds_stock, line.product_id)):
        sold[line.product_id] += line.quantity
    if sold:
        await products_db.add_sales(tx, sold)


async def count(tx: Transaction, paid: Sequence[OrderDetails], store_currency: str) -> None:
    """What payments change besides the orders: coupons, customers, referrals. At most one per customer."""
    for details in paid:
        if details.order.coupon_id is not None:
            await coupons_db.use(tx, details.order.coupon_id)
    received = [
        CustomerPayment(details.customer.id, details.counted_in(store_currency, details.order.total), _paid_at(details))
        for details in paid
    ]
    await customers_db.add_payments(tx, received)
    for details in paid:
        await referrals.update_status(tx, details.customer)


def _paid_at(details: OrderDetails) -> Instant:
    assert details.order.paid_at is not None
    return details.order.paid_at
