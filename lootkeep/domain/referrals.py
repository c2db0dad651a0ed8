"""The referral program's records and rules: tiers and their rewards, and the program's settings."""

from __future__ import annotations

from typing import Literal, TypeVar

import msgspec

from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.money import Hundredths

RewardType = Literal["percentage_discount", "fixed_discount"]
DiscountType = Literal["percentage", "fixed"]
RewardEvent = Literal["signup", "first_purchase"]

SMALLEST_REWARD = Hundredths(1)
WHOLE_PERCENTAGE = Hundredths(100_00)

T = TypeVar("T", bound="TierTerms")


class TierTerms(msgspec.Struct, frozen=True):
    """What the store owner decides about a tier."""

    name: str
    description: str | None
    referrals_required: int
    reward_type: RewardType
    reward_value: Hundredths
    reward_currency: str | None
    coupon_validity_days: int
    is_active: bool
    sort_order: int


class Tier(TierTerms, frozen=True):
    """A reward that customers unlock by referring others."""

    id: int
    claims_count: int
    created_at: Instant
    updated_at: Instant


class ReferralSettings(msgspec.Struct, frozen=True):
    """How the program works; the defaults are those of a new store."""

    referral_enabled: bool = True
    referral_reward_event: RewardEvent = "first_purchase"
    referral_welcome_discount_enabled: bool = False
    referral_welcome_discount_type: DiscountType = "percentage"
    referral_welcome_discount_value: Hundredths = Hundredths(10_00)


def settled(terms: T, store_currency: str) -> T:
    """The terms with their currency settled; refuses a reward that gives away more than everything."""
    if terms.reward_type == "fixed_discount":
        return msgspec.structs.replace(terms, reward_currency=terms.reward_currency or store_currency)
    if terms.reward_value > WHOLE_PERCENTAGE:
        raise invalid("reward_value", "The reward value field must not be greater than 100 for a percentage discount.")
    return msgspec.structs.replace(terms, reward_currency=None)


def checked(settings: ReferralSettings) -> ReferralSettings:
    """The settings, or the reason why they cannot hold together."""
    is_percentage = settings.referral_welcome_discount_type == "percentage"
    if is_percentage and settings.referral_welcome_discount_value > WHOLE_PERCENTAGE:
        raise invalid(
            "referral_welcome_discount_value",
            "The referral welcome discount value field must not be greater than 100 for a percentage.",
        )
    return settings
