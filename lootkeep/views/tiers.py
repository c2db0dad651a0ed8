"""Reward tiers in public."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.referrals import RewardType, Tier, TierTerms
from lootkeep.views.fields import Time, field
from lootkeep.views.mapping import view_of
from lootkeep.views.money import in_words, percent


class TierView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the tier.", 3)]
    name: Annotated[str, field("What customers see.", "Bronze")]
    description: Annotated[str | None, field("The description of the tier.", "Five friends, ten percent.")]
    referrals_required: Annotated[int, field("Referrals needed to unlock the tier.", 5)]
    reward_type: Annotated[RewardType, field("The type of the reward.", "percentage_discount")]
    reward_value: Annotated[str, field("Percent, or an amount in `reward_currency`.", "10.00")]
    reward_currency: Annotated[str | None, field("Currency of a fixed discount; null for percentages.", None)]
    coupon_validity_days: Annotated[int, field("How long a claimed coupon is valid.", 30)]
    is_active: Annotated[bool, field("Only active tiers can be claimed.", True)]
    sort_order: Annotated[int, field("The position in the list, lowest first.", 0)]
    formatted_reward: Annotated[str, field("The reward as text.", "10% off")]
    claims_count: Annotated[int, field("The number of claims.", 12)]
    created_at: Time
    updated_at: Time


class ToggledTierView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the tier.", 3)]
    name: Annotated[str, field("What customers see.", "Bronze")]
    is_active: Annotated[bool, field("Whether the tier can be claimed now.", False)]
    formatted_reward: Annotated[str, field("The reward as text.", "10% off")]


_TIER = view_of(TierView, Tier, "formatted_reward")
_TOGGLED = view_of(ToggledTierView, Tier, "formatted_reward")


def tier(record: Tier) -> TierView:
    return _TIER(record, formatted_reward=formatted_reward(record))


def toggled_tier(record: Tier) -> ToggledTierView:
    return _TOGGLED(record, formatted_reward=formatted_reward(record))


def formatted_reward(terms: TierTerms) -> str:
    """`10% off`, `12.5% off`, `$5.00 off`."""
    if terms.reward_currency is None:
        return f"{percent(terms.reward_value)}% off"
    return f"{in_words(terms.reward_value, terms.reward_currency)} off"
