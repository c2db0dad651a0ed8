"""Deeds of the referral program: tiers and settings."""

from __future__ import annotations

from typing import Any

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain import referrals
from lootkeep.domain.referrals import ReferralSettings, Tier, TierTerms
from lootkeep.kernel.errors import NotFound
from lootkeep.storage import referrals as storage
from lootkeep.storage import settings as stored_settings

SETTINGS = "referrals"

_NO_TIER = "Referral tier"


async def create_tier(deps: Deps, terms: TierTerms) -> Tier:
    terms = referrals.settled(terms, deps.currency)
    async with deps.db.write() as tx:
        return await storage.add_tier(tx, terms, deps.clock.now())


async def change_tier(deps: Deps, tier_id: int, changes: dict[str, Any]) -> Tier:
    async with deps.db.write() as tx:
        tier = await storage.tier_for_change(tx, tier_id)
        if tier is None:
            raise NotFound(_NO_TIER)
        changed = referrals.settled(msgspec.structs.replace(tier, **changes), deps.currency)
        if changed == tier:
            return tier
        return await storage.set_terms(tx, changed, deps.clock.now())


async def delete_tier(deps: Deps, tier_id: int) -> bool:
    """True when the tier is gone; False when it has claims, and so was only deactivated."""
    async with deps.db.write() as tx:
        if await storage.remove_unclaimed_tier(tx, tier_id):
            return True
        if not await storage.deactivate_tier(tx, tier_id, deps.clock.now()):
            raise NotFound(_NO_TIER)
        return False


async def toggle_tier(deps: Deps, tier_id: int) -> Tier:
    async with deps.db.write() as tx:
        tier = await storage.toggle_tier(tx, tier_id, deps.clock.now())
    if tier is None:
        raise NotFound(_NO_TIER)
    return tier


async def change_settings(deps: Deps, changes: dict[str, Any]) -> ReferralSettings:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        current = await stored_settings.get_for_change(tx, SETTINGS, ReferralSettings, now)
        changed = referrals.checked(msgspec.structs.replace(current, **changes))
        if changed != current:
            await stored_settings.put(tx, SETTINGS, changed, now)
    return changed
