"""Creators: what an order with their code earns, what takes it back, and what is due."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from lootkeep.domain.codes import require_whole, rounded_share
from lootkeep.domain.coupons import Coupon
from lootkeep.domain.disputes import Dispute, is_disputed
from lootkeep.domain.orders import Order
from lootkeep.domain.referrals import WHOLE_PERCENTAGE
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import Conflict, invalid
from lootkeep.kernel.money import Hundredths, text

CreatorEntryType = Literal["commission", "clawback", "release", "payout"]

HOLD_DAYS = 30
MAX_HOLD_DAYS = 365
MAX_REFERENCE_LENGTH = 100


class Creator(msgspec.Struct, frozen=True):
    id: int
    name: str
    coupon_id: int
    # Hundredths of a percent.
    commission: Hundredths
    hold_days: int
    customer_id: int | None
    created_at: Instant
    updated_at: Instant


class CreatorEntry(msgspec.Struct, frozen=True):
    """One change of what a creator gets. Clawbacks and payouts are negative."""

    id: int
    creator_id: int
    type: CreatorEntryType
    amount: Hundredths
    currency: str
    order_id: int | None
    reference: str | None
    available_at: Instant
    created_at: Instant


class Balance(msgspec.Struct, frozen=True):
    """In one currency: earned and still held, to be paid out, and paid out. What is due may be negative."""

    currency: str
    held: Hundredths
    due: Hundredths
    paid: Hundredths


class CreatorAccount(msgspec.Struct, frozen=True):
    """A creator with the code, and what orders with it have earned."""

    creator: Creator
    coupon: Coupon
    # In every currency of an entry.
    balances: Sequence[Balance]
    orders_count: int

    def balance(self, currency: str) -> Balance:
        nothing = Balance(currency, Hundredths(0), Hundredths(0), Hundredths(0))
        return next((balance for balance in self.balances if balance.currency == currency), nothing)


def commission(creator: Creator, order: Order) -> Hundredths:
    """Of the total less tax, whatever paid for it; halves are rounded up."""
    return rounded_share(order.total - (order.tax_total or 0), creator.commission, WHOLE_PERCENTAGE, order.currency)


def earned(creator: Creator, order: Order) -> CreatorEntry:
    """What a paid order earns, held for some days."""
    assert order.paid_at is not None
    available_at = Instant(order.paid_at + creator.hold_days * DAY)
    amount = commission(creator, order)
    return CreatorEntry(
        0, creator.id, "commission", amount, order.currency, order.id, None, available_at, order.paid_at
    )


def correction(
    entries: Sequence[CreatorEntry], order: Order, disputes: Sequence[Dispute], now: Instant
) -> CreatorEntry | None:
    """What makes the entries of an order right after a refund or a dispute; None if they are."""
    first = next((entry for entry in entries if entry.type == "commission"), None)
    if first is None:
        return None
    difference = Hundredths(_standing(first, order, disputes) - sum(entry.amount for entry in entries))
    if not difference:
        return None
    # Available with the commission: what is held is taken from what is held.
    return msgspec.structs.replace(
        first, id=0, type="clawback" if difference < 0 else "release", amount=difference, created_at=now
    )


def _standing(first: CreatorEntry, order: Order, disputes: Sequence[Dispute]) -> Hundredths:
    """What is left of a commission: refunds count in proportion, a dispute takes all of it until it is won."""
    if is_disputed(disputes):
        return Hundredths(0)
    if not order.total:
        return first.amount
    return rounded_share(first.amount, order.total - order.refunded_total, order.total, order.currency)


def check_payout(earlier: CreatorEntry | None, amount: Hundredths, balance: Balance) -> CreatorEntry | None:
    """The payout that was booked with the same reference; raises if this one cannot be booked."""
    if earlier:
        if (-earlier.amount, earlier.currency) != (amount, balance.currency):
            raise Conflict("reference_used", "Another payout was booked with this reference.")
        return earlier
    require_whole(balance.currency, amount=amount)
    if amount > balance.due:
        due = text(max(balance.due, Hundredths(0)))
        raise invalid("amount", f"The amount field must not be greater than {due}, what is due.")
    return None
