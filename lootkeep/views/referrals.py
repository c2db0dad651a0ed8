"""The referral program in public: referrals, figures, rankings, codes, claims and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from lootkeep.domain.customers import Customer
from lootkeep.domain.referral_abuse import SENTENCES
from lootkeep.domain.referrals import (
    AbuseReason,
    ClaimEntry,
    DiscountType,
    ReferralEntry,
    ReferralSettings,
    ReferralStatus,
    RefusedEntry,
    RewardEvent,
    TopReferrer,
)
from lootkeep.kernel.clock import utc
from lootkeep.kernel.money import Hundredths
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of
from lootkeep.views.money import number

INVALID_CODE = "Invalid referral code"

CustomerId = Annotated[int, field("Identifies the customer.", 12)]
CustomerName = Annotated[str, field("The customer's name.", "Mira Okafor")]
CustomerEmail = Annotated[str, field("The customer's e-mail address.", "mira@example.com")]
Code = Annotated[str, field("The referrer's code.", "K7WQ2M9X")]


class ReferrerView(msgspec.Struct, frozen=True):
    id: CustomerId
    name: CustomerName
    email: CustomerEmail
    referral_code: Code


class ReferralView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the referred customer.", 31)]
    name: Annotated[str, field("The referred customer's name.", "Jun Park")]
    email: Annotated[str, field("The referred customer's e-mail address.", "jun@example.com")]
    referred_at: Time
    referrer: ReferrerView
    status: Annotated[ReferralStatus, field("`successful` once there is a paid order.", "successful")]
    first_order_at: Annotated[Moment | None, field("When the first order was paid.", "2026-11-16T08:00:00Z")]


class StatisticsView(msgspec.Struct, frozen=True):
    total_referrals: Annotated[int, field("All referred customers.", 250)]
    successful_referrals: Annotated[int, field("Those with a purchase.", 100)]
    conversion_rate: Annotated[int | float, field("Percentage of referrals that converted.", 40.0)]
    rewards_claimed: Annotated[int, field("The number of claims.", 18)]
    total_coupons_value: Annotated[
        int | float,
        field("The sum of discounts from used referral coupons in the store's currency.", 412.5),
    ]


class LeaderboardView(msgspec.Struct, frozen=True):
    id: CustomerId
    name: CustomerName
    referral_count: Annotated[int, field("Referrals that count.", 23)]


class TopReferrerView(msgspec.Struct, frozen=True):
    id: CustomerId
    name: CustomerName
    email: CustomerEmail
    referral_code: Code
    total_referrals: Annotated[int, field("All customers who registered with the code.", 30)]
    successful_referrals: Annotated[int, field("Those with a purchase.", 23)]
    rewards_claimed: Annotated[int, field("The claimed tiers.", 2)]


class CodeOwnerView(msgspec.Struct, frozen=True):
    id: CustomerId
    name: CustomerName


class CodeValidationView(msgspec.Struct, frozen=True):
    valid: Annotated[bool, field("Whether the code can be used now.", True)]
    referrer: CodeOwnerView | UnsetType = UNSET
    error: Annotated[str, field("Only present if the code is not valid.", INVALID_CODE)] | UnsetType = UNSET


class ClaimCustomerView(msgspec.Struct, frozen=True):
    id: CustomerId
    name: CustomerName
    email: CustomerEmail


class ClaimTierView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the tier.", 3)]
    name: Annotated[str, field("What customers see.", "Bronze")]
    referrals_required: Annotated[int, field("Referrals needed to unlock the tier.", 5)]


class ClaimCouponView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the coupon.", 7)]
    code: Annotated[str, field("What the customer types at checkout.", "REF-8KQ2WM7X")]
    times_used: Annotated[int, field("0 or 1: a coupon is used once.", 0)]


class ClaimView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the claim.", 5)]
    customer: ClaimCustomerView
    tier: ClaimTierView
    coupon: ClaimCouponView
    claimed_at: Time


class RefusedReferralView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the rejection.", 4)]
    customer: ClaimCustomerView
    referrer: ClaimCustomerView
    reason: Annotated[AbuseReason, field("A stable code.", "same_device")]
    explanation: Annotated[str, field("The reason as a sentence.", SENTENCES["same_device"])]
    created_at: Time


class ReferralSettingsView(msgspec.Struct, frozen=True):
    referral_enabled: Annotated[bool, field("Whether codes work and sign-ups are attributed.", True)]
    referral_reward_event: Annotated[RewardEvent, field("When a referral counts.", "first_purchase")]
    referral_welcome_discount_enabled: Annotated[
        bool, field("Whether a referred customer receives a coupon at sign-up.", False)
    ]
    referral_welcome_discount_type: Annotated[DiscountType, field("The type of the discount.", "percentage")]
    referral_welcome_discount_value: Annotated[int | float, field("Percent, or an amount in the store's currency.", 10)]


_REFERRAL = view_of(ReferralView, ReferralEntry, "referrer", id="customer_id")
_SETTINGS = view_of(ReferralSettingsView, ReferralSettings, "referral_welcome_discount_value")

top_referrer: Callable[[TopReferrer], TopReferrerView] = view_of(TopReferrerView, TopReferrer)


def referral(entry: ReferralEntry) -> ReferralView:
    referrer = ReferrerView(entry.referrer_id, entry.referrer_name, entry.referrer_email, entry.referral_code)
    return _REFERRAL(entry, referrer=referrer)


def statistics(referred: Mapping[str, int], claims: int, coupons_value: int) -> StatisticsView:
    """From the maintained totals: referrals by status, claims made, discounts given."""
    successful = referred.get("successful", 0)
    total = successful + referred.get("pending", 0)
    return StatisticsView(
        total_referrals=total,
        successful_referrals=successful,
        conversion_rate=round(successful * 100 / total, 2) if total else 0,
        rewards_claimed=claims,
        total_coupons_value=number(Hundredths(coupons_value)),
    )


def leaderboard_entry(referrer: TopReferrer, event: RewardEvent) -> LeaderboardView:
    counted = referrer.total_referrals if event == "signup" else referrer.successful_referrals
    return LeaderboardView(referrer.id, referrer.name, counted)


def code_validation(referrer: Customer | None) -> CodeValidationView:
    if referrer is None:
        return CodeValidationView(valid=False, error=INVALID_CODE)
    return CodeValidationView(valid=True, referrer=CodeOwnerView(referrer.id, referrer.name))


def claim_entry(entry: ClaimEntry) -> ClaimView:
    return ClaimView(
        id=entry.id,
        customer=ClaimCustomerView(entry.customer_id, entry.customer_name, entry.customer_email),
        tier=ClaimTierView(entry.tier_id, entry.tier_name, entry.referrals_required),
        coupon=ClaimCouponView(entry.coupon_id, entry.coupon_code, entry.coupon_uses_count),
        claimed_at=utc(entry.claimed_at),
    )


def refused_referral(entry: RefusedEntry) -> RefusedReferralView:
    return RefusedReferralView(
        id=entry.id,
        customer=ClaimCustomerView(entry.customer_id, entry.customer_name, entry.customer_email),
        referrer=ClaimCustomerView(entry.referrer_id, entry.referrer_name, entry.referrer_email),
        reason=entry.reason,
        explanation=SENTENCES[entry.reason],
        created_at=utc(entry.created_at),
    )


def settings(record: ReferralSettings) -> ReferralSettingsView:
    return _SETTINGS(record, referral_welcome_discount_value=number(record.referral_welcome_discount_value))
