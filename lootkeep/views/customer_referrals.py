"""The referral program as one customer sees it: their code, progress towards tiers, and claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from lootkeep.domain.coupons import Coupon
from lootkeep.domain.customers import Customer
from lootkeep.domain.referrals import Claim, Referrer, RewardEvent, Tier
from lootkeep.kernel.clock import utc
from lootkeep.views.customers import CouponView, coupon as coupon_view
from lootkeep.views.fields import Time, field
from lootkeep.views.mapping import view_of
from lootkeep.views.tiers import formatted_reward


class TierProgressView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the tier.", 3)]
    name: Annotated[str, field("What customers see.", "Bronze")]
    description: Annotated[str | None, field("The description of the tier.", None)]
    formatted_reward: Annotated[str, field("The reward as text.", "10% off")]
    referrals_required: Annotated[int, field("Referrals needed to unlock the tier.", 5)]
    referrals_missing: Annotated[int, field("How many referrals are missing.", 2)]
    is_reached: Annotated[bool, field("Whether the tier is reached.", False)]
    is_claimed: Annotated[bool, field("Whether it was claimed.", False)]


class OwnClaimView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the claim.", 5)]
    tier_id: Annotated[int, field("The claimed tier.", 3)]
    coupon: CouponView
    claimed_at: Time


class CustomerReferralsView(msgspec.Struct, frozen=True):
    referral_code: Annotated[str, field("The customer's own referral code.", "K7WQ2M9X")]
    total_referrals: Annotated[int, field("All customers who registered with the code.", 4)]
    successful_referrals: Annotated[int, field("Those with a purchase.", 3)]
    counted_referrals: Annotated[int, field("Those that currently count towards tiers.", 3)]
    tiers: list[TierProgressView]
    claims: list[OwnClaimView]


_PROGRESS = view_of(TierProgressView, Tier, "formatted_reward", "referrals_missing", "is_reached", "is_claimed")


def progress(
    customer: Customer,
    referrer: Referrer,
    event: RewardEvent,
    tiers: Sequence[Tier],
    claims: Sequence[tuple[Claim, Coupon]],
) -> CustomerReferralsView:
    """Active tiers, and those that were claimed before they were deactivated."""
    counted = referrer.counted(event)
    claimed = {claim.tier_id for claim, _ in claims}
    return CustomerReferralsView(
        referral_code=customer.referral_code,
        total_referrals=referrer.total_referrals,
        successful_referrals=referrer.successful_referrals,
        counted_referrals=counted,
        tiers=[_tier(tier, counted, tier.id in claimed) for tier in tiers if tier.is_active or tier.id in claimed],
        claims=[claim_with_coupon(claim, coupon) for claim, coupon in claims],
    )


def claim_with_coupon(claim: Claim, coupon: Coupon) -> OwnClaimView:
    return OwnClaimView(claim.id, claim.tier_id, coupon_view(coupon), utc(claim.claimed_at))


def _tier(tier: Tier, counted: int, is_claimed: bool) -> TierProgressView:
    return _PROGRESS(
        tier,
        formatted_reward=formatted_reward(tier),
        referrals_missing=max(0, tier.referrals_required - counted),
        is_reached=counted >= tier.referrals_required,
        is_claimed=is_claimed,
    )
