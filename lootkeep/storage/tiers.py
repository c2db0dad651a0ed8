"""Referral tiers."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import bindparam, delete, insert, not_, select, update

from lootkeep.domain.referrals import Tier, TierTerms
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import referral_tiers as tiers

_TIER = [tiers.c[name] for name in Tier.__struct_fields__]
_TERMS: dict[str, Any] = {name: bindparam(name) for name in TierTerms.__struct_fields__}
_THIS = tiers.c.id == bindparam("tier_id")

_ALL = Query(select(*_TIER).order_by(tiers.c.sort_order, tiers.c.referrals_required, tiers.c.id), Tier)
_LOCK = Query(select(*_TIER).where(_THIS).with_for_update(), Tier)
_GET = Query(select(*_TIER).where(_THIS), Tier)
_ADD_CLAIM = Query(update(tiers).where(_THIS).values(claims_count=tiers.c.claims_count + 1))
_ADD = Query(insert(tiers).values(**_TERMS, claims_count=0, created_at=bindparam("now"), updated_at=bindparam("now")))
_SET = Query(update(tiers).where(_THIS).values(**_TERMS, updated_at=bindparam("now")).returning(*_TIER), Tier)
_TOGGLE = Query(
    update(tiers).where(_THIS).values(is_active=not_(tiers.c.is_active), updated_at=bindparam("now")).returning(*_TIER),
    Tier,
)
_DEACTIVATE = Query(
    update(tiers).where(_THIS).values(is_active=False, updated_at=bindparam("now")).returning(tiers.c.id)
)
_REMOVE_UNCLAIMED = Query(delete(tiers).where(_THIS, tiers.c.claims_count == 0).returning(tiers.c.id))


async def all_tiers(tx: Transaction) -> list[Tier]:
    return await tx.all(_ALL)


async def get_for_update(tx: Transaction, tier_id: int) -> Tier | None:
    return await tx.one(_LOCK, tier_id=tier_id)


async def get(tx: Transaction, tier_id: int) -> Tier | None:
    return await tx.one(_GET, tier_id=tier_id)


async def add_claim(tx: Transaction, tier_id: int) -> None:
    await tx.run(_ADD_CLAIM, tier_id=tier_id)


async def add_tier(tx: Transaction, terms: TierTerms, now: Instant) -> Tier:
    values = _values(terms)
    (tier_id,) = await tx.insert(_ADD, [values | {"now": now}])
    return Tier(**values, id=tier_id, claims_count=0, created_at=now, updated_at=now)


async def set_terms(tx: Transaction, tier: Tier, now: Instant) -> Tier:
    (changed,) = await tx.all(_SET, **_values(tier), tier_id=tier.id, now=now)
    return changed


async def toggle_tier(tx: Transaction, tier_id: int, now: Instant) -> Tier | None:
    return await tx.one(_TOGGLE, tier_id=tier_id, now=now)


async def deactivate_tier(tx: Transaction, tier_id: int, now: Instant) -> bool:
    return await tx.one(_DEACTIVATE, tier_id=tier_id, now=now) is not None


async def remove_unclaimed_tier(tx: Transaction, tier_id: int) -> bool:
    """False if there is no such tier, or if it has claims."""
    return await tx.one(_REMOVE_UNCLAIMED, tier_id=tier_id) is not None


def _values(terms: TierTerms) -> dict[str, Any]:
    values = msgspec.structs.asdict(terms)
    return {name: values[name] for name in _TERMS}
