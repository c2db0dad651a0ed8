"""What the methods of `creators` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Required, TypedDict

from lootkeep_client import types


class ListCreators(TypedDict, total=False):
    """List creators."""

    page: int
    per_page: int


class CreateCreator(TypedDict, total=False):
    """Create a creator."""

    name: Required[str]
    code: Required[str]
    commission_percent: Required[str | float]
    discount_type: types.DiscountType | None
    discount_value: str | float | None
    hold_days: int
    customer_id: int | None
    is_active: bool


class UpdateCreator(TypedDict, total=False):
    """Update a creator."""

    name: str
    code: str
    commission_percent: str | float
    discount_type: types.DiscountType | None
    discount_value: str | float | None
    hold_days: int
    customer_id: int | None
    is_active: bool


class ReadLedger(TypedDict, total=False):
    """Read the ledger of a creator."""

    page: int
    per_page: int


class PayCreator(TypedDict, total=False):
    """Book a payout to a creator."""

    amount: Required[str | float]
    reference: Required[str]
    currency: str | None
