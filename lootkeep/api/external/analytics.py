"""Revenue and sales over HTTP, for any stretch of time in any time zone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

from msgspec.structs import astuple, replace
from pydantic import AfterValidator, Field, WithJsonSchema

from lootkeep.api.http.fields import QueryBoolean, QueryDate, QueryInteger, refuse
from lootkeep.api.http.routes import Call, Group, Reply, Route, one
from lootkeep.api.http.validation import Query
from lootkeep.domain import analytics as rules
from lootkeep.domain.analytics import Cut, Figures, Interval, PeriodName, Stretch
from lootkeep.kernel.clock import Instant, utc
from lootkeep.kernel.errors import invalid
from lootkeep.storage import analytics as storage
from lootkeep.storage import sales_direct
from lootkeep.storage.engine.database import Transaction
from lootkeep.views import analytics as views

_BEST = 10


def _known_zone(name: str) -> str:
    if rules.zone(name) is None:
        raise refuse("must be an IANA time zone such as Europe/Paris")
    return name


Zone = Annotated[
    str, Field(min_length=1, max_length=64), AfterValidator(_known_zone), WithJsonSchema({"type": "string"})
]


class AnalyticsQuery(Query):
    """Which time, cut how, and of what."""

    period: Annotated[
        PeriodName | None, Field(description="A time by its name, up to today; `last_30_days` when nothing is sent.")
    ] = None
    from_: Annotated[QueryDate | None, Field(alias="from", description="The first day; with `to`.")] = None
    to: Annotated[QueryDate | None, Field(description="The last day, included; with `from`.")] = None
    interval: Annotated[Interval | None, Field(description="What to cut the series into; by the length if absent.")] = (
        None
    )
    timezone: Annotated[Zone, Field(description="Whose days are meant: an IANA name.")] = "UTC"
    product_id: Annotated[QueryInteger | None, Field(ge=1, description="Only this product.")] = None
    compare: Annotated[QueryBoolean, Field(description="Whether to add the time of equal length before.")] = False


class Asked(NamedTuple):
    """The time that is meant, with the beginnings of its intervals and the end of the last."""

    stretch: Stretch
    interval: Interval
    cuts: list[Cut]


async def get_revenue(call: Call[None, AnalyticsQuery]) -> Reply:
    query, currency = call.query, call.deps.currency
    asked = _asked(query, call.deps.clock.now())
    async with call.deps.db.read(slow=True) as tx:
        points = await storage.series(tx, asked.cuts, query.product_id)
        before = await _whole(tx, asked.stretch.previous, query.product_id) if query.compare else None
    total = _added(points)
    nothing = Figures()
    now, then = total.get(currency, nothing), before.get(currency, nothing) if before is not None else None
    others = sorted(name for name in total.keys() - {currency, ""} if total[name].orders or total[name].refunds)
    return Reply(
        views.RevenueView(
            period=views.period(asked.stretch, asked.interval),
            currency=currency,
            totals=views.revenue_totals(now),
            previous=None if then is None else views.revenue_totals(then),
            change=None if then is None else views.revenue_change(now, then),
            series=[
                views.revenue_point(cut.name, point.get(currency, nothing))
                for cut, point in zip(asked.cuts, points, strict=False)
            ],
            other_currencies=[views.other_currency(name, total[name]) for name in others],
        )
    )


async def get_sales(call: Call[None, AnalyticsQuery]) -> Reply:
    query = call.query
    asked = _asked(query, call.deps.clock.now())
    async with call.deps.db.read(slow=True) as tx:
        points = await storage.series(tx, asked.cuts, query.product_id)
        now = await _sales_totals(tx, asked.stretch, _added(points), query.product_id)
        then = None
        if query.compare:
            previous = asked.stretch.previous
            figures = await _whole(tx, previous, query.product_id)
            then = await _sales_totals(tx, previous, figures, query.product_id)
        ranked = await _rankings(tx, asked.stretch, call.deps.currency, now.orders_count, query.product_id)
    return Reply(
        views.SalesView(
            period=views.period(asked.stretch, asked.interval),
            totals=now,
            previous=then,
            change=None if then is None else views.sales_change(now, then),
            **ranked,
            series=[
                views.sales_point(cut.name, _sum(point.values()))
                for cut, point in zip(asked.cuts, points, strict=False)
            ],
        )
    )


def _asked(query: AnalyticsQuery, now: Instant) -> Asked:
    stretch = _stretch(query, now)
    interval = rules.interval_for(stretch, query.interval)
    return Asked(stretch, interval, rules.cuts(stretch, interval))


def _stretch(query: AnalyticsQuery, now: Instant) -> Stretch:
    if query.from_ is None and query.to is None:
        return rules.named(query.period or "last_30_days", now, query.timezone)
    if query.period is not None:
        raise invalid("period", "The period field must not be sent together with from and to.")
    if query.from_ is None or query.to is None:
        name, other = ("from", "to") if query.from_ is None else ("to", "from")
        raise invalid(name, f"The {name} field is required when {other} is sent.")
    if query.from_ > query.to:
        raise invalid("from", "The from field must not lie after to.")
    first, last = utc(query.from_).date(), utc(query.to).date()
    if first.year < _FIRST_YEAR or last.year > _LAST_YEAR:
        raise invalid("from", f"The from field and to must lie between {_FIRST_YEAR} and {_LAST_YEAR}.")
    return Stretch(first, last, query.timezone)


# Far enough from the ends of the calendar for any zone and for the time before.
_FIRST_YEAR, _LAST_YEAR = 1970, 9000


async def _whole(tx: Transaction, stretch: Stretch, product_id: int | None) -> dict[str, Figures]:
    (found,) = await storage.series(tx, rules.ends(stretch), product_id)
    return found


async def _sales_totals(
    tx: Transaction, stretch: Stretch, figures: dict[str, Figures], product_id: int | None
) -> views.SalesTotalsView:
    unique = await storage.unique_customers(tx, stretch.start, stretch.end, product_id)
    total = _sum(figures.values())
    if product_id is not None:
        total = replace(
            total, new_customers=await sales_direct.new_customers(tx, stretch.start, stretch.end, product_id)
        )
    return views.sales_totals(total, unique)


async def _rankings(
    tx: Transaction, stretch: Stretch, currency: str, orders: int, product_id: int | None
) -> dict[str, Any]:
    """The parts of the sales, as the answer names them."""
    start, end = stretch.start, stretch.end
    best = (await storage.parts(tx, "product", start, end, currency, product_id))[:_BEST]
    names = await storage.product_names(tx, [int(part.key) for part in best])
    spenders = await sales_direct.top_customers(tx, start, end, currency, _BEST, orders=orders, product_id=product_id)
    states = await storage.parts(tx, "status", start, end, currency, product_id)
    return {
        "by_status": views.by_status({part.key: part.orders for part in states}),
        "top_products": [views.top_product(part, names) for part in best],
        "top_customers": [views.top_customer(spender) for spender in spenders],
        "by_country": views.countries(await storage.parts(tx, "country", start, end, currency, product_id)),
        "by_payment_method": views.payment_methods(await storage.parts(tx, "method", start, end, currency, product_id)),
    }


def _added(points: Iterable[dict[str, Figures]]) -> dict[str, Figures]:
    """All intervals together, by currency."""
    by_currency: dict[str, list[Figures]] = {}
    for point in points:
        for currency, figures in point.items():
            by_currency.setdefault(currency, []).append(figures)
    return {currency: _sum(figures) for currency, figures in by_currency.items()}


def _sum(figures: Iterable[Figures]) -> Figures:
    """Of one currency, or of several where only what is counted is looked at."""
    return Figures(*(sum(values) for values in zip(*map(astuple, figures), strict=True)))


GROUP = Group(
    name="Analytics",
    description="Revenue and sales of any stretch of time.",
    routes=(
        Route(
            "GET",
            "/analytics/revenue",
            get_revenue,
            "analytics:read",
            "Read revenue figures",
            one(views.RevenueView),
            query=AnalyticsQuery,
            description="An order counts on the day it was paid, a refund on the day it was given. Currencies are "
            "never added up: the store's is reported, the others are listed apart.",
        ),
        Route(
            "GET",
            "/analytics/sales",
            get_sales,
            "analytics:read",
            "Read sales figures",
            one(views.SalesView),
            query=AnalyticsQuery,
            description="What was sold, to whom and where.",
        ),
    ),
)
