"""What `store_part_2` has; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

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


class OwnedGood(TypedDict):
    item_id: int
    product_id: int
    kind: Literal["command", "file", "gift_card", "key", "manual"]
    state: Literal["delivered", "expired", "failed", "replaced", "revoked", "waiting"]
    masked: str | None
    delivered_at: str | None
    revealed_at: str | None
    expires_at: str | None
    order_id: int
