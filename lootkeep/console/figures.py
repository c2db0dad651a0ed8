"""The overview, whether all is well today and what needs attention, and the analytics of any range of days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from lootkeep.console import exports, needs
from lootkeep.console.charts import Tile, line_chart, seen, sparkline, svg_file
from lootkeep.console.columns import AGO, COUNT, COUNTRY, EMAIL, LABEL, NAME, Cell, Column, Table, amount
from lootkeep.console.formats import Formats
from lootkeep.console.orders import ORDERS, newest_orders
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain import analytics as analytics_rules, inputs as inputs_rules
from lootkeep.domain.analytics import DateRange, PeriodName, SalesFigures
from lootkeep.domain.receivers import Receiver
from lootkeep.kernel import money
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import InvalidFields, invalid
from lootkeep.kernel.wording import change, number, percent, plural
from lootkeep.services import receivers as receivers_service, sales as sales_service
from lootkeep.services.sales import Course, course_of
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import check_lists as fraud_check_lists_db
from lootkeep.storage.sales import analytics as analytics_db, direct as sales_direct_db
from lootkeep.storage.totals import counters as counters_db

PERIODS: dict[PeriodName, str] = {
    "last_7_days": "Last 7 days",
    "last_30_days": "Last 30 days",
    "last_90_days": "Last 90 days",
    "this_month": "This month",
}
_LATEST = 6
_FIRST = "No orders yet. The store places them through the Store API."
_MAX_RECEIVERS = 5
_BEST = 10
_ALL_PERIODS: dict[PeriodName, str] = PERIODS | {"last_month": "Last month", "this_year": "This year"}
_COURSE = Table(
    columns=(
        Column("From", "bucket.name"),
        Column("Orders", "figures.orders"),
        Column("Items", "figures.items"),
        Column("Gross revenue", "figures.gross", amount()),
        Column("Refunds", "figures.refunds", amount()),
        Column("Net revenue", "figures.net", amount()),
        Column("Tax", "figures.tax", amount()),
        Column("Net of tax", "figures.net_of_tax", amount()),
        Column("Discounts", "figures.discounts", amount()),
    ),
    empty="",
)
# In the store's zone, as other files.
_HOURS = replace(_COURSE, columns=(Column("From", "bucket.at", AGO), *_COURSE.columns[1:]))
_PRODUCTS = Table(
    columns=(
        Column("Id", "part.key"),
        Column("Product", "name", NAME),
        Column("Orders", "part.orders", COUNT),
        Column("Sold", "part.items", COUNT),
        Column("Revenue", "part.gross", amount()),
    ),
    link=lambda row: f"/products/{row.part.key}",
    empty="Products sold in this period, the best sellers first.",
)
_CUSTOMERS = Table(
    columns=(
        Column("Id", "id"),
        Column("Customer", "name", NAME),
        Column("E-mail", "email", EMAIL),
        Column("Orders", "orders", COUNT),
        Column("Spent", "spent", amount()),
    ),
    link=lambda customer: f"/customers/{customer.id}",
    empty="Who spent most in this range.",
)


async def show_overview(visit: Visit) -> Answer:
    asked = visit.query.get("period", "")
    period: PeriodName = next((name for name in PERIODS if name == asked), "last_30_days")
    date_range = analytics_rules.named(period, visit.now, visit.options.timezone)
    async with visit.deps.db.read(slow=True) as tx:
        may = visit.user.may
        course = await course_of(tx, date_range, visit.deps.currency) if may("analytics:read") else None
        receivers = await receivers_service.active(tx, visit.now) if may("webhooks:read") else None
        sales, _ = await newest_orders(visit, tx, _LATEST)
        tiles = [
            *(sales_tiles(course, visit.formats) if course else ()),
            *([await _referral_tile(tx)] if may("referrals:read") else ()),
            *([await _fraud_tile(tx, date_range)] if may("fraud:read") else ()),
            *([_webhook_tile(receivers)] if receivers is not None else ()),
        ]
        return {
            "period": period,
            "periods": PERIODS,
            "tiles": seen(tiles, visit.user.permissions),
            "chart": _revenue_chart(course, visit.formats) if course and not _hides(visit) else None,
            "needs": await needs.needs(visit, tx, receivers or ()),
            "orders": replace(ORDERS, empty=_FIRST),
            "sales": sales,
            "receivers": None if receivers is None else receivers[:_MAX_RECEIVERS],
            "live": 30,
        }


def _hides(visit: Visit) -> bool:
    return visit.user.permissions.hides_revenue


def sales_tiles(course: Course, formats: Formats) -> list[Tile]:
    revenue, revenue_before = sum(f.net for f in course.now), sum(f.net for f in course.before)
    orders, orders_before = sum(f.orders for f in course.now), sum(f.orders for f in course.before)
    return [
        replace(
            _tile("Revenue", formats.whole_money(revenue), revenue, revenue_before, [f.net for f in course.now]),
            is_revenue=True,
        ),
        _tile("Orders", number(orders), orders, orders_before, [f.orders for f in course.now]),
    ]


def _tile(label: str, value: str, now: int, before: int, course: Sequence[int]) -> Tile:
    tone = "" if not before else "ok" if now >= before else "bad"
    return Tile(label, value, change(now, before) or "none in the period before", tone, sparkline(course))


async def _referral_tile(tx: Transaction) -> Tile:
    referred = await counters_db.totals(tx, "referrals.")
    successful, total = referred.get("successful", 0), sum(referred.values())
    return Tile("Referral conversion", percent(successful, total), f"{number(successful)} of {number(total)}")


async def _fraud_tile(tx: Transaction, date_range: DateRange) -> Tile:
    """Counted by UTC days, as fraud figures are."""
    first = date_range.start - date_range.start % DAY
    blocked = await fraud_check_lists_db.blocked_by_day(tx, [Instant(first + n * DAY) for n in range(date_range.days)])
    return Tile("Fraud stopped", plural(sum(blocked), "order"), "blocked at checkout", line=sparkline(blocked))


def _webhook_tile(receivers: Sequence[Receiver]) -> Tile:
    delivered, attempts = sum(r.day[0] for r in receivers), sum(r.day[1] for r in receivers)
    failing = sum(receiver.is_failing for receiver in receivers)
    note = f"{plural(failing, 'receiver')} failing" if failing else "of the attempts of a day"
    return Tile("Webhooks delivered", percent(delivered, attempts), note, "bad" if failing else "")


def _revenue_chart(course: Course, formats: Formats) -> dict[str, Any]:
    def point(figures: SalesFigures) -> tuple[int, str]:
        return figures.net, f"{formats.money(figures.net)} · {plural(figures.orders, 'order')}"

    now, before = ([*map(point, period)] for period in (course.now, course.before))
    return line_chart("Revenue", _labels(course, formats), now, before, formats.tick, _head(course))


def _orders_chart(course: Course, formats: Formats) -> dict[str, Any]:
    now, before = ([(f.orders, number(f.orders)) for f in period] for period in (course.now, course.before))
    return line_chart("Orders", _labels(course, formats), now, before, number, _head(course))


def _has_hours(course: Course) -> bool:
    return course.cuts[0].day is None


def _head(course: Course) -> str:
    return "Hour" if _has_hours(course) else "Day"


def _labels(course: Course, formats: Formats) -> list[str]:
    """`20 Nov`; of hours `14:00`, with the day if there are several."""
    days = [formats.short_day(cut.at) for cut in course.cuts[:-1]]
    if not _has_hours(course):
        return days
    hours = [f"{formats.local(cut.at):%H:%M}" for cut in course.cuts[:-1]]
    return hours if len(set(days)) == 1 else [f"{day}, {hour}" for day, hour in zip(days, hours, strict=True)]


def _parts_of(title: str, empty: str, cell: Cell = NAME) -> Table:
    columns = (Column(title, "name", cell), *_PRODUCTS.only("Orders", "Revenue").columns)
    return Table(columns=columns, empty=empty)


async def show_analytics(visit: Visit) -> Answer:
    date_range, period, periods = date_range_of(visit)
    currency, start, end = visit.deps.currency, date_range.start, date_range.end
    async with visit.deps.db.read(slow=True) as tx:
        course = await course_of(tx, date_range, currency)
        orders = sum(figures.orders for figures in course.now)
        products = await sales_service.best_products(tx, date_range, currency, _BEST)
        customers = await sales_direct_db.top_customers(tx, start, end, currency, _BEST, orders=orders, product_id=None)
        charts = {} if _hides(visit) else {"revenue": _revenue_chart(course, visit.formats)}
        charts["orders"] = _orders_chart(course, visit.formats)
        if visit.query.get("format") == "svg" and (chart := charts.get(visit.query.get("of", ""))):
            return svg_file(chart["title"].lower(), chart)
        countries = await sales_service.best_parts(tx, "country", date_range, currency, _BEST)
        methods = await sales_service.best_parts(tx, "method", date_range, currency, _BEST)
        files: dict[str, tuple[Table, Sequence[Any]]] = {
            "products": (_PRODUCTS, products),
            "customers": (_CUSTOMERS, customers),
            "countries": (_parts_of("Country", "Revenue by the country of the bill.", COUNTRY), countries),
            "methods": (_parts_of("Method", "Revenue by method of payment.", LABEL), methods),
        }
        if visit.query.get("format") == "csv":
            return _file(visit, course, files)
        unique = await sales_direct_db.unique_customers(tx, start, end, None)
        (whole,) = await analytics_db.series(tx, analytics_rules.ends(date_range), None)
    tiles = [*sales_tiles(course, visit.formats), *_other_tiles(course, visit.formats, unique, whole)]
    return {
        "date_range": date_range,
        "period": period,
        "periods": periods,
        "tiles": seen(tiles, visit.user.permissions),
        "charts": list(charts.values()),
        "best": _BEST,
        "tables": [
            ("Products", _PRODUCTS.only("Product", "Sold", "Revenue").seen_by(visit), products, "products"),
            ("Customers", _CUSTOMERS.only("Customer", "Orders", "Spent").seen_by(visit), customers, "customers"),
            ("Countries", files["countries"][0].seen_by(visit), countries, "countries"),
            ("Payment methods", files["methods"][0].seen_by(visit), methods, "methods"),
        ],
    }


def _file(visit: Visit, course: Course, best: dict[str, tuple[Table, Sequence[Any]]]) -> Response:
    """The table that the address asks for; what is not all of it says so."""
    name = visit.query.get("of", "")
    if name not in best:
        table = _HOURS if _has_hours(course) else _COURSE
        return exports.csv_file("revenue", table.csv(course.steps, visit))
    table, rows = best[name]
    limit = [[f"The best {_BEST}; the API has the others."]] if len(rows) == _BEST else []
    return exports.csv_file(name, [*table.csv(rows, visit), *limit])


def date_range_of(visit: Visit) -> tuple[DateRange, PeriodName | None, dict[PeriodName, str]]:
    """The range that the address asks for, its name if it has one, and the names there are.

    A page says what is wrong with the range and shows the last days; a file is refused.
    """
    query, name = visit.query, visit.options.timezone
    if not query.get("from") and not query.get("to"):
        period: PeriodName = next((name for name in _ALL_PERIODS if name == query.get("period")), "last_30_days")
        return analytics_rules.named(period, visit.now, name), period, _ALL_PERIODS
    try:
        return _chosen_range(visit), None, _ALL_PERIODS
    except InvalidFields as wrong:
        if "format" in query:
            raise
        visit.errors = wrong.fields or {}
    return analytics_rules.named("last_30_days", visit.now, name), None, _ALL_PERIODS


def _chosen_range(visit: Visit) -> DateRange:
    query = visit.query
    try:
        first, last = (inputs_rules.calendar_day(query.get(end, "")) for end in ("from", "to"))
    except ValueError:
        raise invalid("from", "Enter the first and the last day.") from None
    if first > last:
        raise invalid("from", "The first day must not be after the last.")
    if not analytics_rules.is_countable(first, last):
        years = f"{analytics_rules.FIRST_YEAR} to {analytics_rules.LAST_YEAR}"
        raise invalid("from", f"Choose days from {years}.")
    date_range = DateRange(first, last, visit.options.timezone)
    if date_range.days > analytics_rules.MAX_RANGE["month"]:
        raise invalid("from", "Choose at most ten years.")
    return date_range


def _other_tiles(course: Course, formats: Formats, unique: int, whole: Mapping[str, SalesFigures]) -> list[Tile]:
    gross, orders = sum(f.gross for f in course.now), sum(f.orders for f in course.now)
    refunds, tax = sum(f.refunds for f in course.now), sum(f.tax for f in course.now)
    net_of_tax = sum(f.net_of_tax for f in course.now)
    # Customers have no currency.
    new = sum(figures.new_customers for figures in whole.values())
    average = formats.money(money.average(gross, orders)) if orders else "–"
    share = f"{percent(refunds, gross)} of gross revenue" if gross else "of gross revenue"
    return [
        Tile("Average order", average, "gross revenue by orders", is_revenue=True),
        Tile("Refunded", formats.whole_money(refunds), share, is_revenue=True),
        Tile(
            "Tax",
            formats.whole_money(tax),
            f"{formats.whole_money(net_of_tax)} net of tax",
            to="/analytics/tax",
            is_revenue=True,
        ),
        Tile("Customers", number(unique), f"{number(new)} bought for the first time"),
    ]


PAGES = (
    Page("GET", "", "account", "Overview", show_overview, "overview.html", group=""),
    Page("GET", "/analytics", "analytics:read", "Analytics", show_analytics, "analytics.html", group="Store"),
)
