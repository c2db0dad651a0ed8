"""Payments that are held: the money has arrived, and the order is on hold until a review releases it."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.domain import orders
from lootkeep.domain.fraud.facts import UNKNOWN, Payment
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import Instant


def held(
    order: Order,
    at: Instant,
    method: str | None,
    transaction_id: str | None,
    now: Instant,
    payment: Payment = UNKNOWN,
) -> Order:
    """The order after a payment that a reviewer must release first."""
    paid_order = orders.paid(order, at, method, transaction_id, now, payment)
    return replace(paid_order, status="on_hold", paid_at=None, payment_held_at=at)


def released(order: Order, now: Instant) -> Order:
    """The held order as paid."""
    return replace(order, status="paid", paid_at=order.payment_held_at, payment_held_at=None, updated_at=now)
