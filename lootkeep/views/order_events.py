"""Orders as webhooks carry them: eight keys that are always there, then each event's own."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from lootkeep.domain.orders import Refund, Sale
from lootkeep.kernel.clock import utc
from lootkeep.kernel.money import text


class ItemData(msgspec.Struct, frozen=True):
    product_id: int
    product_name: str
    quantity: int
    price: str


class OrderData(msgspec.Struct, frozen=True):
    order_id: int
    order_number: str
    customer_email: str
    customer_name: str
    total: str
    currency: str
    status: str
    items: list[ItemData]


class OrderCreatedData(OrderData, frozen=True):
    created_at: datetime


class OrderCompletedData(OrderData, frozen=True):
    completed_at: datetime


class OrderRefundedData(OrderData, frozen=True):
    refund_id: int
    refund_amount: str
    refunded_total: str
    is_partial: bool
    reason: str | None
    refunded_at: datetime


def created(sale: Sale) -> OrderCreatedData:
    return OrderCreatedData(**_common(sale), created_at=utc(sale.order.created_at))


def paid(sale: Sale) -> OrderData:
    return OrderData(**_common(sale))


def completed(sale: Sale) -> OrderCompletedData:
    assert sale.order.completed_at is not None
    return OrderCompletedData(**_common(sale), completed_at=utc(sale.order.completed_at))


def refunded(sale: Sale, refund: Refund) -> OrderRefundedData:
    return OrderRefundedData(
        **_common(sale),
        refund_id=refund.id,
        refund_amount=text(refund.amount),
        refunded_total=text(sale.order.refunded_total),
        is_partial=sale.order.status == "partially_refunded",
        reason=refund.reason,
        refunded_at=utc(refund.created_at),
    )


def _common(sale: Sale) -> dict[str, Any]:
    order = sale.order
    return {
        "order_id": order.id,
        "order_number": order.number,
        "customer_email": sale.customer.email,
        "customer_name": sale.customer.name,
        "total": text(order.total),
        "currency": order.currency,
        "status": order.status,
        "items": [ItemData(i.product_id, i.product_name, i.quantity, text(i.price)) for i in sale.items],
    }
