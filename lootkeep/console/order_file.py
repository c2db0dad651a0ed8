"""The lines of orders in lists, and what a file of orders has next to the columns of the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import escape

from lootkeep.console.columns import AGO, NAME, Cell, Column, amount
from lootkeep.domain.order_items import OrderItem


def _line(item: OrderItem) -> str:
    return f"{item.quantity} × {item.product_name}"


def _short(items: Sequence[OrderItem], *_: object) -> str:
    """The first line, and how many more there are."""
    if not items:
        return ""
    first = items[0].product_name if items[0].quantity == 1 else _line(items[0])
    return f"<bdi>{escape(first)}{f', {len(items) - 1} more' if items[1:] else ''}</bdi>"


ITEMS = Cell(_short, lambda items: "; ".join(map(_line, items)), css="name muted")
# Where there is little room, the lines are below the name.
BUYER = replace(
    NAME,
    html=lambda name, row, _: f'<bdi>{escape(name)}</bdi><span class="under muted small">{_short(row.items)}</span>',
)

EXPORTED = (
    Column("Id", "order.id"),
    Column("External id", "order.external_id"),
    Column("Customer id", "order.customer_id"),
    Column("E-mail", "customer.email"),
    Column("Currency", "order.currency"),
    Column("Subtotal", "order.subtotal", amount()),
    Column("Discount", "order.discount_total", amount()),
    Column("Coupon", "order.coupon_code"),
    Column("By gift card", "order.gift_card_total", amount()),
    Column("Refunded", "order.refunded_total", amount()),
    Column("Payment", "order.payment_method"),
    Column("Transaction", "order.transaction_id"),
    Column("Country", "order.billing_country"),
    Column("Paid", "order.paid_at", AGO),
    Column("Fulfilled", "order.completed_at", AGO),
)
