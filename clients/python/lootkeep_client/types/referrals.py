"""What `referrals` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from lootkeep_client.types.words import DiscountType, ReferralStatus, RewardEvent, RewardType


class Tier(TypedDict):
    id: int
    name: str
    description: str | None
    referrals_required: int
    reward_type: RewardType
    reward_value: str
    reward_currency: str | None
    coupon_validity_days: int
    is_active: bool
    sort_order: int
    formatted_reward: str
    claims_count: int
    created_at: str
    updated_at: str


class ToggledTier(TypedDict):
    id: int
    name: str
    is_active: bool
    formatted_reward: str


class ReferralSettings(TypedDict):
    referral_enabled: bool
    referral_reward_event: RewardEvent
    referral_welcome_discount_enabled: bool
    referral_welcome_discount_type: DiscountType
    referral_welcome_discount_value: float


class ClaimCustomer(TypedDict):
    id: int
    name: str
    email: str


class RefusedReferral(TypedDict):
    id: int
    customer: ClaimCustomer
    referrer: ClaimCustomer
    reason: Literal["already_referred", "circular_referral", "same_device", "self_referral"]
    explanation: str
    created_at: str


class ClaimTier(TypedDict):
    id: int
    name: str
    referrals_required: int


class ClaimCoupon(TypedDict):
    id: int
    code: str
    times_used: int


class Claim(TypedDict):
    id: int
    customer: ClaimCustomer
    tier: ClaimTier
    coupon: ClaimCoupon
    claimed_at: str


class Referrer(TypedDict):
    id: int
    name: str
    email: str
    referral_code: str


class Referral(TypedDict):
    id: int
    name: str
    email: str
    referred_at: str
    referrer: Referrer
    status: ReferralStatus
    first_order_at: str | None


class Statistics(TypedDict):
    total_referrals: int
    successful_referrals: int
    conversion_rate: float
    rewards_claimed: int
    total_coupons_value: float


class Leaderboard(TypedDict):
    id: int
    name: str
    referral_count: int


class TopReferrer(TypedDict):
    id: int
    name: str
    email: str
    referral_code: str
    total_referrals: int
    successful_referrals: int
    rewards_claimed: int


class CodeOwner(TypedDict):
    id: int
    name: str


class CodeValidation(TypedDict):
    valid: bool
    referrer: NotRequired[CodeOwner]
    error: NotRequired[str]
