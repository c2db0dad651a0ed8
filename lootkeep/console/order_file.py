"""What the file of exported orders has of each order, next to the columns of the list."""

from __future__ import annotations

from lootkeep.console.columns import AGO, TEXT, Cell, Column, amount
from lootkeep.domain.order_items import OrderItem


def _line(item: OrderItem) -> str:
    return f"{item.quantity} × {item.product_name}"


EXPORTED = (
    Column("Id", "order.id"),
    Column("External id", "order.external_id"),
    Column("Customer id", "order.customer_id"),
    Column("E-mail", "customer.email"),
    Column("Items", "items", Cell(TEXT.html, lambda items: "; ".join(map(_line, items)))),
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
