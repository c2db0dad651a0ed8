"""Reward claims: once per customer and tier."""

from __future__ import annotations

from sqlalchemy import bindparam, insert, select

from lootkeep.domain.referrals import Claim
from lootkeep.kernel.clock import Instant
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction
from lootkeep.storage.query import Query
from lootkeep.storage.tables import reward_claims as claims

_CLAIM = [claims.c[name] for name in Claim.__struct_fields__]

_GET = Query(
    select(*_CLAIM).where(claims.c.customer_id == bindparam("customer"), claims.c.tier_id == bindparam("tier")), Claim
)
_OF_CUSTOMER = Query(select(*_CLAIM).where(claims.c.customer_id == bindparam("customer")).order_by(claims.c.id), Claim)
_ADD = Query(
    insert(claims)
    .values(
        customer_id=bindparam("customer"),
        tier_id=bindparam("tier"),
        coupon_id=bindparam("coupon"),
        claimed_at=bindparam("now"),
    )
    .returning(*_CLAIM),
    Claim,
)


async def get(tx: Transaction, customer_id: int, tier_id: int) -> Claim | None:
    return await tx.one(_GET, customer=customer_id, tier=tier_id)


async def of_customer(tx: Transaction, customer_id: int) -> list[Claim]:
    return await tx.all(_OF_CUSTOMER, customer=customer_id)


async def add(tx: Transaction, customer_id: int, tier_id: int, coupon_id: int, now: Instant, changes: Changes) -> Claim:
    (claim,) = await tx.all(_ADD, customer=customer_id, tier=tier_id, coupon=coupon_id, now=now)
    changes.add("claims.made", 1)
    return claim
