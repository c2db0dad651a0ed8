"""Analytics of any range of days: revenue and orders as charts, the best products and customers, all of it as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from starlette.responses import Response

from lootkeep.console.charts import LineChart, Tile, line_chart
from lootkeep.console.columns import COUNT, NAME, Column, Table, amount
from lootkeep.console.formats import Formats
from lootkeep.console.lists import csv_file
from lootkeep.console.overview import PERIODS, revenue_chart, sales_tiles
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain import analytics as analytics_rules
from lootkeep.domain.analytics import DateRange, PeriodName
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.wording import number, percent
from lootkeep.services import sales
from lootkeep.services.sales import Course, course_of
from lootkeep.storage import analytics as analytics_db
from lootkeep.storage import sales_direct

_BEST = 10
_PERIODS: dict[PeriodName, str] = PERIODS | {"last_month": "Last month", "this_year": "This year"}


_COURSE = Table(
    columns=(
        Column("From", "bucket.name"),
        Column("Orders", "figures.orders"),
        Column("Items", "figures.items"),
        Column("Gross revenue", "figures.gross", amount()),
        Column("Refunds", "figures.refunds", amount()),
        Column("Net revenue", "figures.net", amount()),
        Column("Discounts", "figures.discounts", amount()),
    ),
    empty="",
)
_PRODUCTS = Table(
    columns=(
        Column("Id", "part.key"),
        Column("Product", "name", NAME),
        Column("Orders", "part.orders", COUNT),
        Column("Sold", "part.items", COUNT),
        Column("Revenue", "part.gross", amount()),
    ),
    link=lambda row: f"/products/{row.part.key}",
    empty="What was sold in this range, the best first.",
)
_CUSTOMERS = Table(
    columns=(
        Column("Id", "id"),
        Column("Customer", "name", NAME),
        Column("E-mail", "email", NAME),
        Column("Orders", "orders", COUNT),
        Column("Spent", "spent", amount()),
    ),
    link=lambda customer: f"/customers/{customer.id}",
    empty="Who spent most in this range.",
)


def _parts_of(title: str, empty: str) -> Table:
    columns = (
        Column(title, "name", NAME),
        Column("Orders", "part.orders", COUNT),
        Column("Revenue", "part.gross", amount()),
    )
    return Table(columns=columns, empty=empty)


async def show_analytics(visit: Visit) -> Answer:
    date_range, period = _date_range(visit)
    currency = visit.deps.currency
    start, end = date_range.start, date_range.end
    async with visit.deps.db.read(slow=True) as tx:
        course = await course_of(tx, date_range, currency)
        orders = sum(figures.orders for figures in course.now)
        products = await sales.best_products(tx, date_range, currency, _BEST)
        customers = await sales_direct.top_customers(tx, start, end, currency, _BEST, orders=orders, product_id=None)
        if visit.query.get("format") == "csv":
            return _exported(visit.query.get("of", ""), course, products, customers)
        unique = await analytics_db.unique_customers(tx, start, end, None)
        (whole,) = await analytics_db.series(tx, analytics_rules.ends(date_range), None)
        countries = await sales.best_parts(tx, "country", date_range, currency, _BEST)
        methods = await sales.best_parts(tx, "method", date_range, currency, _BEST)
    # Customers have no currency.
    new = sum(figures.new_customers for figures in whole.values())
    return {
        "date_range": date_range,
        "period": period,
        "periods": _PERIODS,
        "tiles": [*sales_tiles(course, visit.formats), *_other_tiles(course, visit.formats, unique, new)],
        "charts": [revenue_chart(course, visit.formats), _orders_chart(course, visit.formats)],
        "tables": [
            ("Products", _PRODUCTS.only("Product", "Sold", "Revenue", empty=_PRODUCTS.empty), products, "products"),
            (
                "Customers",
                _CUSTOMERS.only("Customer", "Orders", "Spent", empty=_CUSTOMERS.empty),
                customers,
                "customers",
            ),
            ("Countries", _parts_of("Country", "Where the buyers are, by the bill."), countries, None),
            ("Payment methods", _parts_of("Method", "How they paid."), methods, None),
        ],
    }


def _date_range(visit: Visit) -> tuple[DateRange, PeriodName | None]:
    """The range that the address asks for, and its name if it has one."""
    query, name = visit.query, visit.options.timezone
    if not query.get("from") and not query.get("to"):
        period: PeriodName = next((known for known in _PERIODS if known == query.get("period")), "last_30_days")
        return analytics_rules.named(period, visit.now, name), period
    try:
        first, last = (date.fromisoformat(query.get(end, "")) for end in ("from", "to"))
    except ValueError:
        raise invalid("from", "Enter the first and the last day.") from None
    if first > last or not analytics_rules.is_countable(first, last):
        raise invalid("from", "The first day must not be after the last.")
    return DateRange(first, last, name), None


def _exported(of: str, course: Course, products: Sequence[Any], customers: Sequence[Any]) -> Response:
    """One of the tables; the course of the range unless another is named."""
    tables = {"products": (_PRODUCTS, products), "customers": (_CUSTOMERS, customers)}
    table, rows = tables.get(of, (_COURSE, course.steps))
    return csv_file(of if of in tables else "revenue", table.csv(rows))


def _other_tiles(course: Course, formats: Formats, unique: int, new: int) -> list[Tile]:
    gross, orders = sum(f.gross for f in course.now), sum(f.orders for f in course.now)
    refunds = sum(f.refunds for f in course.now)
    average = formats.money(gross // orders) if orders else "–"
    share = f"{percent(refunds, gross)} of gross revenue" if gross else "of gross revenue"
    return [
        Tile("Average order", average, "gross revenue by orders"),
        Tile("Refunded", formats.whole_money(refunds), share),
        Tile("Customers", number(unique), f"{number(new)} bought for the first time"),
    ]


def _orders_chart(course: Course, formats: Formats) -> LineChart:
    labels = [formats.short_day(cut.at) for cut in course.cuts[:-1]]
    now, before = ([(f.orders, number(f.orders)) for f in period] for period in (course.now, course.before))
    return line_chart("Orders", labels, now, before, number)


PAGES = (Page("GET", "/analytics", "read_only", "Analytics", show_analytics, "analytics.html", group="Store"),)
