"""Reward claims: once per customer and tier."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select

from lootkeep.domain.coupons import Coupon
from lootkeep.domain.referrals import Claim
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import coupons, reward_claims as claims

ROWS = Rows(claims, Claim, totals="claims")

_CLAIM = columns_of(claims, Claim)
_WITH_COUPON = (
    select(*_CLAIM, *columns_of(coupons, Coupon))
    .join(coupons, coupons.c.id == claims.c.coupon_id)
    .where(claims.c.customer_id == bindparam("customer"))
)

_GET = Query(_WITH_COUPON.where(claims.c.tier_id == bindparam("tier")))
_OF_CUSTOMER = Query(_WITH_COUPON.order_by(claims.c.id))


async def get(tx: Transaction, customer_id: int, tier_id: int) -> tuple[Claim, Coupon] | None:
    row = await tx.one(_GET, customer=customer_id, tier=tier_id)
    return _pair(row) if row else None


async def of_customer(tx: Transaction, customer_id: int) -> list[tuple[Claim, Coupon]]:
    return [_pair(row) for row in await tx.all(_OF_CUSTOMER, customer=customer_id)]


def _pair(row: tuple[Any, ...]) -> tuple[Claim, Coupon]:
    return Claim(*row[: len(_CLAIM)]), Coupon(*row[len(_CLAIM) :])
