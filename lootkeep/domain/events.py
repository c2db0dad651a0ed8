"""Events: the table of their types; a new one is a row here, a view and the line that appends it."""

from __future__ import annotations

EVENT_TYPES = {
    "order.created": "New order created, before payment.",
    "order.paid": "Payment received successfully.",
    "order.completed": "Order marked as fulfilled.",
    "order.refunded": "Order was refunded.",
    "subscription.created": "New subscription started.",
    "subscription.renewed": "Subscription renewed.",
    "subscription.cancelled": "Subscription cancelled.",
    "product.created": "New product added.",
    "product.updated": "Product modified.",
    "product.deleted": "Product removed.",
}
