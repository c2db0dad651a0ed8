"""What `deliveries_part_2` has; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from lootkeep_client.types.deliveries import (
    ItemData,
    OrderCompletedDelivery,
    OrderCreatedDelivery,
    OrderPaidDelivery,
    OrderRefundedDelivery,
    ProductCreatedDelivery,
    ProductDeletedDelivery,
    ProductUpdatedDelivery,
    SubscriptionCancelledDelivery,
    SubscriptionCreatedDelivery,
    SubscriptionRenewedDelivery,
)
from lootkeep_client.types.words import DisputeKind, DisputeReason, FraudDecision, OrderStatus, ReviewOutcome, RiskLevel


class OrderDeliveredData(TypedDict):
    order_id: int
    order_number: str
    customer_email: str
    customer_name: str
    total: str
    currency: str
    status: OrderStatus
    items: Sequence[ItemData]
    item_id: int
    kind: Literal["command", "file", "gift_card", "key", "manual"]
    delivered_at: str


class OrderDeliveredDelivery(TypedDict):
    id: str
    event_type: Literal["order.delivered"]
    created_at: str
    data: OrderDeliveredData


class KeysLowData(TypedDict):
    product_id: int
    product_name: str
    stock: int


class KeysLowDelivery(TypedDict):
    id: str
    event_type: Literal["keys.low"]
    created_at: str
    data: KeysLowData


class OrderDisputedData(TypedDict):
    order_id: int
    order_number: str
    customer_email: str
    customer_name: str
    total: str
    currency: str
    status: OrderStatus
    items: Sequence[ItemData]
    dispute_id: int
    kind: DisputeKind
    reason: DisputeReason
    disputed_at: str


class OrderDisputedDelivery(TypedDict):
    id: str
    event_type: Literal["order.disputed"]
    created_at: str
    data: OrderDisputedData


class FraudData(TypedDict):
    check_id: int
    order_id: int
    order_number: str
    order_status: OrderStatus
    total: str
    currency: str
    customer_id: int
    risk_score: int
    risk_level: RiskLevel
    action_taken: FraudDecision
    detected_signals: Sequence[str]


class FraudFlaggedDelivery(TypedDict):
    id: str
    event_type: Literal["fraud.flagged"]
    created_at: str
    data: FraudData


class FraudHeldDelivery(TypedDict):
    id: str
    event_type: Literal["fraud.held"]
    created_at: str
    data: FraudData


class FraudBlockedDelivery(TypedDict):
    id: str
    event_type: Literal["fraud.blocked"]
    created_at: str
    data: FraudData


class FraudReviewedData(TypedDict):
    check_id: int
    order_id: int
    order_number: str
    order_status: OrderStatus
    total: str
    currency: str
    customer_id: int
    risk_score: int
    risk_level: RiskLevel
    action_taken: FraudDecision
    detected_signals: Sequence[str]
    review_outcome: ReviewOutcome | None
    reviewed_by: int | None


class FraudReviewedDelivery(TypedDict):
    id: str
    event_type: Literal["fraud.reviewed"]
    created_at: str
    data: FraudReviewedData


class TestData(TypedDict):
    webhook_id: int
    message: str


class WebhookTestDelivery(TypedDict):
    id: str
    event_type: Literal["webhook.test"]
    created_at: str
    data: TestData


WebhookDelivery = (
    OrderCreatedDelivery
    | OrderPaidDelivery
    | OrderCompletedDelivery
    | OrderRefundedDelivery
    | SubscriptionCreatedDelivery
    | SubscriptionRenewedDelivery
    | SubscriptionCancelledDelivery
    | ProductCreatedDelivery
    | ProductUpdatedDelivery
    | ProductDeletedDelivery
    | OrderDeliveredDelivery
    | KeysLowDelivery
    | OrderDisputedDelivery
    | FraudFlaggedDelivery
    | FraudHeldDelivery
    | FraudBlockedDelivery
    | FraudReviewedDelivery
    | WebhookTestDelivery
)
