"""What `customers` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from lootkeep_client.types.referrals import CodeOwner
from lootkeep_client.types.words import CustomerStatus, Game, MailboxStatus


class PlayerBody(TypedDict):
    game: Game
    id: NotRequired[str | None]
    name: NotRequired[str | None]


class Identity(TypedDict):
    game: Game
    id: str | None
    name: str | None
    verified_at: str | None


class Customer(TypedDict):
    id: int
    email: str
    name: str
    username: str | None
    external_id: str | None
    country: str | None
    status: CustomerStatus
    status_reason: str | None
    accepts_marketing: bool
    consent_given_at: str | None
    consent_withdrawn_at: str | None
    email_status: MailboxStatus
    referral_code: str
    referred_by: CodeOwner | None
    orders_count: int
    total_spent: str
    average_order_value: str
    first_order_at: str | None
    last_order_at: str | None
    tags: Sequence[str]
    identities: Sequence[Identity]
    note: str | None
    created_at: str
    updated_at: str
    erased_at: str | None


class ChangedCustomer(TypedDict):
    id: int
    email: str
    name: str
    username: str | None
    external_id: str | None
    country: str | None
    status: CustomerStatus
    status_reason: str | None
    accepts_marketing: bool
    consent_given_at: str | None
    consent_withdrawn_at: str | None
    email_status: MailboxStatus
    referral_code: str
    referred_by: CodeOwner | None
    orders_count: int
    total_spent: str
    average_order_value: str
    first_order_at: str | None
    last_order_at: str | None
    tags: Sequence[str]
    identities: Sequence[Identity]
    note: str | None
    created_at: str
    updated_at: str
    erased_at: str | None
    would_stop: Sequence[str] | None
