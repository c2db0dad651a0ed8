"""Reports about buyers: cohorts, the way to a second order, revenue by day, results of campaigns and coupons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import BigInteger, bindparam, case, cast, func, select

from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import BitOr
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import (
    campaign_recipients as recipients,
    customers,
    email_campaigns,
    orders,
    sales_rollups as rollups,
)
from lootkeep.storage.schema.orders import HAS_COUPON
from lootkeep.storage.totals.total import DAYS


class CampaignResult(msgspec.Struct, frozen=True):
    """A campaign, and what those who clicked bought within the days after."""

    id: int
    name: str
    sent: int
    opened: int
    clicked: int
    orders: int
    revenue: Hundredths


class CouponResult(msgspec.Struct, frozen=True):
    code: str
    orders: int
    discounts: Hundredths
    revenue: Hundredths


def _sum(value: Any) -> Any:
    return cast(func.coalesce(func.sum(value), 0), BigInteger)


@cache
def _cohort_query(months: int) -> Query[tuple[Any, ...]]:
    """One pass over the buyers along their index: the months in which each bought, then how many bought in the same."""
    starts = [bindparam(f"m{number}", type_=BigInteger) for number in range(months + 1)]
    ladder = [(orders.c.paid_at < end, 1 << number) for number, end in enumerate(starts[1:])]
    buyers = (
        select(BitOr(case(*ladder, else_=0)).label("bought"))
        .where(orders.c.paid_at.is_not(None))
        .group_by(orders.c.customer_id)
        .having(func.min(orders.c.paid_at) >= starts[0])
        .subquery()
    )
    return Query(select(buyers.c.bought, func.count()).group_by(buyers.c.bought))


async def cohorts(tx: Transaction, starts: Sequence[Instant]) -> list[list[int]]:
    """Of those whose first paid order is in a month, how many bought in it and in each later one."""
    months = len(starts) - 1
    values = {f"m{number}": start for number, start in enumerate(starts)}
    counts = [[0] * (months - month) for month in range(months)]
    for bought, count in await tx.run_slow(_cohort_query(months), **values):
        in_months = [month for month in range(months) if bought >> month & 1]
        for month in in_months:
            counts[in_months[0]][month - in_months[0]] += count
    return counts


_FUNNEL = Query(
    select(
        func.count(),
        func.count().filter(customers.c.orders_count >= 1),
        func.count().filter(customers.c.orders_count >= 2),
    ).where(customers.c.created_at >= bindparam("start"), customers.c.created_at < bindparam("end"))
)


async def funnel(tx: Transaction, start: Instant, end: Instant) -> tuple[int, int, int]:
    """Who signed up in this time, and of these who has bought, and bought again, until now."""
    ((signed_up, bought, again),) = await tx.run_slow(_FUNNEL, start=start, end=end)
    return signed_up, bought, again


_BY_DAY = Query(
    select(rollups.c.block, _sum(rollups.c.gross), _sum(rollups.c.orders))
    .where(
        rollups.c.dimension == bindparam("of_dimension"),
        rollups.c.key == bindparam("of_key"),
        rollups.c.level == DAYS,
        rollups.c.block >= bindparam("first"),
        rollups.c.block < bindparam("stop"),
        rollups.c.currency == bindparam("currency"),
    )
    .group_by(rollups.c.block)
)


async def by_day(
    tx: Transaction, dimension: str, key: str, first: int, stop: int, currency: str
) -> dict[int, tuple[int, int]]:
    """Revenue and orders of one product or country by UTC day."""
    values = {"of_dimension": dimension, "of_key": key, "first": first, "stop": stop, "currency": currency}
    return {int(day): (int(gross), int(count)) for day, gross, count in await tx.all(_BY_DAY, **values)}


_CAMPAIGNS = Query(
    select(
        email_campaigns.c.id,
        email_campaigns.c.name,
        email_campaigns.c.sent_count,
        email_campaigns.c.opened_count,
        email_campaigns.c.clicked_count,
    )
    .where(
        email_campaigns.c.started_at >= bindparam("start"),
        email_campaigns.c.started_at < bindparam("end"),
        email_campaigns.c.sent_count > 0,
    )
    .order_by(email_campaigns.c.started_at.desc())
    .limit(bindparam("size"))
)
_BOUGHT = Query(
    select(func.count(), _sum(case((orders.c.currency == bindparam("currency"), orders.c.total), else_=0)))
    .join_from(recipients, orders, orders.c.customer_id == recipients.c.customer_id)
    .where(
        recipients.c.campaign_id == bindparam("campaign"),
        recipients.c.clicked_at.is_not(None),
        orders.c.paid_at >= recipients.c.clicked_at,
        orders.c.paid_at < recipients.c.clicked_at + bindparam("within", type_=BigInteger),
    )
)


async def campaign_results(
    tx: Transaction, start: Instant, end: Instant, currency: str, within: int, size: int
) -> list[CampaignResult]:
    """Of campaigns that began in this time, the newest first."""
    results = []
    for number, name, sent, opened, clicked in await tx.all(_CAMPAIGNS, start=start, end=end, size=size):
        ((count, revenue),) = await tx.all(_BOUGHT, campaign=number, currency=currency, within=within)
        results.append(CampaignResult(number, name, sent, opened, clicked, count, revenue))
    return results


_COUPONS = Query(
    select(
        orders.c.coupon_code.label("code"),
        func.count().label("orders"),
        _sum(orders.c.discount_total).label("discounts"),
        _sum(orders.c.total).label("revenue"),
    )
    .where(
        HAS_COUPON,
        orders.c.paid_at >= bindparam("start"),
        orders.c.paid_at < bindparam("end"),
        orders.c.currency == bindparam("currency"),
    )
    .group_by(orders.c.coupon_code)
    .order_by(_sum(orders.c.total).desc(), orders.c.coupon_code)
    .limit(bindparam("size")),
    CouponResult,
)


async def coupon_results(tx: Transaction, start: Instant, end: Instant, currency: str, size: int) -> list[CouponResult]:
    """Of orders paid in this time, those with the most revenue first."""
    return await tx.run_slow(_COUPONS, start=start, end=end, currency=currency, size=size)
