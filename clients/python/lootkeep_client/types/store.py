"""What `store` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from lootkeep_client.types.creators import Creator, CreatorEntry
from lootkeep_client.types.customers import Customer
from lootkeep_client.types.gift_cards import GiftCard
from lootkeep_client.types.orders import Look, Order, OrderCustomer, OrderFraud, OrderItem, OrderPayment, Player
from lootkeep_client.types.payments import PaymentEvent
from lootkeep_client.types.referrals import CodeOwner
from lootkeep_client.types.support_tickets import TicketDetail
from lootkeep_client.types.words import (
    BillingInterval,
    CardFunding,
    CheckoutStep,
    CommandCause,
    CouponRejection,
    DiscountType,
    DisputeKind,
    DisputeReason,
    FraudDecision,
    GiftCardStatus,
    GoodKind,
    GoodState,
    OrderStatus,
    ReferralStatus,
    ReviewOutcome,
    RiskLevel,
    SubscriptionStatus,
    ThreeDSecure,
)


class CommandBody(TypedDict):
    server_id: int
    on: CommandCause
    text: str
    needs_player_online: NotRequired[bool]
    delay_minutes: NotRequired[int]


class CartLineBody(TypedDict):
    product_id: int
    quantity: int
    price: NotRequired[str | float | None]


class PaymentBody(TypedDict):
    fingerprint: NotRequired[str | None]
    bin: NotRequired[str | None]
    country: NotRequired[str | None]
    funding: NotRequired[CardFunding | None]
    three_d_secure: NotRequired[ThreeDSecure | None]


class PastRefundBody(TypedDict):
    amount: str | float
    reason: NotRequired[str | None]
    created_at: NotRequired[str | None]


class PaidWithBody(TypedDict):
    fingerprint: NotRequired[str | None]
    bin: NotRequired[str | None]
    country: NotRequired[str | None]
    funding: NotRequired[CardFunding | None]
    three_d_secure: NotRequired[ThreeDSecure | None]
    payer_email: NotRequired[str | None]


class PreviewLineBody(TypedDict):
    product_id: int
    quantity: int


class SubscriptionProduct(TypedDict):
    id: int
    name: str


class Subscription(TypedDict):
    id: int
    status: SubscriptionStatus
    customer: OrderCustomer
    product: SubscriptionProduct
    price: str
    currency: str
    interval: BillingInterval
    interval_count: int
    current_period_start: str
    current_period_end: str
    cancel_at_period_end: bool
    cancelled_at: str | None
    ends_at: str | None
    cancel_reason: str | None
    renewals_count: int
    latest_order_id: int | None
    external_id: str | None
    player: Player | None
    created_at: str
    updated_at: str


class PaidPeriod(TypedDict):
    subscription: Subscription
    order: Order


class OrderCheck(TypedDict):
    id: int
    risk_score: int
    risk_level: RiskLevel
    action_taken: FraudDecision
    detected_signals: Sequence[str]


class PlacedOrder(TypedDict):
    order: Order
    next: CheckoutStep | None
    fraud_check: OrderCheck | None


class PaidOrder(TypedDict):
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
    page_url: str | None
    player: Player | None
    payment: OrderPayment | None
    tax_total: str | None
    tax_rate: str | None
    tax_country: str | None
    next: CheckoutStep | None


class Refund(TypedDict):
    id: int
    amount: str
    payment_amount: str
    gift_card_amount: str
    unreturned_amount: str
    unrecovered_amount: str
    reason: str | None
    reason_code: Literal["fraud"] | None
    created_at: str


class RefundedOrder(TypedDict):
    order: Order
    refund: Refund


class PaymentAttempt(TypedDict):
    id: int
    order_id: int
    reason: str | None
    external_id: str | None
    at: str


class Dispute(TypedDict):
    id: int
    order_id: int
    kind: DisputeKind
    reason: DisputeReason
    external_id: str | None
    evidence_due_at: str | None
    at: str
    created_at: str


class HandedGood(TypedDict):
    item_id: int
    product_id: int
    kind: GoodKind
    state: GoodState
    masked: str | None
    delivered_at: str | None
    revealed_at: str | None
    expires_at: str | None
    server: str | None
    needs_player_online: bool
    value: str | None


class GiftCardWithCode(TypedDict):
    id: int
    masked_code: str
    initial_balance: str
    balance: str
    currency: str
    status: GiftCardStatus
    recipient_email: str | None
    recipient_name: str | None
    sender_name: str | None
    message: str | None
    customer_id: int | None
    order_id: int | None
    starts_at: str | None
    expires_at: str | None
    note: str | None
    sent_at: str | None
    send_count: int
    last_used_at: str | None
    revoked_at: str | None
    revoke_reason: str | None
    created_at: str
    updated_at: str
    code: str


class Attribution(TypedDict):
    attributed: bool
    reason: (
        Literal[
            "already_referred", "circular_referral", "program_disabled", "same_device", "self_referral", "unknown_code"
        ]
        | None
    )
    explanation: str | None
    referrer: CodeOwner | None
    marks: Sequence[str]


class Coupon(TypedDict):
    id: int
    code: str
    discount_type: DiscountType
    value: str
    currency: str | None
    times_used: int
    expires_at: str


class SignedUp(TypedDict):
    customer: Customer
    referral: Attribution | None
    welcome_coupon: Coupon | None


class Referred(TypedDict):
    customer_id: int
    status: ReferralStatus
    referred_at: str


class OwnClaim(TypedDict):
    id: int
    tier_id: int
    coupon: Coupon
    claimed_at: str


class ExportedCheck(TypedDict):
    id: int
    order_id: int
    email: str
    ip_address: str | None
    user_agent: str | None
    detected_country: str | None
    detected_city: str | None
    risk_score: int
    risk_level: RiskLevel
    action_taken: FraudDecision
    review_outcome: ReviewOutcome | None
    review_notes: str | None
    created_at: str


class Trace(TypedDict):
    kind: Literal["address", "device", "instrument", "mailbox", "player"]
    value: str
    first_seen_at: str
    last_seen_at: str


class ExportedGood(TypedDict):
    item_id: int
    product_id: int
    kind: GoodKind
    state: GoodState
    masked: str | None
    delivered_at: str | None
    revealed_at: str | None
    expires_at: str | None
    server: str | None
    needs_player_online: bool
    order_id: int
    player: Player | None
    output: str | None
    looks: Sequence[Look]


class SentEmail(TypedDict):
    kind: str
    to_email: str
    subject: str
    status: str
    finished_at: str | None


class StaffChange(TypedDict):
    action: str
    before: str
    after: str
    created_at: str


class CustomerExport(TypedDict):
    exported_at: str
    customer: Customer
    former_emails: Sequence[str]
    orders: Sequence[Order]
    subscriptions: Sequence[Subscription]
    support_tickets: Sequence[TicketDetail]
    gift_cards: Sequence[GiftCard]
    referred: Sequence[Referred]
    claims: Sequence[OwnClaim]
    creators: Sequence[Creator]
    creator_ledger: Sequence[CreatorEntry]
    fraud_checks: Sequence[ExportedCheck]
    traces: Sequence[Trace]
    goods: Sequence[ExportedGood]
    payment_events: Sequence[PaymentEvent]
    emails: Sequence[SentEmail]
    changes: Sequence[StaffChange]


class TierProgress(TypedDict):
    id: int
    name: str
    description: str | None
    formatted_reward: str
    referrals_required: int
    referrals_missing: int
    is_reached: bool
    is_claimed: bool


class CustomerReferrals(TypedDict):
    referral_code: str
    total_referrals: int
    successful_referrals: int
    counted_referrals: int
    tiers: Sequence[TierProgress]
    claims: Sequence[OwnClaim]


class OwnedGood(TypedDict):
    item_id: int
    product_id: int
    kind: GoodKind
    state: GoodState
    masked: str | None
    delivered_at: str | None
    revealed_at: str | None
    expires_at: str | None
    server: str | None
    needs_player_online: bool
    order_id: int


class CouponPreview(TypedDict):
    valid: bool
    reason: CouponRejection | None
    discount_total: str
    total: str
