"""Revenue and sales over HTTP, for any period in any time zone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

from msgspec.structs import astuple, replace
from pydantic import AfterValidator, Field, WithJsonSchema

from lootkeep.api.external import taxes
from lootkeep.api.external.date_ranges import date_range_of
from lootkeep.api.http.fields import QueryBoolean, QueryDate, QueryInteger, field, refuse
from lootkeep.api.http.routes import Call, Group, Reply, Route, single
from lootkeep.api.http.validation import QueryParameters
from lootkeep.domain import analytics as analytics_rules
from lootkeep.domain.analytics import Bucket, DateRange, Interval, PeriodName, SalesFigures
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import invalid
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.sales import analytics as analytics_db, direct as sales_direct_db
from lootkeep.views import analytics as analytics_views

_BEST = 10


def _known_zone(name: str) -> str:
    if analytics_rules.zone(name) is None:
        raise refuse("must be an IANA time zone such as Europe/Paris")
    return name


Zone = Annotated[
    str, Field(min_length=1, max_length=64), AfterValidator(_known_zone), WithJsonSchema({"type": "string"})
]


class AnalyticsQuery(QueryParameters):
    """Which time, cut how, and of what."""

    period: Annotated[PeriodName | None, field("A named period; `last_30_days` by default.")] = None
    from_: Annotated[QueryDate | None, field("The first day; requires `to`.", alias="from")] = None
    to: Annotated[QueryDate | None, field("The last day, inclusive; requires `from`.")] = None
    interval: Annotated[
        Interval | None, field("The interval of the series; by default depends on the length of the period.")
    ] = None
    timezone: Annotated[Zone, field("The time zone of the days: an IANA name.")] = "UTC"
    product_id: Annotated[QueryInteger | None, field("Only this product.", ge=1)] = None
    compare: Annotated[QueryBoolean, field("Whether to add the preceding period of equal length.")] = False


class ReportRange(NamedTuple):
    """The requested time, with the start of each interval and the end of the last."""

    date_range: DateRange
    interval: Interval
    buckets: list[Bucket]


async def get_revenue(call: Call[None, AnalyticsQuery]) -> Reply:
    query, currency = call.query, call.deps.currency
    report_range = _report_range(query, call.deps.clock.now())
    async with call.deps.db.read(slow=True) as tx:
        points = await analytics_db.series(tx, report_range.buckets, query.product_id)
        before = await _whole(tx, report_range.date_range.previous, query.product_id) if query.compare else None
    total = _sums(points)
    nothing, has_tax = SalesFigures(), query.product_id is None
    now, then = total.get(currency, nothing), before.get(currency, nothing) if before is not None else None
    others = sorted(name for name in total.keys() - {currency, ""} if total[name].orders or total[name].refunds)
    return Reply(
        analytics_views.RevenueView(
            period=analytics_views.period(report_range.date_range, report_range.interval),
            currency=currency,
            totals=analytics_views.revenue_totals(now, has_tax=has_tax),
            previous=None if then is None else analytics_views.revenue_totals(then, has_tax=has_tax),
            change=None if then is None else analytics_views.revenue_change(now, then, has_tax=has_tax),
            series=[
                analytics_views.revenue_point(bucket.name, point.get(currency, nothing), has_tax=has_tax)
                for bucket, point in zip(report_range.buckets, points, strict=False)
            ],
            other_currencies=[analytics_views.other_currency(name, total[name], has_tax=has_tax) for name in others],
        )
    )


async def get_sales(call: Call[None, AnalyticsQuery]) -> Reply:
    query = call.query
    report_range = _report_range(query, call.deps.clock.now())
    async with call.deps.db.read(slow=True) as tx:
        points = await analytics_db.series(tx, report_range.buckets, query.product_id)
        now = await _sales_totals(tx, report_range.date_range, _sums(points), query.product_id)
        then = None
        if query.compare:
            previous = report_range.date_range.previous
            figures = await _whole(tx, previous, query.product_id)
            then = await _sales_totals(tx, previous, figures, query.product_id)
        ranked = await _rankings(tx, report_range.date_range, call.deps.currency, now.orders_count, query.product_id)
    return Reply(
        analytics_views.SalesView(
            period=analytics_views.period(report_range.date_range, report_range.interval),
            totals=now,
            previous=then,
            change=None if then is None else analytics_views.sales_change(now, then),
            **ranked,
            series=[
                analytics_views.sales_point(bucket.name, _sum(point.values()))
                for bucket, point in zip(report_range.buckets, points, strict=False)
            ],
        )
    )


def _report_range(query: AnalyticsQuery, now: Instant) -> ReportRange:
    date_range = _date_range(query, now)
    interval = analytics_rules.interval_for(date_range, query.interval)
    return ReportRange(date_range, interval, analytics_rules.buckets(date_range, interval))


def _date_range(query: AnalyticsQuery, now: Instant) -> DateRange:
    if query.from_ is None and query.to is None:
        return analytics_rules.named(query.period or "last_30_days", now, query.timezone)
    if query.period is not None:
        raise invalid("period", "The period field must not be sent together with from and to.")
    return date_range_of(query.from_, query.to, query.timezone)


async def _whole(tx: Transaction, date_range: DateRange, product_id: int | None) -> dict[str, SalesFigures]:
    (figures,) = await analytics_db.series(tx, analytics_rules.ends(date_range), product_id)
    return figures


async def _sales_totals(
    tx: Transaction, date_range: DateRange, figures: dict[str, SalesFigures], product_id: int | None
) -> analytics_views.SalesTotalsView:
    unique = await sales_direct_db.unique_customers(tx, date_range.start, date_range.end, product_id)
    total = _sum(figures.values())
    if product_id is not None:
        total = replace(
            total, new_customers=await sales_direct_db.new_customers(tx, date_range.start, date_range.end, product_id)
        )
    return analytics_views.sales_totals(total, unique)


async def _rankings(
    tx: Transaction, date_range: DateRange, currency: str, orders: int, product_id: int | None
) -> dict[str, Any]:
    """The parts of the sales report, as the response names them."""
    start, end = date_range.start, date_range.end
    best = (await analytics_db.parts(tx, "product", start, end, currency, product_id))[:_BEST]
    names = await analytics_db.product_names(tx, [int(part.key) for part in best])
    spenders = await sales_direct_db.top_customers(
        tx, start, end, currency, _BEST, orders=orders, product_id=product_id
    )
    states = await analytics_db.parts(tx, "status", start, end, currency, product_id)
    return {
        "by_status": analytics_views.by_status({part.key: part.orders for part in states}),
        "top_products": [analytics_views.top_product(part, names) for part in best],
        "top_customers": [analytics_views.top_customer(spender) for spender in spenders],
        "by_country": analytics_views.countries(
            await analytics_db.parts(tx, "country", start, end, currency, product_id)
        ),
        "by_payment_method": analytics_views.payment_methods(
            await analytics_db.parts(tx, "method", start, end, currency, product_id)
        ),
    }


def _sums(points: Iterable[dict[str, SalesFigures]]) -> dict[str, SalesFigures]:
    """All intervals together, by currency."""
    by_currency: dict[str, list[SalesFigures]] = {}
    for point in points:
        for currency, figures in point.items():
            by_currency.setdefault(currency, []).append(figures)
    return {currency: _sum(figures) for currency, figures in by_currency.items()}


def _sum(figures: Iterable[SalesFigures]) -> SalesFigures:
    """Of one currency, or of all currencies for plain counts."""
    return SalesFigures(*(sum(values) for values in zip(*map(astuple, figures), strict=True)))


GROUP = Group(
    name="Analytics",
    description="Revenue and sales of any period.",
    routes=(
        Route(
            "GET",
            "/analytics/revenue",
            get_revenue,
            "analytics:read",
            "Read revenue figures",
            single(analytics_views.RevenueView),
            description="An order counts on the day it was paid, a refund on the day it was made. Currencies are never "
            "mixed: the report uses the store's currency and lists others separately. `tax` and `net_of_tax` are "
            "extensions: what the checkout reported with its orders, less what refunds gave back of it.",
        ),
        Route(
            "GET",
            "/analytics/sales",
            get_sales,
            "analytics:read",
            "Read sales figures",
            single(analytics_views.SalesView),
            description="Orders, products and customers.",
        ),
        *taxes.ROUTES,
    ),
)
