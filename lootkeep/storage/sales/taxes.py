"""The tax of paid orders, by country and one by one."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, bindparam, cast, func, select

from lootkeep.domain.taxes import MAX_ORDERS, TaxedOrder, TaxSum
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import orders, sales_rollups as rollups
from lootkeep.storage.schema.orders import CONTRADICTS
from lootkeep.storage.totals.declared import TAX_LEFT
from lootkeep.storage.totals.total import DAYS

_PAID = (orders.c.paid_at >= bindparam("start"), orders.c.paid_at < bindparam("end"))


def _sum(column: Any) -> Any:
    return cast(func.sum(column), BigInteger)


_BY = (rollups.c.key, rollups.c.currency)
_SUMS = Query(
    select(
        rollups.c.key, rollups.c.currency, *(_sum(rollups.c[name]) for name in ("orders", "gross", "refunds", "tax"))
    )
    .where(
        rollups.c.dimension == "tax",
        rollups.c.level == DAYS,
        rollups.c.block >= bindparam("first"),
        rollups.c.block < bindparam("stop"),
    )
    .group_by(*_BY)
)
_CONTRADICTIONS = Query(
    select(orders.c.tax_country, orders.c.currency, func.count())
    .where(CONTRADICTS, *_PAID)
    .group_by(orders.c.tax_country, orders.c.currency)
)
_orders = select(
    *(orders.c[name] for name in ("id", "paid_at", "currency", "total", "refunded_total", "tax_total", "tax_rate")),
    cast(TAX_LEFT, BigInteger).label("tax"),
    *(orders.c.tax_country, orders.c.billing_country, orders.c.ip_country),
    orders.c.payment_country.label("card_country"),
).where(*_PAID)
_ORDERS = Query(_orders.order_by(orders.c.paid_at, orders.c.id).limit(MAX_ORDERS + 1), TaxedOrder)
_CONTRADICTING = Query(
    _orders.where(CONTRADICTS).order_by(orders.c.paid_at.desc(), orders.c.id.desc()).limit(bindparam("size")),
    TaxedOrder,
)


async def sums(tx: Transaction, start: Instant, end: Instant) -> list[TaxSum]:
    """By country, those without one last; both ends are midnights of UTC."""
    rows = await tx.all(_SUMS, first=start // DAY, stop=end // DAY)
    contradictions = {
        (country or "", currency): count
        for country, currency, count in await tx.run_slow(_CONTRADICTIONS, start=start, end=end)
    }
    by_country = [
        TaxSum(country or None, currency, count, gross - refunds, tax, contradictions.get((country, currency), 0))
        for country, currency, count, gross, refunds, tax in rows
        if count
    ]
    return sorted(by_country, key=lambda row: (row.country is None, row.country or "", row.currency))


async def orders_of(tx: Transaction, start: Instant, end: Instant) -> list[TaxedOrder]:
    """In the order of their payments, one more than a file may have if there are too many."""
    return await tx.run_slow(_ORDERS, start=start, end=end)


async def contradicting(tx: Transaction, start: Instant, end: Instant, size: int) -> list[TaxedOrder]:
    """The newest orders whose countries differ."""
    return await tx.run_slow(_CONTRADICTING, start=start, end=end, size=size)
