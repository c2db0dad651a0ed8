"""The data of each event type; the OpenAPI document and the list of types use it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import msgspec

from lootkeep.domain.webhooks import TEST_EVENT
from lootkeep.views import (
    commands,
    coupons,
    customer_events,
    fraud_events,
    gift_card_events,
    order_events,
    products,
    subscriptions,
    ticket_events,
)
from lootkeep.views.fields import field


class TestData(msgspec.Struct, frozen=True):
    """The data of `webhook.test`."""

    webhook_id: Annotated[int, field("The webhook that is tested.", 4)]
    message: Annotated[str, field("A message.", "This is a test delivery from Lootkeep.")]


class EventData(NamedTuple):
    view: type[msgspec.Struct]
    # How an example of this event differs from the examples of the view's fields.
    example: Mapping[str, Any] = {}


# A row for each of EVENT_TYPES, and for the test.
DATA: Mapping[str, EventData] = {
    "order.created": EventData(order_events.OrderCreatedData, {"status": "pending"}),
    "order.paid": EventData(order_events.OrderData),
    "order.completed": EventData(order_events.OrderCompletedData, {"status": "completed"}),
    "order.refunded": EventData(order_events.OrderRefundedData, {"status": "refunded"}),
    "subscription.created": EventData(subscriptions.SubscriptionData),
    "subscription.renewed": EventData(subscriptions.SubscriptionRenewedData),
    "subscription.cancelled": EventData(subscriptions.SubscriptionCancelledData, {"status": "cancelled"}),
    "product.created": EventData(products.ProductEvent),
    "product.updated": EventData(products.ProductUpdated),
    "product.deleted": EventData(products.ProductDeleted),
    "order.delivered": EventData(order_events.OrderDeliveredData),
    "keys.low": EventData(products.KeysLowData),
    "command.failed": EventData(commands.CommandFailedData),
    "order.disputed": EventData(order_events.OrderDisputedData),
    "fraud.flagged": EventData(fraud_events.FraudData),
    "fraud.held": EventData(fraud_events.FraudData, {"action_taken": "verification_required"}),
    "fraud.blocked": EventData(fraud_events.FraudData, {"action_taken": "blocked", "order_status": "cancelled"}),
    "fraud.reviewed": EventData(fraud_events.FraudReviewedData),
    "order.cancelled": EventData(order_events.OrderCancelledData, {"status": "cancelled"}),
    "customer.created": EventData(customer_events.CustomerData),
    "customer.updated": EventData(customer_events.CustomerUpdatedData),
    "customer.erased": EventData(customer_events.CustomerErasedData),
    "ticket.created": EventData(ticket_events.TicketData),
    "ticket.replied": EventData(
        ticket_events.TicketRepliedData, {"status": "pending", "message": "Here is a new key."}
    ),
    "gift_card.created": EventData(gift_card_events.GiftCardData),
    "gift_card.redeemed": EventData(gift_card_events.GiftCardRedeemedData, {"balance": "20.00", "order_id": 123}),
    "coupon.used": EventData(coupons.CouponUsedData),
    TEST_EVENT: EventData(TestData),
}
