"""What `orders` has; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from lootkeep_client.types.words import FraudDecision, OrderStatus, RiskLevel


class DeliveredBody(TypedDict):
    item_id: int
    quantity: int


class OrderCustomer(TypedDict):
    id: int
    name: str
    email: str


class OrderItem(TypedDict):
    id: int
    product_id: int
    product_name: str
    sku: str | None
    quantity: int
    price: str
    total: str
    fulfilled_quantity: int


class OrderFraud(TypedDict):
    check_id: int
    risk_score: int
    risk_level: RiskLevel
    action_taken: FraudDecision


class Order(TypedDict):
    id: int
    order_number: str
    status: OrderStatus
    customer: OrderCustomer
    items: Sequence[OrderItem]
    subtotal: str
    discount_total: str
    total: str
    gift_card_total: str
    amount_due: str
    refunded_total: str
    currency: str
    coupon_code: str | None
    referral_code: str | None
    payment_method: str | None
    transaction_id: str | None
    ip_address: str | None
    billing_country: str | None
    fraud: OrderFraud | None
    cancel_reason: str | None
    external_id: str | None
    metadata: Mapping[str, str | float | bool | None]
    created_at: str
    updated_at: str
    paid_at: str | None
    completed_at: str | None
    cancelled_at: str | None
    refunded_at: str | None
    fulfillment_note: str | None


class Good(TypedDict):
    item_id: int
    product_id: int
    kind: Literal["command", "file", "gift_card", "key", "manual"]
    state: Literal["delivered", "expired", "failed", "replaced", "revoked", "waiting"]
    masked: str | None
    delivered_at: str | None
    revealed_at: str | None
    expires_at: str | None


class ReplacedKey(TypedDict):
    replaced_key_id: int
    key_id: int
