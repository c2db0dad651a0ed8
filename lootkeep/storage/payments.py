"""What a payment and a refund change beside the order: coupon, gift cards, sales, the customer's totals, events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from lootkeep.domain.orders import AUTOMATIC_DELIVERY, Order, Refund, Sale
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import coupons, customers, orders, outbox, products, referrals, sales, spendings, tender
from lootkeep.storage.counters import Changes
from lootkeep.storage.customers import Payment
from lootkeep.storage.database import Transaction
from lootkeep.storage.gift_card_mails import Codes
from lootkeep.views import order_events as views


async def record(
    tx: Transaction, sale: Sale, paid: Order, changes: Changes, *, store_currency: str, codes: Codes
) -> Sale:
    """Writes the payment and what follows from it, fulfils what needs nobody, and announces it all."""
    await orders.save(tx, sale.order, paid, changes)
    sale = replace(sale, order=paid)
    await add_sales(tx, [sale])
    await count(tx, [sale], changes, store_currency)
    await tender.issue_bought(tx, sale, codes, paid.updated_at, changes)
    await outbox.append(tx, "order.paid", views.paid(sale), paid.updated_at)
    return await _fulfil_automatic(tx, sale, changes)


async def add_sales(tx: Transaction, paid: Iterable[Sale]) -> None:
    """Counts what was sold at each product."""
    sold = Counter[int]()
    for sale in paid:
        for line in sale.items:
            sold[line.product_id] += line.quantity
    if sold:
        await products.add_sales(tx, sold)


async def count(tx: Transaction, paid: Sequence[Sale], changes: Changes, store_currency: str) -> None:
    """What payments change beside the orders, which say already that they are paid: one of each customer at most."""
    if not paid:
        return
    for sale in paid:
        if sale.order.coupon_id is not None and (used := await coupons.use(tx, sale.order.coupon_id)):
            # Amounts of different currencies are never added up: the figure is in the store's.
            changes.add("referral_coupons.value", sale.counted_in(store_currency, used.discount_given))
    received = [
        Payment(sale.customer.id, sale.counted_in(store_currency, sale.order.total), _paid_at(sale)) for sale in paid
    ]
    first_before = await customers.add_payments(tx, received)
    await spendings.add(tx, [(sale.order, 1, sale.order.total) for sale in paid])
    for sale in paid:
        sales.paid(changes, sale, _paid_at(sale))
        sales.first_bought(changes, first_before[sale.customer.id], _paid_at(sale))
        if sale.order.completed_at is not None:
            sales.completed(changes, sale, sale.order.completed_at)
        await referrals.judge(tx, sale.customer, changes)


async def complete(tx: Transaction, sale: Sale, completed: Order, changes: Changes) -> Sale:
    """Writes that everything was delivered, and announces it."""
    assert completed.completed_at is not None
    sales.completed(changes, sale, completed.completed_at)
    sale = await deliver(tx, sale, {line.id: line.quantity for line in sale.items})
    await orders.save(tx, sale.order, completed, changes)
    sale = replace(sale, order=completed)
    await outbox.append(tx, "order.completed", views.completed(sale), completed.updated_at)
    return sale


async def deliver(tx: Transaction, sale: Sale, fulfilled: Mapping[int, int]) -> Sale:
    """Writes how many of each line are delivered; lines that are not named stay as they are."""
    await orders.set_fulfilled(tx, fulfilled)
    items = [replace(line, fulfilled_quantity=fulfilled.get(line.id, line.fulfilled_quantity)) for line in sale.items]
    return replace(sale, items=items)


async def record_refund(
    tx: Transaction, sale: Sale, after: Order, refund: Refund, changes: Changes, *, store_currency: str
) -> Sale:
    is_full = after.status == "refunded"
    await orders.save(tx, sale.order, after, changes)
    sale = replace(sale, order=after)
    sales.refunded(changes, sale, after, refund.amount, refund.created_at)
    counted = sale.counted_in(store_currency, refund.amount)
    await customers.take_back(tx, sale.customer.id, counted, orders=1 if is_full else 0)
    await spendings.add(tx, [(after, -1 if is_full else 0, -refund.amount)])
    if is_full:
        await referrals.judge(tx, sale.customer, changes)
    await outbox.append(tx, "order.refunded", views.refunded(sale, refund), after.updated_at)
    return sale


async def cancel(
    tx: Transaction, sale: Sale, reason: str | None, now: Instant, changes: Changes
) -> tuple[Sale, Hundredths]:
    """Ends an order that is not paid, and gives back what it held; tells what a gift card had paid that was revoked."""
    after = replace(sale.order, status="cancelled", cancel_reason=reason, cancelled_at=now, updated_at=now)
    await orders.save(tx, sale.order, after, changes)
    if sale.order.coupon_id is not None:
        await coupons.release(tx, sale.order.coupon_id)
    for line in sorted((line for line in sale.items if line.holds_stock), key=lambda line: line.product_id):
        await products.release_stock(tx, line.product_id, line.quantity)
    card = await tender.give_back(tx, sale.order, sale.order.gift_card_total, now, changes)
    unreturned = sale.order.gift_card_total if card and card.revoked_at is not None else Hundredths(0)
    return replace(sale, order=after), unreturned


async def _fulfil_automatic(tx: Transaction, sale: Sale, changes: Changes) -> Sale:
    """Keys, files and gift cards are delivered with the payment; an order of nothing else is complete."""
    if all(line.delivery_type in AUTOMATIC_DELIVERY for line in sale.items):
        completed = replace(sale.order, status="completed", completed_at=sale.order.paid_at)
        return await complete(tx, sale, completed, changes)
    automatic = {line.id: line.quantity for line in sale.items if line.delivery_type in AUTOMATIC_DELIVERY}
    return await deliver(tx, sale, automatic)


def _paid_at(sale: Sale) -> Instant:
    assert sale.order.paid_at is not None
    return sale.order.paid_at
