"""Coupons."""

from __future__ import annotations

from sqlalchemy import bindparam, select, update

from lootkeep.domain.coupons import Coupon
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import coupons

ROWS = Rows(coupons, Coupon)

_THIS = coupons.c.id == bindparam("coupon")
_COUPON = columns_of(coupons, Coupon)
_BY_CODE = Query(select(*_COUPON).where(coupons.c.code == bindparam("code")).with_for_update(), Coupon)
_RESERVE = Query(
    update(coupons)
    .where(_THIS, coupons.c.status == "available", coupons.c.expires_at > bindparam("now"))
    .values(status="reserved", order_id=bindparam("order"), discount_given=bindparam("discount"))
    .returning(coupons.c.id)
)
_USE = Query(
    update(coupons).where(_THIS, coupons.c.status == "reserved").values(status="used").returning(*_COUPON), Coupon
)
_RELEASE = Query(
    update(coupons)
    .where(_THIS, coupons.c.status == "reserved")
    .values(status="available", order_id=None, discount_given=0)
)


async def get_by_code_for_update(tx: Transaction, code: str) -> Coupon | None:
    return await tx.one(_BY_CODE, code=code)


async def reserve(tx: Transaction, coupon_id: int, order_id: int, discount: int, now: Instant) -> bool:
    """False if another order was faster."""
    return await tx.one(_RESERVE, coupon=coupon_id, order=order_id, discount=discount, now=now) is not None


async def use(tx: Transaction, coupon_id: int) -> Coupon | None:
    return await tx.one(_USE, coupon=coupon_id)


async def release(tx: Transaction, coupon_id: int) -> None:
    await tx.run(_RELEASE, coupon=coupon_id)
