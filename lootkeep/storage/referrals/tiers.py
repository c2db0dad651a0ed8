"""Referral tiers."""

from __future__ import annotations

from sqlalchemy import bindparam, select, update

from lootkeep.domain.referrals import Tier
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import referral_tiers as tiers

ROWS = Rows(tiers, Tier)

_ALL = Query(
    select(*columns_of(tiers, Tier)).order_by(tiers.c.sort_order, tiers.c.referrals_required, tiers.c.id), Tier
)
_ADD_CLAIM = Query(
    update(tiers).where(tiers.c.id == bindparam("tier_id")).values(claims_count=tiers.c.claims_count + 1)
)


async def all_tiers(tx: Transaction) -> list[Tier]:
    return await tx.all(_ALL)


async def add_claim(tx: Transaction, tier_id: int) -> None:
    await tx.run(_ADD_CLAIM, tier_id=tier_id)
