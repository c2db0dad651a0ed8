"""What the methods of `store` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Required, TypedDict

from lootkeep_client import types


class CreateCustomer(TypedDict, total=False):
    """Create a customer."""

    email: Required[str]
    name: Required[str]
    username: str | None
    external_id: str | None
    referral_code: str | None
    country: str | None
    ip_address: str | None
    device_id: str | None
    accepts_marketing: bool
    created_at: str | None


class FindCustomers(TypedDict, total=False):
    """Find customers."""

    page: int
    per_page: int
    external_id: str
    email: str
    identity: str


class ChangeStoreCustomer(TypedDict, total=False):
    """Change a customer of the store."""

    email: str
    name: str
    username: str | None
    external_id: str | None
    country: str | None
    accepts_marketing: bool
    email_status: types.MailboxStatus
    tags: Sequence[str]
    identities: Sequence[types.PlayerBody]
    note: str | None
    status: types.CustomerStatus
    status_reason: str | None


class ClaimTier(TypedDict, total=False):
    """Claim a reward tier."""

    tier_id: Required[int]


class ListCustomerGoods(TypedDict, total=False):
    """List what a customer owns."""

    page: int
    per_page: int
    active: bool


class CreateProduct(TypedDict, total=False):
    """Create a product."""

    name: Required[str]
    sku: str | None
    description: str | None
    delivery_type: types.DeliveryType
    billing_type: types.BillingType
    billing_interval: types.BillingInterval | None
    billing_interval_count: int | None
    status: types.ProductStatus
    price: Required[str | float]
    compare_at_price: str | float | None
    currency: str | None
    stock: int | None
    max_per_order: int | None
    category: str | None
    tags: Sequence[str]
    image_url: str | None
    file_url: str | None
    valid_days: int | None
    commands: Sequence[types.CommandBody]
    metadata: Mapping[str, str | float | bool | None]


class UpdateProduct(TypedDict, total=False):
    """Update a product."""

    name: str
    sku: str | None
    description: str | None
    delivery_type: types.DeliveryType
    billing_type: types.BillingType
    billing_interval: types.BillingInterval | None
    billing_interval_count: int | None
    status: types.ProductStatus
    price: str | float
    compare_at_price: str | float | None
    currency: str | None
    stock: int | None
    max_per_order: int | None
    category: str | None
    tags: Sequence[str]
    image_url: str | None
    file_url: str | None
    valid_days: int | None
    commands: Sequence[types.CommandBody]
    metadata: Mapping[str, str | float | bool | None]


class PlaceOrder(TypedDict, total=False):
    """Place an order."""

    tax_total: str | float | None
    tax_rate: str | None
    tax_country: str | None
    customer_id: Required[int]
    items: Required[Sequence[types.CartLineBody]]
    ip_address: Required[str]
    billing_country: str | None
    user_agent: str | None
    device_id: str | None
    coupon_code: str | None
    gift_card_code: str | None
    player: types.PlayerBody | None
    payment: types.PaymentBody | None
    external_id: str | None
    metadata: Mapping[str, str | float | bool | None]
    created_at: str | None
    paid_at: str | None
    completed_at: str | None
    cancelled_at: str | None
    status: Literal["paid", "completed", "partially_refunded", "refunded", "cancelled"] | None
    discount: str | float | None
    currency: str | None
    refunds: Sequence[types.PastRefundBody]
    payment_method: str | None


class FindOrders(TypedDict, total=False):
    """Find orders."""

    page: int
    per_page: int
    external_id: str


class PayOrder(TypedDict, total=False):
    """Mark an order as paid."""

    payment_method: str | None
    transaction_id: str | None
    payment: types.PaidWithBody | None


class RefundOrder(TypedDict, total=False):
    """Refund an order."""

    amount: str | float | None
    reason: str | None
    reason_code: Literal["fraud"] | None
    allow_unrecovered: bool


class CancelOrder(TypedDict, total=False):
    """Cancel an order."""

    reason: str | None


class ReportDeclinedPayment(TypedDict, total=False):
    """Report a declined payment."""

    reason: str | None
    payment: types.PaymentBody | None
    external_id: str | None
    at: str | None


class ReportDispute(TypedDict, total=False):
    """Report a dispute."""

    kind: Required[types.DisputeKind]
    reason: Required[types.DisputeReason]
    at: str | None
    evidence_due_at: str | None
    external_id: str | None


class PreviewCoupon(TypedDict, total=False):
    """Price a cart with a coupon."""

    code: Required[str]
    customer_id: int | None
    items: Required[Sequence[types.PreviewLineBody]]


class CreateSubscription(TypedDict, total=False):
    """Create a subscription."""

    customer_id: Required[int]
    product_id: Required[int]
    external_id: str | None
    player: types.PlayerBody | None


class ListSubscriptions(TypedDict, total=False):
    """List subscriptions."""

    page: int
    per_page: int
    customer_id: int
    status: types.SubscriptionStatus
    external_id: str


class CancelSubscription(TypedDict, total=False):
    """Cancel a subscription."""

    at_period_end: bool
    reason: str | None


class CreateGiftCard(TypedDict, total=False):
    """Create a gift card."""

    initial_balance: Required[str | float]
    currency: str | None
    recipient_email: str | None
    recipient_name: str | None
    sender_name: str | None
    message: str | None
    customer_id: int | None
    starts_at: str | None
    expires_at: str | None
    note: str | None
    code: str | None


class OpenSupportTicket(TypedDict, total=False):
    """Open a support ticket."""

    customer_id: Required[int]
    subject: Required[str]
    message: Required[str]
    priority: types.TicketPriority
    category: types.TicketCategory
    order_id: int | None


class AddCustomerMessage(TypedDict, total=False):
    """Add a customer's message."""

    message: Required[str]
