"""Events: the table of their types; a new type is a row here, a view and the line that appends it."""

from __future__ import annotations

import msgspec

from lootkeep.kernel.clock import Instant

# The types of the specification, which `*` and `order.*` include.
SPECIFIED_TYPES = {
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
# Extensions, subscribed to by name.
EVENT_TYPES = SPECIFIED_TYPES | {
    "order.delivered": "A line of an order was delivered.",
    "keys.low": "A product has only a few keys left.",
    "command.failed": "A game server could not run a command.",
    "order.disputed": "A payment was disputed, or a dispute has ended.",
    "fraud.flagged": "An order was flagged.",
    "fraud.held": "An order is held until it is reviewed.",
    "fraud.blocked": "An order was blocked.",
    "fraud.reviewed": "An order was reviewed, or its review was overdue.",
    "order.cancelled": "An unpaid order was cancelled.",
    "customer.created": "A customer signed up.",
    "customer.updated": "Something about a customer was changed.",
    "customer.erased": "The personal data of a customer was erased.",
    "ticket.created": "A customer opened a support ticket.",
    "ticket.replied": "The customer or the staff replied to a ticket.",
    "gift_card.created": "A gift card was issued or sold.",
    "gift_card.redeemed": "A gift card paid for something.",
    "coupon.used": "An order with a coupon was paid.",
}


class RecordedEvent(msgspec.Struct, frozen=True):
    """Something that happened, with the exact bytes that every delivery carries."""

    id: int
    type: str
    data: str
    created_at: Instant
