"""Coupons, their lists, and the orders that use them."""

from __future__ import annotations

from sqlalchemy import BigInteger, bindparam, case, cast, func, not_, or_, select, update

from lootkeep.domain.coupon_uses import CouponUse, SharedTrace
from lootkeep.domain.coupons import Coupon
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import contains, contains_short, equals, within
from lootkeep.storage.lists import Counted, Listing, Sort, Values
from lootkeep.storage.queue import MAX_COUNTED
from lootkeep.storage.rows import Rows
from lootkeep.storage.schema import coupons, customers, orders, sightings

ROWS = Rows(coupons, Coupon, derived=("search_text", "next_state_at"), totals="coupons", key_share=True)

# Bounded: one batch never holds the write lock for long.
_BATCH = 500
_ORIGINS = ("tier", "welcome", "owner", "creator")
_THIS = coupons.c.id == bindparam("coupon")
_TAKEN = coupons.c.uses_count + coupons.c.reserved_count
_IS_ACTIVE = coupons.c.stored_state == "active"
_RESERVE = Query(
    update(coupons)
    .where(
        _THIS,
        coupons.c.code == bindparam("of_code"),
        or_(coupons.c.max_uses.is_(None), coupons.c.max_uses > _TAKEN),
    )
    .values(
        reserved_count=coupons.c.reserved_count + 1,
        stored_state=case((_IS_ACTIVE & (coupons.c.max_uses <= _TAKEN + 1), "used_up"), else_=coupons.c.stored_state),
    )
    .returning(coupons.c.id)
)
_USE = Query(
    update(coupons)
    .where(_THIS)
    .values(uses_count=coupons.c.uses_count + 1, reserved_count=coupons.c.reserved_count - 1)
)
_RELEASE = Query(
    update(coupons)
    .where(_THIS)
    .values(
        reserved_count=coupons.c.reserved_count - 1,
        stored_state=case((coupons.c.stored_state == "used_up", "active"), else_=coupons.c.stored_state),
    )
)
_IS_HELD = orders.c.status != "cancelled"
# By the customer, who has few orders; the coupon may have many.
_OWN_USES = Query(
    select(func.count()).where(
        orders.c.customer_id == bindparam("customer"), orders.c.coupon_id == bindparam("coupon"), _IS_HELD
    )
)
# Without those that were ordered at the full price: who comes back to a cart with a code may still use it.
_FIRST_ORDER = Query(
    select(orders.c.id)
    .join(coupons, coupons.c.id == orders.c.coupon_id)
    .where(orders.c.customer_id == bindparam("customer"), _IS_HELD, coupons.c.first_order_only)
    .limit(1)
)
_FORGET = Query(update(orders).where(orders.c.coupon_code == bindparam("code")).values(coupon_id=None))
_SUMS = Query(
    select(
        orders.c.currency,
        func.count(),
        cast(func.sum(orders.c.total - orders.c.refunded_total), BigInteger),
        cast(func.sum(orders.c.discount_total), BigInteger),
    )
    .where(orders.c.coupon_code == bindparam("code"), orders.c.paid_at.is_not(None))
    .group_by(orders.c.currency)
    .order_by(orders.c.currency)
)


# As `domain.coupons.state` and `next_state_at` say.
_NOW = bindparam("now", type_=BigInteger)
_is_scheduled, _is_expired = coupons.c.starts_at > _NOW, coupons.c.ends_at <= _NOW
_state = case(
    (_is_scheduled, "scheduled"),
    (_is_expired, "expired"),
    (not_(coupons.c.is_active), "inactive"),
    (coupons.c.max_uses <= _TAKEN, "used_up"),
    else_="active",
)
_DUE = select(coupons.c.id).where(coupons.c.next_state_at <= _NOW)
_ANY_DUE = Query(_DUE.limit(1))
# One that is locked is being changed by someone who waits for nobody: it is settled the next time.
_FREE = _DUE.order_by(coupons.c.id).limit(_BATCH).with_for_update(skip_locked=True, key_share=True)
_SETTLE = Query(
    update(coupons)
    .where(coupons.c.id.in_(_FREE))
    .values(
        stored_state=_state,
        next_state_at=case((_is_scheduled, coupons.c.starts_at), (_is_expired, None), else_=coupons.c.ends_at),
    )
    .returning(coupons.c.id)
)


