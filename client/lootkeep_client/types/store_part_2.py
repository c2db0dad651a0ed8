"""What `store_part_2` has; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from lootkeep_client.types.store import OwnClaim


class TierProgress(TypedDict):
    id: int
    name: str
    description: str | None
    formatted_reward: str
    referrals_required: int
    referrals_missing: int
    is_reached: bool
    is_claimed: bool


class CustomerReferrals(TypedDict):
    referral_code: str
    total_referrals: int
    successful_referrals: int
    counted_referrals: int
    tiers: Sequence[TierProgress]
    claims: Sequence[OwnClaim]
