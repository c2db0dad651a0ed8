"""Operations on reward tiers: managing them, and claiming them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict, replace

from lootkeep.deps import Deps
from lootkeep.domain import referrals as referrals_rules
from lootkeep.domain.coupons import Coupon, issued, of_tier
from lootkeep.domain.customers import require_not_erased
from lootkeep.domain.referrals import SETTINGS, Claim, ReferralSettings, Tier, TierTerms
from lootkeep.kernel.errors import existing, invalid
from lootkeep.storage import coupons as coupons_db, settings as settings_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.referrals import claims as claims_db, rows as referrals_db, tiers as tiers_db

_NO_TIER = "Referral tier"


async def create_tier(deps: Deps, terms: TierTerms) -> Tier:
    terms = referrals_rules.settled(terms, deps.currency)
    now = deps.clock.now()
    async with deps.db.write(single=True) as tx:
        return await tiers_db.ROWS.add(tx, Tier(**asdict(terms), id=0, claims_count=0, created_at=now, updated_at=now))


async def change_tier(deps: Deps, tier_id: int, changes: dict[str, Any]) -> Tier:
    async with deps.db.write() as tx:
        tier = existing(await tiers_db.ROWS.lock(tx, tier_id), _NO_TIER)
        changed = referrals_rules.settled(replace(tier, **changes), deps.currency)
        if changed == tier:
            return tier
        return await tiers_db.ROWS.save(tx, tier, replace(changed, updated_at=deps.clock.now()))


async def delete_tier(deps: Deps, tier_id: int) -> bool:
    """True if the tier was deleted; False if it has claims, and so was only deactivated."""
    async with deps.db.write() as tx:
        # Locked as by a claim: none is made in between.
        tier = existing(await tiers_db.ROWS.lock(tx, tier_id), _NO_TIER)
        if tier.claims_count:
            await tiers_db.ROWS.save(tx, tier, replace(tier, is_active=False, updated_at=deps.clock.now()))
            return False
        await tiers_db.ROWS.remove(tx, tier)
        return True


async def toggle_tier(deps: Deps, tier_id: int) -> Tier:
    async with deps.db.write() as tx:
        tier = existing(await tiers_db.ROWS.lock(tx, tier_id), _NO_TIER)
        toggled = replace(tier, is_active=not tier.is_active, updated_at=deps.clock.now())
        return await tiers_db.ROWS.save(tx, tier, toggled)


async def claim(deps: Deps, customer_id: int, tier_id: int) -> tuple[Claim, Coupon, bool]:
    """The claim with its coupon, and whether it is new: claiming again returns the same coupon."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        require_not_erased(existing(await customers_db.ROWS.get(tx, customer_id), "Customer"))
        # Locked first: two concurrent claims of one customer run one after the other.
        referrer = await referrals_db.get_referrer_for_update(tx, customer_id)
        tier = await tiers_db.ROWS.lock(tx, tier_id)
        if tier is None:
            raise invalid("tier_id", "The tier id field is not a referral tier of this store.")
        earlier = await claims_db.get(tx, customer_id, tier_id)
        if earlier:
            return *earlier, False
        settings = await settings_db.get(tx, SETTINGS, ReferralSettings)
        referrals_rules.require_reached(tier, referrer.counted(settings.referral_reward_event))
        new = issued(of_tier(tier, now), "tier", f"REF-{deps.ids.code()}", now, customer_id=customer_id)
        coupon = await coupons_db.ROWS.add(tx, new)
        claimed = await claims_db.ROWS.add(tx, Claim(0, customer_id, tier_id, coupon.id, now))
        await tiers_db.add_claim(tx, tier_id)
        await referrals_db.add_claim(tx, customer_id)
    return claimed, coupon, True
