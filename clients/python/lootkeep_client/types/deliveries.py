"""What `deliveries` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from lootkeep_client.types.words import (
    BillingInterval,
    CustomerStatus,
    DisputeKind,
    DisputeReason,
    FraudDecision,
    GoodKind,
    LastMessageBy,
    MailboxStatus,
    OrderStatus,
    ProductStatus,
    ReviewOutcome,
    RiskLevel,
    SubscriptionStatus,
    TicketCategory,
    TicketPriority,
    TicketStatus,
)


class ItemData(TypedDict):
    product_id: int
    product_name: str
    quantity: int
    price: str


class OrderCreatedData(TypedDict):
    order_id: int
    order_number: str
    customer_email: str
    customer_name: str
    total: str
    currency: str
    status: OrderStatus
    items: Sequence[ItemData]
    created_at: str


class OrderCreatedDelivery(TypedDict):
    id: str
    event_type: Literal["order.created"]
    created_at: str
    data: OrderCreatedData


class OrderData(TypedDict):
    order_id: int
    order_number: str
    customer_email: str
    customer_name: str
    total: str
    currency: str
    status: OrderStatus
    items: Sequence[ItemData]


class OrderPaidDelivery(TypedDict):
    id: str
    event_type: Literal["order.paid"]
    created_at: str
    data: OrderData


class OrderCompletedData(TypedDict):
    order_id: int
    order_number: str
    customer_email: str
    customer_name: str
    total: str
    currency: str
    status: OrderStatus
    items: Sequence[ItemData]
    completed_at: str


class OrderCompletedDelivery(TypedDict):
    id: str
    event_type: Literal["order.completed"]
    created_at: str
    data: OrderCompletedData


class OrderRefundedData(TypedDict):
    order_id: int
    order_number: str
    customer_email: str
    customer_name: str
    total: str
    currency: str
    status: OrderStatus
    items: Sequence[ItemData]
    refund_id: int
    refund_amount: str
    refunded_total: str
    is_partial: bool
    reason: str | None
    refunded_at: str


class OrderRefundedDelivery(TypedDict):
    id: str
    event_type: Literal["order.refunded"]
    created_at: str
    data: OrderRefundedData


class SubscriptionData(TypedDict):
    subscription_id: int
    customer_email: str
    customer_name: str
    product_id: int
    product_name: str
    price: str
    currency: str
    interval: BillingInterval
    interval_count: int
    status: SubscriptionStatus
    current_period_start: str
    current_period_end: str
    order_id: int | None


class SubscriptionCreatedDelivery(TypedDict):
    id: str
    event_type: Literal["subscription.created"]
    created_at: str
    data: SubscriptionData


class SubscriptionRenewedData(TypedDict):
    subscription_id: int
    customer_email: str
    customer_name: str
    product_id: int
    product_name: str
    price: str
    currency: str
    interval: BillingInterval
    interval_count: int
    status: SubscriptionStatus
    current_period_start: str
    current_period_end: str
    order_id: int | None
    renewals_count: int


class SubscriptionRenewedDelivery(TypedDict):
    id: str
    event_type: Literal["subscription.renewed"]
    created_at: str
    data: SubscriptionRenewedData


class SubscriptionCancelledData(TypedDict):
    subscription_id: int
    customer_email: str
    customer_name: str
    product_id: int
    product_name: str
    price: str
    currency: str
    interval: BillingInterval
    interval_count: int
    status: SubscriptionStatus
    current_period_start: str
    current_period_end: str
    order_id: int | None
    cancelled_at: str | None
    ends_at: str | None
    reason: str | None


class SubscriptionCancelledDelivery(TypedDict):
    id: str
    event_type: Literal["subscription.cancelled"]
    created_at: str
    data: SubscriptionCancelledData


class ProductEvent(TypedDict):
    product_id: int
    product_name: str
    slug: str
    sku: str | None
    price: str
    currency: str
    status: ProductStatus
    stock: int | None


class ProductCreatedDelivery(TypedDict):
    id: str
    event_type: Literal["product.created"]
    created_at: str
    data: ProductEvent


class ProductUpdated(TypedDict):
    product_id: int
    product_name: str
    slug: str
    sku: str | None
    price: str
    currency: str
    status: ProductStatus
    stock: int | None
    changes: Sequence[str]


class ProductUpdatedDelivery(TypedDict):
    id: str
    event_type: Literal["product.updated"]
    created_at: str
    data: ProductUpdated


class ProductDeleted(TypedDict):
    product_id: int
    product_name: str
    slug: str
    sku: str | None
    price: str
    currency: str
    status: ProductStatus
    stock: int | None
    deleted_at: str


class ProductDeletedDelivery(TypedDict):
    id: str
    event_type: Literal["product.deleted"]
    created_at: str
    data: ProductDeleted


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
    kind: GoodKind
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


class CommandFailedData(TypedDict):
    command_id: int
    order_id: int
    server_id: int
    output: str | None


class CommandFailedDelivery(TypedDict):
    id: str
    event_type: Literal["command.failed"]
    created_at: str
    data: CommandFailedData


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


class OrderCancelledData(TypedDict):
    order_id: int
    order_number: str
    customer_email: str
    customer_name: str
    total: str
    currency: str
    status: OrderStatus
    items: Sequence[ItemData]
    reason: str | None
    cancelled_at: str


class OrderCancelledDelivery(TypedDict):
    id: str
    event_type: Literal["order.cancelled"]
    created_at: str
    data: OrderCancelledData


class CustomerData(TypedDict):
    customer_id: int
    external_id: str | None
    customer_email: str
    customer_name: str
    username: str | None
    country: str | None
    status: CustomerStatus
    accepts_marketing: bool
    email_status: MailboxStatus
    tags: Sequence[str]


class CustomerCreatedDelivery(TypedDict):
    id: str
    event_type: Literal["customer.created"]
    created_at: str
    data: CustomerData


class CustomerUpdatedData(TypedDict):
    customer_id: int
    external_id: str | None
    customer_email: str
    customer_name: str
    username: str | None
    country: str | None
    status: CustomerStatus
    accepts_marketing: bool
    email_status: MailboxStatus
    tags: Sequence[str]
    changes: Sequence[str]


class CustomerUpdatedDelivery(TypedDict):
    id: str
    event_type: Literal["customer.updated"]
    created_at: str
    data: CustomerUpdatedData


class CustomerErasedData(TypedDict):
    customer_id: int


class CustomerErasedDelivery(TypedDict):
    id: str
    event_type: Literal["customer.erased"]
    created_at: str
    data: CustomerErasedData


class TicketData(TypedDict):
    ticket_id: int
    ticket_number: str
    customer_id: int
    customer_email: str
    customer_name: str
    order_id: int | None
    subject: str
    status: TicketStatus
    priority: TicketPriority
    category: TicketCategory
    message: str


class TicketCreatedDelivery(TypedDict):
    id: str
    event_type: Literal["ticket.created"]
    created_at: str
    data: TicketData


class TicketRepliedData(TypedDict):
    ticket_id: int
    ticket_number: str
    customer_id: int
    customer_email: str
    customer_name: str
    order_id: int | None
    subject: str
    status: TicketStatus
    priority: TicketPriority
    category: TicketCategory
    message: str
    message_id: int
    author_type: LastMessageBy
    author_name: str


class TicketRepliedDelivery(TypedDict):
    id: str
    event_type: Literal["ticket.replied"]
    created_at: str
    data: TicketRepliedData


class GiftCardData(TypedDict):
    gift_card_id: int
    masked_code: str
    balance: str
    currency: str
    order_id: int | None
    customer_id: int | None
    expires_at: str | None


class GiftCardCreatedDelivery(TypedDict):
    id: str
    event_type: Literal["gift_card.created"]
    created_at: str
    data: GiftCardData


class GiftCardRedeemedData(TypedDict):
    gift_card_id: int
    masked_code: str
    balance: str
    currency: str
    order_id: int | None
    customer_id: int | None
    expires_at: str | None
    amount: str
    reference: str | None


class GiftCardRedeemedDelivery(TypedDict):
    id: str
    event_type: Literal["gift_card.redeemed"]
    created_at: str
    data: GiftCardRedeemedData


class CouponUsedData(TypedDict):
    coupon_id: int
    coupon_code: str
    discount: str
    currency: str
    order_id: int
    order_number: str
    customer_id: int


class CouponUsedDelivery(TypedDict):
    id: str
    event_type: Literal["coupon.used"]
    created_at: str
    data: CouponUsedData


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
    | CommandFailedDelivery
    | OrderDisputedDelivery
    | FraudFlaggedDelivery
    | FraudHeldDelivery
    | FraudBlockedDelivery
    | FraudReviewedDelivery
    | OrderCancelledDelivery
    | CustomerCreatedDelivery
    | CustomerUpdatedDelivery
    | CustomerErasedDelivery
    | TicketCreatedDelivery
    | TicketRepliedDelivery
    | GiftCardCreatedDelivery
    | GiftCardRedeemedDelivery
    | CouponUsedDelivery
    | WebhookTestDelivery
)
