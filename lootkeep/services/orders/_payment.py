"""What a payment changes, and the events it sends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import orders as orders_rules
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.domain.product_commands import CommandCause
from lootkeep.kernel.clock import Instant
from lootkeep.services import creators, gift_cards, goods, order_alerts, referrals
from lootkeep.services.orders import _delivery
from lootkeep.storage import coupons as coupons_db, emails as emails_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.customers.rows import CustomerPayment
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.products import rows as products_db
from lootkeep.views import (
    coupons as coupons_views,
    emails as emails_views,
    gift_card_events as gift_card_events_views,
    order_events as order_events_views,
)


async def record(deps: Deps, tx: Transaction, details: OrderDetails, paid: Order) -> OrderDetails:
    """All that a payment of a placed order changes."""
    done = await hand_over(deps, tx, details, paid)
    await count_sold(tx, done)
    return done


async def hand_over(
    deps: Deps, tx: Transaction, details: OrderDetails, paid: Order, cause: CommandCause = "paid"
) -> OrderDetails:
    """Hands over what is delivered automatically, saves the payment, issues gift cards, sends events.

    `count_sold` has to follow, as the last step: it changes what many buyers share.
    """
    idle = await goods.queue(tx, replace(details, order=paid), cause, paid.updated_at)
    lines = await goods.hand_over(tx, details.items, paid, idle if cause == "renewed" else ())
    await _count_payments(tx, [replace(details, order=paid)], deps.currency)
    done = await _delivery.save(tx, details, paid, lines)
    await referrals.update_status(tx, details.customer)
    await payment_events_db.rouse(tx, paid, paid.updated_at)
    await creators.book(tx, replace(done, order=paid))
    cards = await gift_cards.issue_bought(deps, tx, done, paid.updated_at)
    new: _delivery.NewEvents = [("order.paid", order_events_views.paid(replace(done, order=paid)))]
    new += [*coupon_events(paid), *(("gift_card.created", gift_card_events_views.created(card)) for card in cards)]
    await outbox_db.append_all(tx, [*new, *_delivery.events(details, paid, done)], paid.updated_at)
    if deps.store.sends_order_emails and done.customer.erased_at is None:
        await _send_page(deps, tx, done, paid.updated_at)
    if any(line.waiting_since is not None for line in lines):
        what = "it is paid, and keys are missing"
        await order_alerts.raise_for(tx, done.order, "keys_missing", f"keys:{paid.id}", what, paid.updated_at)
    return done


async def _send_page(deps: Deps, tx: Transaction, details: OrderDetails, now: Instant) -> None:
    page_url, customer = goods.page_url(deps, details.order), details.customer
    if page_url is not None:
        values: dict[str, Any] = {
            "number": details.order.number,
            "name": customer.name,
            "lines": details.items,
            "page_url": page_url,
        }
        email = emails_views.render("order", deps.store, customer.email, customer.name, **values)
        await emails_db.add(tx, email, deps.vault.seal, now)


def paid_if_nothing_due(order: Order, method: str | None, now: Instant) -> Order | None:
    """An order that is free, or paid by a gift card alone, is paid immediately, unless it is on hold."""
    if order.amount_due > 0 or order.status != "pending":
        return None
    method = orders_rules.BY_GIFT_CARD if order.gift_card_total else method
    return orders_rules.paid(order, now, method, None, now)


async def count_sold(tx: Transaction, done: OrderDetails) -> None:
    """The use of the coupon, and what was sold of each product. Other buyers wait from here on, until the commit."""
    await use_coupon(tx, done.order)
    await add_sold(tx, [done], _assigned(done.items))


async def use_coupon(tx: Transaction, order: Order) -> None:
    if order.coupon_id is not None:
        await coupons_db.use(tx, order.coupon_id)


def coupon_events(order: Order) -> _delivery.NewEvents:
    return [] if order.coupon_id is None else [("coupon.used", coupons_views.used(order))]


async def add_sold(tx: Transaction, paid: Iterable[OrderDetails], assigned: Mapping[int, int]) -> None:
    """Counts the sales of each product, and its keys that were assigned."""
    lines = [line for details in paid for line in details.items]
    sold = Counter[int]()
    # Locked in the same order as by a checkout, which takes stock first, so no two deadlock.
    for line in sorted(lines, key=lambda line: (not line.holds_stock, line.product_id)):
        sold[line.product_id] += line.quantity
    if sold:
        await products_db.add_sales(tx, sold, assigned)


def _assigned(lines: Sequence[OrderItem]) -> Counter[int]:
    assigned = Counter[int]()
    for line in lines:
        if line.delivery_type == "keys":
            assigned[line.product_id] += line.fulfilled_quantity
    return assigned


async def count(tx: Transaction, paid: Sequence[OrderDetails], store_currency: str) -> None:
    """What payments change besides the orders: customers and referrals. At most one per customer."""
    await _count_payments(tx, paid, store_currency)
    for details in paid:
        await referrals.update_status(tx, details.customer)


async def _count_payments(tx: Transaction, paid: Sequence[OrderDetails], store_currency: str) -> None:
    received = [
        CustomerPayment(details.customer.id, details.counted_in(store_currency, details.order.total), _paid_at(details))
        for details in paid
    ]
    await customers_db.add_payments(tx, received)


def _paid_at(details: OrderDetails) -> Instant:
    assert details.order.paid_at is not None
    return details.order.paid_at
