"""Operations on reward tiers: managing them, and claiming them."""

from __future__ import annotations

from typing import Any

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain import referrals as referrals_rules
from lootkeep.domain.coupons import Coupon, of_tier
from lootkeep.domain.referrals import SETTINGS, Claim, ReferralSettings, Tier, TierTerms
from lootkeep.kernel.errors import NotFound, existing
from lootkeep.storage import (
    claims as claims_db,
    coupons as coupons_db,
    customers as customers_db,
    referrals as referrals_db,
    settings as settings_db,
    tiers as tiers_db,
)

_NO_TIER = "Referral tier"


async def create_tier(deps: Deps, terms: TierTerms) -> Tier:
    terms = referrals_rules.settled(terms, deps.currency)
    async with deps.db.write(single=True) as tx:
        return await tiers_db.add_tier(tx, terms, deps.clock.now())


async def change_tier(deps: Deps, tier_id: int, changes: dict[str, Any]) -> Tier:
    async with deps.db.write() as tx:
        tier = existing(await tiers_db.get_for_update(tx, tier_id), _NO_TIER)
        changed = referrals_rules.settled(msgspec.structs.replace(tier, **changes), deps.currency)
        if changed == tier:
            return tier
        return await tiers_db.set_terms(tx, changed, deps.clock.now())


async def delete_tier(deps: Deps, tier_id: int) -> bool:
    """True if the tier was deleted; False if it has claims, and so was only deactivated."""
    async with deps.db.write() as tx:
        if await tiers_db.remove_unclaimed_tier(tx, tier_id):
            return True
        if not await tiers_db.deactivate_tier(tx, tier_id, deps.clock.now()):
            raise NotFound(_NO_TIER)
        return False


async def toggle_tier(deps: Deps, tier_id: int) -> Tier:
    async with deps.db.write(single=True) as tx:
        tier = await tiers_db.toggle_tier(tx, tier_id, deps.clock.now())
    return existing(tier, _NO_TIER)


async def claim(deps: Deps, customer_id: int, tier_id: int) -> tuple[Claim, Coupon, bool]:
    """The claim with its coupon, and whether it is new: claiming again returns the same coupon."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        existing(await customers_db.get(tx, customer_id), "Customer")
        # Locked first: two concurrent claims of one customer run one after the other.
        referrer = await referrals_db.get_referrer_for_update(tx, customer_id)
        tier = existing(await tiers_db.get_for_update(tx, tier_id), _NO_TIER)
        earlier = await claims_db.get(tx, customer_id, tier_id)
        if earlier:
            return *earlier, False
        settings = await settings_db.get(tx, SETTINGS, ReferralSettings)
        referrals_rules.require_reached(tier, referrer.counted(settings.referral_reward_event))
        coupon = await coupons_db.add(tx, f"REF-{deps.ids.code()}", customer_id, of_tier(tier, now), now)
        claim_id = await claims_db.add(tx, customer_id, tier_id, coupon.id, now)
        await tiers_db.add_claim(tx, tier_id)
        await referrals_db.add_claim(tx, customer_id)
    return claim_id, coupon, True
