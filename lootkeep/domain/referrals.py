"""The referral program's records and rules: tiers and their rewards, referrals, claims and settings."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec

from lootkeep.domain.codes import require_whole
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Unprocessable, invalid
from lootkeep.kernel.money import Hundredths

RewardType = Literal["percentage_discount", "fixed_discount"]
DiscountType = Literal["percentage", "fixed"]
RewardEvent = Literal["signup", "first_purchase"]
AbuseReason = Literal["self_referral", "same_device", "circular_referral", "already_referred"]
ReferralStatus = Literal["pending", "successful"]

# The settings are stored under this name.
SETTINGS = "referrals"

MAX_DESCRIPTION_LENGTH = 1000
MAX_COUPON_VALIDITY_DAYS = 365
WHOLE_PERCENTAGE = Hundredths(100_00)
# What is wrong with a larger one, after the name of its field.
TOO_LARGE_REWARD = "must not be greater than 100 for a percentage discount"
TOO_LARGE_WELCOME = "must not be greater than 100 for a percentage"

_WELCOME_DISCOUNT = {"referral_welcome_discount_type", "referral_welcome_discount_value"}

T = TypeVar("T", bound="TierTerms")


class TierTerms(msgspec.Struct, frozen=True):
    """The fields of a tier that the store owner sets."""

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
    """The terms with their currency; rejects a discount of more than 100 %."""
    if terms.reward_type == "fixed_discount":
        currency = terms.reward_currency or store_currency
        require_whole(currency, reward_value=terms.reward_value)
        return msgspec.structs.replace(terms, reward_currency=currency)
    if terms.reward_value > WHOLE_PERCENTAGE:
        raise invalid("reward_value", f"The reward value field {TOO_LARGE_REWARD}.")
    return msgspec.structs.replace(terms, reward_currency=None)


def change(before: ReferralSettings, changes: dict[str, Any], store_currency: str) -> ReferralSettings:
    """The changed settings, or the reason why they are invalid.

    A discount that stays may have a fraction from before the store had its currency.
    """
    settings = msgspec.structs.replace(before, **changes)
    value = settings.referral_welcome_discount_value
    if settings.referral_welcome_discount_type == "fixed":
        if changes.keys() & _WELCOME_DISCOUNT:
            require_whole(store_currency, referral_welcome_discount_value=value)
    elif value > WHOLE_PERCENTAGE:
        name = "referral_welcome_discount_value"
        raise invalid(name, f"The referral welcome discount value field {TOO_LARGE_WELCOME}.")
    return settings


class Referral(msgspec.Struct, frozen=True):
    """A customer who registered with another's code."""

    customer_id: int
    referrer_id: int
    status: ReferralStatus
    referred_at: Instant
    first_order_at: Instant | None
    marks: str
    # Keyed hashes of what the customer registered with: a mailbox and a device are referred once.
    mailbox: str | None = None
    device: str | None = None

    def with_first_order(self, paid_at: Instant | None) -> Referral:
        """A referral is successful as long as an order of the customer counts."""
        status: ReferralStatus = "pending" if paid_at is None else "successful"
        return msgspec.structs.replace(self, status=status, first_order_at=paid_at)


class Referrer(msgspec.Struct, frozen=True):
    """A customer who referred others, with the maintained counts."""

    customer_id: int
    total_referrals: int
    successful_referrals: int
    rewards_claimed: int

    def counted(self, event: RewardEvent) -> int:
        """How many referrals count, according to the program's current setting."""
        return self.total_referrals if event == "signup" else self.successful_referrals


class Claim(msgspec.Struct, frozen=True):
    id: int
    customer_id: int
    tier_id: int
    coupon_id: int
    claimed_at: Instant


def require_reached(tier: Tier, counted: int) -> None:
    """A customer claims an active tier that the counted referrals have reached."""
    if not tier.is_active:
        raise Unprocessable("tier_inactive", f"The tier {tier.name} cannot be claimed right now.")
    if counted < tier.referrals_required:
        missing = tier.referrals_required - counted
        noun = "referral is" if missing == 1 else "referrals are"
        raise Unprocessable("tier_not_reached", f"{missing} more {noun} needed for the tier {tier.name}.")


class ReferralEntry(msgspec.Struct, frozen=True):
    """A referral as it is listed: the new customer, and the referrer."""

    customer_id: int
    name: str
    email: str
    referred_at: Instant
    status: ReferralStatus
    first_order_at: Instant | None
    referrer_id: int
    referrer_name: str
    referrer_email: str
    referral_code: str


class TopReferrer(msgspec.Struct, frozen=True):
    """A referrer as ranked, with the maintained counts."""

    id: int
    name: str
    email: str
    referral_code: str
    total_referrals: int
    successful_referrals: int
    rewards_claimed: int


class ClaimEntry(msgspec.Struct, frozen=True):
    """A claim as it is listed."""

    id: int
    claimed_at: Instant
    customer_id: int
    customer_name: str
    customer_email: str
    tier_id: int
    tier_name: str
    referrals_required: int
    coupon_id: int
    coupon_code: str
    coupon_uses_count: int
    coupon_reserved_count: int

    @property
    def coupon_status(self) -> str:
        return "used" if self.coupon_uses_count else "reserved" if self.coupon_reserved_count else "available"


class RefusedEntry(msgspec.Struct, frozen=True):
    """A rejected referral, for staff to review."""

    id: int
    reason: AbuseReason
    created_at: Instant
    customer_id: int
    customer_name: str
    customer_email: str
    referrer_id: int
    referrer_name: str
    referrer_email: str
