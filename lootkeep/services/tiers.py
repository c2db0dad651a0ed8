"""Deeds on reward tiers: managing them, and claiming them."""

from __future__ import annotations

from typing import Any

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain import referrals
from lootkeep.domain.coupons import Coupon, of_tier
from lootkeep.domain.referrals import SETTINGS, Claim, ReferralSettings, Tier, TierTerms
from lootkeep.kernel.errors import NotFound, existing
from lootkeep.storage import claims, coupons, customers
from lootkeep.storage import referrals as stored_referrals
from lootkeep.storage import settings as stored_settings
from lootkeep.storage import tiers as storage
from lootkeep.storage.totals.changes import Changes

_NO_TIER = "Referral tier"


async def create_tier(deps: Deps, terms: TierTerms) -> Tier:
    terms = referrals.settled(terms, deps.currency)
    async with deps.db.write(single=True) as tx:
        return await storage.add_tier(tx, terms, deps.clock.now())


async def change_tier(deps: Deps, tier_id: int, changes: dict[str, Any]) -> Tier:
    async with deps.db.write() as tx:
        tier = existing(await storage.tier_for_change(tx, tier_id), _NO_TIER)
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
    async with deps.db.write(single=True) as tx:
        tier = await storage.toggle_tier(tx, tier_id, deps.clock.now())
    return existing(tier, _NO_TIER)


async def claim(deps: Deps, customer_id: int, tier_id: int) -> tuple[Claim, Coupon, bool]:
    """The claim with its coupon, and whether it is new: claiming again gives the same coupon."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        existing(await customers.get(tx, customer_id), "Customer")
        # Held first: two claims of one customer at once come one after the other.
        referrer = await stored_referrals.referrer_for_change(tx, customer_id)
        tier = existing(await storage.tier_for_change(tx, tier_id), _NO_TIER)
        earlier = await claims.get(tx, customer_id, tier_id)
        if earlier:
            return *earlier, False
        settings = await stored_settings.get(tx, SETTINGS, ReferralSettings)
        referrals.require_reached(tier, referrer.counted(settings.referral_reward_event))
        coupon = await coupons.add(tx, f"REF-{deps.ids.code()}", customer_id, of_tier(tier, now), now)
        changes = Changes(spread=customer_id)
        made = await claims.add(tx, customer_id, tier_id, coupon.id, now, changes)
        await storage.add_claim(tx, tier_id)
        await stored_referrals.add_claim(tx, customer_id)
        await changes.apply(tx)
    return made, coupon, True
