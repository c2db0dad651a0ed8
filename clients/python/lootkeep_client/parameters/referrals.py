"""What the methods of `referrals` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Required, TypedDict

from lootkeep_client import types


class ListReferrals(TypedDict, total=False):
    """List referrals."""

    page: int
    per_page: int
    status: types.ReferralStatus
    search: str


class ListLeaderboard(TypedDict, total=False):
    """Rank customers by counted referrals."""

    limit: int


class ListTopReferrers(TypedDict, total=False):
    """Rank customers by successful referrals."""

    limit: int


class ValidateReferralCode(TypedDict, total=False):
    """Check a referral code."""

    code: Required[str]


class CreateTier(TypedDict, total=False):
    """Create a reward tier."""

    name: Required[str]
    description: str | None
    referrals_required: Required[int]
    reward_type: Required[types.RewardType]
    reward_value: Required[str | float]
    reward_currency: str | None
    coupon_validity_days: int
    is_active: bool
    sort_order: int


class UpdateTier(TypedDict, total=False):
    """Update a reward tier."""

    name: str
    description: str | None
    referrals_required: int
    reward_type: types.RewardType
    reward_value: str | float
    reward_currency: str | None
    coupon_validity_days: int
    is_active: bool
    sort_order: int


class UpdateReferralSettings(TypedDict, total=False):
    """Update the program's settings."""

    referral_enabled: bool
    referral_reward_event: types.RewardEvent
    referral_welcome_discount_enabled: bool
    referral_welcome_discount_type: types.DiscountType
    referral_welcome_discount_value: str | float


class ListClaims(TypedDict, total=False):
    """List reward claims."""

    page: int
    per_page: int


class ListRefusedReferrals(TypedDict, total=False):
    """List refused referrals."""

    page: int
    per_page: int
