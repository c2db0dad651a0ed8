"""Coupons."""

from __future__ import annotations

from sqlalchemy import bindparam, update

from lootkeep.domain.coupons import Coupon
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import coupons

ROWS = Rows(coupons, Coupon)

_THIS = coupons.c.id == bindparam("coupon")
_RESERVE = Query(
    update(coupons)
    .where(_THIS, coupons.c.status == "available", coupons.c.expires_at > bindparam("now"))
    .values(status="reserved", order_id=bindparam("order"), discount_given=bindparam("discount"))
    .returning(coupons.c.id)
)
_USE = Query(
    update(coupons)
    .where(_THIS, coupons.c.status == "reserved")
    .values(status="used")
    .returning(*columns_of(coupons, Coupon)),
    Coupon,
)
_RELEASE = Query(
    update(coupons)
    .where(_THIS, coupons.c.status == "reserved")
    .values(status="available", order_id=None, discount_given=0)
)


async def reserve(
    tx: Transaction, coupon_id: int, order_id: int, discount: int, now: Instant, error: Exception
) -> None:
    """Fails with the error if another order was faster."""
    await tx.require(_RESERVE, error, coupon=coupon_id, order=order_id, discount=discount, now=now)


async def use(tx: Transaction, coupon_id: int) -> Coupon | None:
    return await tx.one(_USE, coupon=coupon_id)


async def release(tx: Transaction, coupon_id: int) -> None:
    await tx.run(_RELEASE, coupon=coupon_id)