def _counters(values: Values) -> list[str]:
    return [f"coupons.{origin}" for origin in _ORIGINS if values.get("origin", origin) == origin]


LISTING = Listing(
    coupons,
    Coupon,
    {
        "batch": equals(coupons.c.batch, "batch"),
        "search": contains(coupons.c.search_text),
        "search_short": contains_short(coupons.c.search_text),
        # Its index has the origin, too.
        "state": equals(coupons.c.stored_state, "state"),
        "origin": equals(coupons.c.origin, "origin"),
        **within(coupons.c.created_at),
    },
    {"created_at": Sort(coupons.c.created_at), "id": Sort(coupons.c.id), "uses_count": Sort(coupons.c.uses_count)},
    Counted(_counters, {"origin"}),
    max_counted=MAX_COUNTED,
)
USES = Listing(
    orders,
    CouponUse,
    {"coupon_code": equals(orders.c.coupon_code, "coupon_code")},
    {"created_at": Sort(orders.c.created_at)},
    always=(_IS_HELD,),
    columns=(
        orders.c.id.label("order_id"),
        orders.c.customer_id,
        orders.c.discount_total.label("discount"),
        orders.c.total,
        orders.c.currency,
        orders.c.paid_at,
        orders.c.created_at,
    ),
)


# Of buyers who used it: what two accounts have in common. Households share addresses, so these say nothing.
_buyers = select(orders.c.customer_id).where(orders.c.coupon_code == bindparam("code"), _IS_HELD)
_shared = (
    select(sightings.c.kind, sightings.c.value)
    .where(sightings.c.customer_id.in_(_buyers), sightings.c.kind != "address")
    .group_by(sightings.c.kind, sightings.c.value)
    .having(func.count() > 1)
    .subquery()
)
_SHARED = Query(
    select(_shared.c.kind, _shared.c.value, customers.c.id.label("customer_id"), customers.c.name)
    .select_from(_shared)
    .join(sightings, (sightings.c.kind == _shared.c.kind) & (sightings.c.value == _shared.c.value))
    .join(customers, customers.c.id == sightings.c.customer_id)
    .where(sightings.c.customer_id.in_(_buyers))
    .order_by(_shared.c.kind, _shared.c.value, customers.c.id)
    .limit(100),
    SharedTrace,
)


async def reserve(tx: Transaction, coupon: Coupon, error: Exception) -> None:
    """Fails with the error if the last use was taken since the coupon was read, or it was deleted.

    Holds the coupon until the transaction ends.
    """
    await tx.require(_RESERVE, error, coupon=coupon.id, of_code=coupon.code)


async def use(tx: Transaction, coupon_id: int) -> None:
    await tx.run(_USE, coupon=coupon_id)


async def release(tx: Transaction, coupon_id: int) -> None:
    await tx.run(_RELEASE, coupon=coupon_id)


async def are_due(tx: Transaction, now: Instant) -> bool:
    return bool(await tx.all(_ANY_DUE, now=now))


async def settle(tx: Transaction, now: Instant) -> bool:
    """Updates some of the states that time has changed, and says whether there may be more."""
    return len(await tx.all(_SETTLE, now=now)) == _BATCH


async def own_uses(tx: Transaction, coupon_id: int, customer_id: int) -> int:
    """The orders of a customer that reserve or have used it."""
    ((count,),) = await tx.all(_OWN_USES, coupon=coupon_id, customer=customer_id)
    return int(count)


async def has_first_order(tx: Transaction, customer_id: int) -> bool:
    """Whether an order of the customer reserves or has used any coupon for the first order."""
    return await tx.one(_FIRST_ORDER, customer=customer_id) is not None


async def forget(tx: Transaction, coupon: Coupon) -> None:
    """Cancelled orders, which keep its code, no longer refer to it."""
    await tx.run(_FORGET, code=coupon.code)


async def sums(tx: Transaction, coupon: Coupon) -> list[tuple[str, int, int, int]]:
    """By currency: paid orders, what they brought after refunds, and the discounts."""
    return [(row[0], row[1], row[2], row[3]) for row in await tx.all(_SUMS, code=coupon.code)]


async def shared_traces(tx: Transaction, coupon: Coupon) -> list[SharedTrace]:
    """The first hundred accounts that used it and have a trace in common with another that did."""
    return await tx.all(_SHARED, code=coupon.code)
