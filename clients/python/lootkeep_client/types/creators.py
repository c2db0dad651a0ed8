"""What `creators` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from lootkeep_client.types.words import CreatorEntryType, DiscountType


class CreatorBalance(TypedDict):
    currency: str
    held: str
    due: str
    paid: str


class Creator(TypedDict):
    id: int
    name: str
    code: str
    coupon_id: int
    commission_percent: str
    discount_type: DiscountType | None
    discount_value: str | None
    hold_days: int
    customer_id: int | None
    is_active: bool
    balance: CreatorBalance
    balances: Sequence[CreatorBalance]
    orders_count: int
    created_at: str
    updated_at: str


class CreatorEntry(TypedDict):
    id: int
    type: CreatorEntryType
    amount: str
    currency: str
    order_id: int | None
    reference: str | None
    available_at: str
    created_at: str
