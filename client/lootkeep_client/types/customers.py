"""What `customers` has; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from lootkeep_client.types.referrals import CodeOwner
from lootkeep_client.types.words import CustomerStatus


class Customer(TypedDict):
    id: int
    email: str
    name: str
    username: str | None
    external_id: str | None
    country: str | None
    status: CustomerStatus
    accepts_marketing: bool
    email_status: Literal["bounced", "complained", "ok", "unsubscribed"]
    referral_code: str
    referred_by: CodeOwner | None
    orders_count: int
    total_spent: str
    average_order_value: str
    first_order_at: str | None
    last_order_at: str | None
    tags: Sequence[str]
    note: str | None
    created_at: str
    updated_at: str
