"""The tax of paid orders, by country and one by one."""

from __future__ import annotations

from sqlalchemy import BigInteger, and_, bindparam, case, cast, func, or_, select

from lootkeep.domain.taxes import MAX_ORDERS, TaxedOrder, TaxSum
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import fraud_checks, orders
from lootkeep.storage.schema.fraud import IS_LATEST

_PAID = (orders.c.paid_at >= bindparam("start"), orders.c.paid_at < bindparam("end"))
_BILLING, _IP, _CARD = orders.c.billing_country, fraud_checks.c.detected_country, orders.c.payment_country
_REPORTED = func.coalesce(orders.c.tax_total, 0)
# In proportion to what was refunded; halves are rounded up.
_REFUNDED = case(
    (orders.c.total == 0, 0),
    else_=(2 * _REPORTED * orders.c.refunded_total + orders.c.total) // (2 * func.nullif(orders.c.total, 0)),
)
_TAX = _REPORTED - _REFUNDED
_CONTRADICTS = or_(_BILLING != _IP, _BILLING != _CARD, _IP != _CARD)
_WITH_CHECK = orders.outerjoin(fraud_checks, and_(fraud_checks.c.order_id == orders.c.id, IS_LATEST))

_SUMS = Query(
    select(
        orders.c.tax_country.label("country"),
        orders.c.currency,
        func.count().label("orders_count"),
        cast(func.sum(orders.c.total - orders.c.refunded_total), BigInteger).label("gross"),
        cast(func.sum(_TAX), BigInteger).label("tax"),
        cast(func.sum(case((_CONTRADICTS, 1), else_=0)), BigInteger).label("contradictions"),
    )
    .select_from(_WITH_CHECK)
    .where(*_PAID)
    .group_by(orders.c.tax_country, orders.c.currency),
    TaxSum,
)
_orders = (
    select(
        *(orders.c[name] for name in ("id", "paid_at", "currency", "total", "refunded_total", "tax_total", "tax_rate")),
        cast(_TAX, BigInteger).label("tax"),
        *(orders.c.tax_country, _BILLING, _IP.label("ip_country"), _CARD.label("card_country")),
    )
    .select_from(_WITH_CHECK)
    .where(*_PAID)
)
_ORDERS = Query(_orders.order_by(orders.c.paid_at, orders.c.id).limit(MAX_ORDERS + 1), TaxedOrder)
_CONTRADICTING = Query(
    _orders.where(_CONTRADICTS).order_by(orders.c.paid_at.desc(), orders.c.id.desc()).limit(bindparam("size")),
    TaxedOrder,
)


async def sums(tx: Transaction, start: Instant, end: Instant) -> list[TaxSum]:
    """By country, those without one last."""
    rows = await tx.all(_SUMS, start=start, end=end)
    return sorted(rows, key=lambda row: (row.country is None, row.country or "", row.currency))


async def orders_of(tx: Transaction, start: Instant, end: Instant) -> list[TaxedOrder]:
    """In the order of their payments, one more than a file may have if there are too many."""
    return await tx.all(_ORDERS, start=start, end=end)


async def contradicting(tx: Transaction, start: Instant, end: Instant, size: int) -> list[TaxedOrder]:
    """The newest orders whose countries differ."""
    return await tx.all(_CONTRADICTING, start=start, end=end, size=size)
