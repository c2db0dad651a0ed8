"""What `orders` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from lootkeep_client.types.words import (
    AuthorType,
    CardFunding,
    EvidenceMatch,
    FraudDecision,
    Game,
    GoodKind,
    GoodState,
    OrderStatus,
    RiskLevel,
    ThreeDSecure,
)


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


class Player(TypedDict):
    game: Game
    id: str | None
    name: str | None


class OrderPayment(TypedDict):
    country: str | None
    funding: CardFunding | None
    three_d_secure: ThreeDSecure | None
    bin: str | None
    instrument_id: str | None


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
    page_url: str | None
    player: Player | None
    payment: OrderPayment | None
    tax_total: str | None
    tax_rate: str | None
    tax_country: str | None


class OrderGood(TypedDict):
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
    command_id: int | None
    output: str | None


class ReplacedKey(TypedDict):
    replaced_key_id: int
    key_id: int


class EvidenceCustomer(TypedDict):
    id: int
    name: str
    email: str
    created_at: str


class EvidenceNetwork(TypedDict):
    ip_address: str | None
    country: str | None


class EvidencePayment(TypedDict):
    paid_at: str
    amount: str
    currency: str
    method: str | None
    transaction_id: str | None
    country: str | None
    funding: CardFunding | None
    three_d_secure: ThreeDSecure | None


class Look(TypedDict):
    at: str
    ip_address: str | None
    user_agent: str | None


class EvidenceGood(TypedDict):
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
    command_id: int | None
    output: str | None
    player: Player | None
    handed_at: str | None
    acknowledged_at: str | None
    product_name: str
    looks: Sequence[Look]


class EvidenceEmail(TypedDict):
    kind: str
    subject: str
    to_email: str
    status: str
    at: str


class EvidenceMessage(TypedDict):
    author_type: AuthorType
    body: str
    at: str


class EvidenceTicket(TypedDict):
    id: int
    ticket_number: str
    subject: str
    created_at: str
    messages: Sequence[EvidenceMessage]


class EarlierOrder(TypedDict):
    order_id: int
    order_number: str
    status: OrderStatus
    total: str
    currency: str
    paid_at: str | None


class MatchingOrder(TypedDict):
    order_id: int
    order_number: str
    paid_at: str
    matches: Sequence[EvidenceMatch]


class CompellingEvidence(TypedDict):
    qualifies: bool
    orders: Sequence[MatchingOrder]
    matches: Sequence[EvidenceMatch]


class Evidence(TypedDict):
    order: Order
    customer: EvidenceCustomer
    network: EvidenceNetwork
    device_id: str | None
    player: Player | None
    payment: EvidencePayment | None
    goods: Sequence[EvidenceGood]
    emails: Sequence[EvidenceEmail]
    tickets: Sequence[EvidenceTicket]
    earlier_orders: Sequence[EarlierOrder]
    compelling_evidence: CompellingEvidence
    created_at: str
