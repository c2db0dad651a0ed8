"""What `deliveries` has; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from lootkeep_client.types.words import BillingInterval, OrderStatus, ProductStatus, SubscriptionStatus


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
