"""Refunding an order, in full or in part."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import held_payments as held_payments_rules, orders as orders_rules, refunds as refunds_rules
from lootkeep.domain.orders import Order, OrderDetails, Refund, RefundReason, RefundSplit
from lootkeep.domain.recovery import recovery
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.services import creators, gift_cards, goods, referrals
from lootkeep.services.orders import _checkout, _details, _labels, _payment
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.gift_cards import rows as gift_cards_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.views import order_events as order_events_views


async def refund(
    deps: Deps,
    order_id: int,
    amount: Hundredths | None,
    reason: str | None,
    *,
    reason_code: RefundReason | None = None,
    allow_unrecovered: bool = False,
) -> tuple[OrderDetails, Refund, RefundSplit]:
    """Refunds an amount, or everything that is left; reports which part goes where."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        # The checks before their order: the lock order of a review.
        checks = await fraud_checks_db.lock_of_order(tx, order_id) if reason_code else []
        details = await _details.lock(tx, order_id)
        before = paid = details.order
        orders_rules.require(before, "refund")
        if before.payment_held_at is not None:
            # Counted like any payment, and given back: nothing was handed over.
            paid = held_payments_rules.released(before, now)
        left = refunds_rules.refund_amount(before, amount)
        new = refunds_rules.refund_of(paid, paid.refunded_total, left, reason, now, reason_code)
        new_refund = await orders_db.add_refund(tx, paid, new)
        after = refunds_rules.refunded(paid, new_refund.amount, now)
        # Cards are locked by age: the card that paid is older than any that was bought.
        parts = await _return(tx, paid, new_refund)
        unrecovered = await _recover(tx, paid, after, new_refund, allow_unrecovered=allow_unrecovered)
        if paid is not before:
            await _record_held(deps, tx, details, paid)
        await orders_db.save(tx, paid, after, details.items)
        details = replace(details, order=after)
        await _count(tx, details, new_refund, deps.currency)
        await outbox_db.append(tx, "order.refunded", order_events_views.refunded(details, new_refund), now)
        # Last: what other buyers wait for.
        if paid is not before:
            await _count_held(tx, details)
        details = await _revoke(tx, details, now)
        if reason_code:
            await _labels.settle(tx, details, checks, now)
    return details, new_refund, replace(parts, unrecovered=unrecovered)


async def _record_held(deps: Deps, tx: Transaction, details: OrderDetails, paid: Order) -> None:
    await orders_db.save(tx, details.order, paid, details.items)
    await _payment.count(tx, [replace(details, order=paid)], deps.currency)
    await outbox_db.append_all(tx, _payment.coupon_events(paid), paid.updated_at)


async def _revoke(tx: Transaction, details: OrderDetails, now: Instant) -> OrderDetails:
    """A full refund takes the keys back, and lines that wait for one get none."""
    if details.order.status != "refunded":
        return details
    return replace(details, items=await goods.revoke(tx, details.items, now))


async def _count_held(tx: Transaction, details: OrderDetails) -> None:
    """Its coupon is used and its lines count as sold; the keys that it reserved can be sold again."""
    await _payment.use_coupon(tx, details.order)
    await _payment.add_sold(tx, [details], {})
    await _checkout.release_stock(tx, [line for line in details.items if line.delivery_type == "keys"])


async def _return(tx: Transaction, before: Order, refund: Refund) -> RefundSplit:
    """Returns the part that a gift card had paid to the card, unless it was revoked."""
    parts = refunds_rules.returned(before, refund.amount)
    card = await gift_cards.give_back(tx, before, parts.gift_card, refund.created_at)
    if card and card.revoked_at is not None:
        return RefundSplit(parts.payment, Hundredths(0), unreturned=parts.gift_card)
    return parts


async def _recover(
    tx: Transaction, before: Order, after: Order, refund: Refund, *, allow_unrecovered: bool
) -> Hundredths:
    """Takes the refund from the gift cards bought in the order; returns what was already spent."""
    cards = await gift_cards.lock_bought(tx, before)
    if not cards:
        return Hundredths(0)
    revoked = await gift_cards_db.revoked_of(tx, before.id)
    recovered = recovery(before, refund.amount, cards, revoked, allow_unrecovered=allow_unrecovered)
    taken = list(zip(cards, recovered.taken, strict=True))
    await gift_cards.take_back_bought(tx, after, taken, refund.created_at)
    return recovered.unrecovered


async def _count(tx: Transaction, details: OrderDetails, refund: Refund, store_currency: str) -> None:
    """What a refund changes besides the order: the customer's totals, the creator's share, the referral."""
    is_full = details.order.status == "refunded"
    counted = details.counted_in(store_currency, refund.amount)
    await customers_db.take_back(tx, details.customer.id, counted, orders=1 if is_full else 0)
    await creators.correct(tx, details.order, refund.created_at)
    if is_full:
        await referrals.update_status(tx, details.customer)
        await goods.take_back(tx, details, refund.created_at)
