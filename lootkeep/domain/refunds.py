"""Refunds of orders: how much, where it goes, and the order afterwards."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.domain.codes import require_whole
from lootkeep.domain.orders import Order, OrderStatus, Refund, RefundReason, RefundSplit
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Unprocessable, invalid
from lootkeep.kernel.money import Hundredths, text


def refund_amount(order: Order, amount: Hundredths | None) -> Hundredths:
    """The amount to refund: everything that is left unless less is requested."""
    if order.refundable == 0:
        raise Unprocessable("nothing_to_refund", f"Order {order.number} was free: there is nothing to refund.")
    if amount is None:
        return order.refundable
    if order.payment_held_at is not None and amount != order.total:
        raise invalid("amount", "The amount field must be absent: a held order is refunded in full.")
    if amount > order.refundable:
        raise invalid("amount", f"The amount field must not be greater than {text(order.refundable)}, what is left.")
    if amount != order.refundable:
        require_whole(order.currency, amount=amount)
    return amount


def returned(order: Order, amount: Hundredths) -> RefundSplit:
    """Money is refunded before the gift card, and never more than was paid."""
    money_left = max(0, order.money_total - order.refunded_total)
    payment = Hundredths(min(amount, money_left))
    return RefundSplit(payment, Hundredths(amount - payment))


def refund_of(
    order: Order, earlier: int, amount: Hundredths, reason: str | None, now: Instant, code: RefundReason | None = None
) -> Refund:
    """A refund after these earlier ones, with the tax in it: all refunds of an order have its tax in proportion."""
    tax = Hundredths(order.tax_in(earlier + amount) - order.tax_in(earlier))
    return Refund(0, order.id, amount, reason, now, code, tax)


def refunded(order: Order, amount: Hundredths, now: Instant) -> Order:
    """The order after a refund."""
    total = Hundredths(order.refunded_total + amount)
    status: OrderStatus = "refunded" if total == order.total else "partially_refunded"
    return replace(order, status=status, refunded_total=total, refunded_at=now, updated_at=now)
