"""What `gift_cards` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from lootkeep_client.types.words import GiftCardStatus


class GiftCard(TypedDict):
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


class GiftCardCounts(TypedDict):
    scheduled: int
    active: int
    redeemed: int
    expired: int
    revoked: int


class GiftCardCurrency(TypedDict):
    currency: str
    total: int
    by_status: GiftCardCounts
    total_issued_value: str
    outstanding_balance: str
    total_redeemed_value: str
    expired_value: str
    revoked_value: str
    redemption_rate: float


class GiftCardStatistics(TypedDict):
    total: int
    by_status: GiftCardCounts
    currencies: Sequence[GiftCardCurrency]


class GiftCardTransaction(TypedDict):
    id: int
    type: Literal["issue", "redeem", "refund", "revoke"]
    amount: str
    balance_after: str
    order_id: int | None
    reference: str | None
    created_at: str


class GiftCardDetail(TypedDict):
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
    transactions: Sequence[GiftCardTransaction]


class GiftCardValidation(TypedDict):
    valid: bool
    reason: str | None
    gift_card: GiftCard | None
    applicable_amount: str


class RedeemedGiftCard(TypedDict):
    gift_card_id: int
    masked_code: str
    amount: str
    balance: str
    currency: str
    transaction: GiftCardTransaction


class SentGiftCard(TypedDict):
    sent_to: str
    sent_at: str
    send_count: int
