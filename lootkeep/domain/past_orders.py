"""Imported orders: their times, payments and refunds."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.domain import orders
from lootkeep.domain.checkout import Cart, PastRefund, PricedLine
from lootkeep.domain.orders import AUTOMATIC_DELIVERY, Order
from lootkeep.domain.refunds import refunded
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, invalid
from lootkeep.kernel.money import Hundredths, text

# Fields that need the time at which the order was placed, in the order in which they are reported.
_NEED_TIME = ("paid_at", "status", "discount", "currency", "refunds", "cancelled_at")
_NOT_IF_CANCELLED = ("paid_at", "completed_at", "refunds")


def dated(cart: Cart, now: Instant) -> Cart:
    """The cart with the times that its status implies; rejects impossible times."""
    _check_fields(cart)
    if cart.status == "cancelled":
        cart = replace(cart, cancelled_at=_first(cart.cancelled_at, cart.created_at))
    elif cart.status or cart.refunds:
        paid_at = _first(cart.paid_at, cart.created_at)
        completed_at = _first(cart.completed_at, paid_at) if cart.status == "completed" else cart.completed_at
        last = _first(completed_at, paid_at)
        refunds = tuple(replace(refund, created_at=_first(refund.created_at, last)) for refund in cart.refunds)
        cart = replace(cart, paid_at=paid_at, completed_at=completed_at, refunds=refunds)
    _check_times(cart, now)
    return cart


def concluded(
    cart: Cart, order: Order, lines: Sequence[PricedLine], now: Instant
) -> tuple[Order, Sequence[PricedLine], Sequence[PastRefund]]:
    """The order in its final state: cancelled, or paid, delivered and refunded. A free order is paid."""
    if cart.status == "cancelled":
        cancelled = replace(order, status="cancelled", cancelled_at=cart.cancelled_at)
        return replace(cancelled, payment_method=cart.payment_method), lines, ()
    if cart.paid_at is None and (order.amount_due > 0 or order.status != "pending"):
        return order, lines, ()
    paid_at = now if cart.paid_at is None else cart.paid_at
    order = orders.paid(order, paid_at, cart.payment_method, None, now)
    order, lines = _delivered(cart, order, lines)
    refunds = _refunds(cart, order)
    return _given_back(cart, order, refunds), lines, refunds


def _delivered(cart: Cart, order: Order, lines: Sequence[PricedLine]) -> tuple[Order, Sequence[PricedLine]]:
    automatic = [line.delivery_type in AUTOMATIC_DELIVERY for line in lines]
    # A given status counts; without one, an order that is delivered automatically is completed when it is paid.
    is_complete_at_once = cart.status is None and all(automatic)
    completed_at = order.paid_at if cart.completed_at is None and is_complete_at_once else cart.completed_at
    is_complete = completed_at is not None
    delivered_at = _first(completed_at, order.paid_at)
    lines = [
        replace(line, fulfilled_quantity=line.quantity, delivered_at=delivered_at)
        if is_complete or is_automatic
        else line
        for line, is_automatic in zip(lines, automatic, strict=True)
    ]
    return (replace(order, status="completed", completed_at=completed_at) if is_complete else order), lines


def _refunds(cart: Cart, order: Order) -> Sequence[PastRefund]:
    """The given refunds; a refunded order without any was refunded in full."""
    amount = sum(refund.amount for refund in cart.refunds)
    if cart.status == "refunded":
        if not cart.refunds and order.total:
            return (PastRefund(order.total, None, _first(order.completed_at, order.paid_at)),)
        if amount != order.total:
            raise invalid("refunds", f"The refunds field must come to {text(order.total)}, the order's total.")
    if cart.status == "partially_refunded" and not 0 < amount < order.total:
        raise invalid("refunds", f"The refunds field must come to less than {text(order.total)}, the order's total.")
    if amount > order.total:
        raise invalid(
            "refunds", f"The refunds field must not come to more than {text(order.total)}, the order's total."
        )
    return cart.refunds


def _given_back(cart: Cart, order: Order, refunds: Sequence[PastRefund]) -> Order:
    if not refunds and cart.status != "refunded":
        return order
    times = [refund.created_at for refund in refunds if refund.created_at is not None]
    last = max(times, default=_first(order.completed_at, order.paid_at))
    assert last is not None
    amount = Hundredths(sum(refund.amount for refund in refunds))
    return replace(refunded(order, amount, last), updated_at=order.updated_at)


def _check_fields(cart: Cart) -> None:
    if cart.completed_at is not None and cart.paid_at is None and cart.status is None:
        raise invalid("paid_at", "The paid at field is required when completed at is given.")
    if cart.created_at is None:
        for name in _NEED_TIME:
            if getattr(cart, name) not in (None, ()):
                raise _needed("created_at", name)
        if any(line.price is not None for line in cart.lines):
            raise _needed("created_at", "a price")
    if cart.status == "cancelled":
        for name in _NOT_IF_CANCELLED:
            if getattr(cart, name):
                words = name.replace("_", " ")
                raise invalid(name, f"The {words} field must be absent: what was paid and given back is refunded.")
    elif cart.cancelled_at is not None:
        raise invalid("cancelled_at", "The cancelled at field must be absent unless the status is cancelled.")


def _needed(name: str, because: str) -> AppError:
    words = name.replace("_", " "), because.replace("_", " ")
    return invalid(name, "The {} field is required when {} is given.".format(*words))


def _check_times(cart: Cart, now: Instant) -> None:
    """All times must be in the past and in order."""
    earliest = Instant(0)
    steps = [(name, getattr(cart, name)) for name in ("created_at", "paid_at", "completed_at", "cancelled_at")]
    for name, time in steps:
        if time is None:
            continue
        _check_time(name, time, earliest, now)
        earliest = time
    for index, refund in enumerate(cart.refunds):
        if refund.created_at is not None and cart.paid_at is not None:
            _check_time(f"refunds.{index}.created_at", refund.created_at, cart.paid_at, now)
    for time in cart.declined_at:
        _check_time("declined_at", time, cart.created_at or now, now)
    if cart.disputed_at is not None:
        _check_time("disputed_at", cart.disputed_at, cart.created_at or now, now)
        if cart.paid_at is None:
            raise invalid("paid_at", "The paid at field is required when disputed at is given.")


def _check_time(name: str, time: Instant, earliest: Instant, now: Instant) -> None:
    words = name.replace("_", " ")
    if time > now:
        raise invalid(name, f"The {words} field must not be in the future.")
    if time < earliest:
        raise invalid(name, f"The {words} field must not be before the step that precedes it.")


def _first(time: Instant | None, other: Instant | None) -> Instant | None:
    return other if time is None else time
