"""The data of order events: eight keys that are always present, then those of each event."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lootkeep.domain.disputes import Dispute, DisputeKind, DisputeReason
from lootkeep.domain.goods import KINDS, GoodKind
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import OrderDetails, OrderStatus, Refund
from lootkeep.kernel.clock import utc
from lootkeep.kernel.money import text
from lootkeep.views.fields import Time, field


class ItemData(msgspec.Struct, frozen=True):
    product_id: Annotated[int, field("The product.", 9)]
    product_name: Annotated[str, field("The name at the time of the order.", "VIP rank")]
    quantity: Annotated[int, field("The quantity.", 1)]
    price: Annotated[str, field("The unit price.", "19.99")]


class OrderData(msgspec.Struct, frozen=True):
    order_id: Annotated[int, field("Identifies the order.", 123)]
    order_number: Annotated[str, field("What customers see.", "ORD-000123")]
    customer_email: Annotated[str, field("The customer's e-mail address.", "jun@example.com")]
    customer_name: Annotated[str, field("The customer's name.", "Jun Park")]
    total: Annotated[str, field("What the order costs, after discounts.", "19.99")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    status: Annotated[OrderStatus, field("The order's status after the event.", "paid")]
    items: list[ItemData]


class OrderCreatedData(OrderData, frozen=True):
    created_at: Time


class OrderCompletedData(OrderData, frozen=True):
    completed_at: Time


class OrderDeliveredData(OrderData, frozen=True):
    item_id: Annotated[int, field("The line.", 41)]
    kind: Annotated[GoodKind, field("What was delivered.", "key")]
    delivered_at: Time


class OrderRefundedData(OrderData, frozen=True):
    refund_id: Annotated[int, field("Identifies the refund.", 12)]
    refund_amount: Annotated[str, field("The amount of this refund.", "19.99")]
    refunded_total: Annotated[str, field("The sum of all refunds of the order.", "19.99")]
    is_partial: Annotated[bool, field("Whether something is left to refund.", False)]
    reason: Annotated[str | None, field("The reason given by the store.", "Wrong edition")]
    refunded_at: Time


class OrderCancelledData(OrderData, frozen=True):
    reason: Annotated[str | None, field("The reason given by the store; `fraud` after a review.", "Out of stock")]
    cancelled_at: Time


class OrderDisputedData(OrderData, frozen=True):
    dispute_id: Annotated[int, field("Identifies the report.", 3)]
    kind: Annotated[DisputeKind, field("What happened.", "dispute")]
    reason: Annotated[DisputeReason, field("Why the payment is disputed.", "fraudulent")]
    disputed_at: Time


def created(details: OrderDetails) -> OrderCreatedData:
    return OrderCreatedData(**_common(details), created_at=utc(details.order.created_at))


def paid(details: OrderDetails) -> OrderData:
    return OrderData(**_common(details))


def completed(details: OrderDetails) -> OrderCompletedData:
    assert details.order.completed_at is not None
    return OrderCompletedData(**_common(details), completed_at=utc(details.order.completed_at))


def delivered(details: OrderDetails, line: OrderItem) -> OrderDeliveredData:
    assert line.delivered_at is not None
    kind = KINDS[line.delivery_type]
    return OrderDeliveredData(**_common(details), item_id=line.id, kind=kind, delivered_at=utc(line.delivered_at))


def refunded(details: OrderDetails, refund: Refund) -> OrderRefundedData:
    return OrderRefundedData(
        **_common(details),
        refund_id=refund.id,
        refund_amount=text(refund.amount),
        refunded_total=text(details.order.refunded_total),
        is_partial=details.order.status == "partially_refunded",
        reason=refund.reason,
        refunded_at=utc(refund.created_at),
    )


def cancelled(details: OrderDetails) -> OrderCancelledData:
    order = details.order
    assert order.cancelled_at is not None
    return OrderCancelledData(**_common(details), reason=order.cancel_reason, cancelled_at=utc(order.cancelled_at))


def disputed(details: OrderDetails, dispute: Dispute) -> OrderDisputedData:
    return OrderDisputedData(
        **_common(details),
        dispute_id=dispute.id,
        kind=dispute.kind,
        reason=dispute.reason,
        disputed_at=utc(dispute.at),
    )


def _common(details: OrderDetails) -> dict[str, Any]:
    order = details.order
    return {
        "order_id": order.id,
        "order_number": order.number,
        "customer_email": details.customer.email,
        "customer_name": details.customer.name,
        "total": text(order.total),
        "currency": order.currency,
        "status": order.status,
        "items": [ItemData(i.product_id, i.product_name, i.quantity, text(i.price)) for i in details.items],
    }
