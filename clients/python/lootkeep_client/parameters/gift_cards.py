"""What the methods of `gift_cards` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Literal, Required, TypedDict

from lootkeep_client import types


class ListGiftCards(TypedDict, total=False):
    """List gift cards."""

    page: int
    per_page: int
    status: types.GiftCardStatus
    currency: str
    recipient_email: str
    customer_id: int
    order_id: int
    search: str
    from_: str
    to: str
    sort: Literal["id", "created_at", "balance", "expires_at"]
    order: types.SortDirection


class ValidateGiftCard(TypedDict, total=False):
    """Check a gift card's code and balance."""

    code: Required[str]
    amount: str | float | None


class RedeemGiftCard(TypedDict, total=False):
    """Redeem an amount."""

    amount: Required[str | float]
    order_id: int | None
    reference: str | None


class RevokeGiftCard(TypedDict, total=False):
    """Revoke a gift card."""

    reason: str | None


class ResendGiftCard(TypedDict, total=False):
    """Resend a gift card by e-mail."""

    email: str | None


class UpdateGiftCard(TypedDict, total=False):
    """Update a gift card."""

    recipient_email: str | None
    recipient_name: str | None
    message: str | None
    expires_at: str | None
    note: str | None
