"""Analytics of any range of days: revenue and orders as charts, the best products and customers, all of it as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import date

from starlette.responses import Response

from lootkeep.console.charts import LineChart, line_chart
from lootkeep.console.formats import Formats, number, percent
from lootkeep.console.overview import PERIODS, Course, Tile, course_of, revenue_chart, sales_tiles
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain import analytics as analytics_rules
from lootkeep.domain.analytics import DateRange, PeriodName, SalesBreakdown, TopCustomer
from lootkeep.kernel import money
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.spreadsheet import plain_cell
from lootkeep.storage import analytics as analytics_db
from lootkeep.storage import sales_direct
from lootkeep.storage.engine.database import Transaction

_BEST = 10
# Far enough from the ends of the calendar for any zone and for the range before.
_FIRST_YEAR, _LAST_YEAR = 1970, 9000
_PERIODS: dict[PeriodName, str] = PERIODS | {"last_month": "Last month", "this_year": "This year"}


async def show_analytics(visit: Visit) -> Answer:
    date_range, period = _date_range(visit)
    formats = Formats(visit.options.timezone, visit.deps.currency)
    currency = visit.deps.currency
    start, end = date_range.start, date_range.end
    async with visit.deps.db.read(slow=True) as tx:
        course = await course_of(tx, date_range, currency)
        orders = sum(figures.orders for figures in course.now)
        products = await _products(tx, date_range, currency)
        customers = await sales_direct.top_customers(tx, start, end, currency, _BEST, orders=orders, product_id=None)
        if visit.query.get("format") == "csv":
            return _export(visit.query.get("of", ""), course, products, customers)
        unique = await analytics_db.unique_customers(tx, start, end, None)
        (whole,) = await analytics_db.series(tx, analytics_rules.ends(date_range), None)
        parts = {name: await analytics_db.parts(tx, name, start, end, currency) for name in ("country", "method")}
    # Customers have no currency.
    new = sum(figures.new_customers for figures in whole.values())
    return {
        "date_range": date_range,
        "period": period,
        "periods": _PERIODS,
        "tiles": [*sales_tiles(course, formats), *_other_tiles(course, formats, unique, new)],
        "revenue": revenue_chart(course, formats),
        "orders": _orders_chart(course, formats),
        "products": products,
        "customers": customers,
        "countries": parts["country"][:_BEST],
        "methods": parts["method"][:_BEST],
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
    if first > last or first.year < _FIRST_YEAR or last.year > _LAST_YEAR:
        raise invalid("from", "The first day must not be after the last.")
    return DateRange(first, last, name), None


async def _products(tx: Transaction, date_range: DateRange, currency: str) -> list[tuple[SalesBreakdown, str]]:
    """The best ones with their names."""
    best = (await analytics_db.parts(tx, "product", date_range.start, date_range.end, currency))[:_BEST]
    names = await analytics_db.product_names(tx, [int(part.key) for part in best])
    return [(part, names.get(int(part.key), "")) for part in best]


def _other_tiles(course: Course, formats: Formats, unique: int, new: int) -> list[Tile]:
    gross, orders = sum(f.gross for f in course.now), sum(f.orders for f in course.now)
    refunds = sum(f.refunds for f in course.now)
    average = formats.money(gross // orders) if orders else "–"
    return [
        Tile("Average order", average, "gross revenue by orders", "", ""),
        Tile("Refunded", formats.whole_money(refunds), f"{percent(refunds, gross)} of gross revenue", "", ""),
        Tile("Customers", number(unique), f"{number(new)} bought for the first time", "", ""),
    ]


def _orders_chart(course: Course, formats: Formats) -> LineChart:
    labels = [formats.short_day(cut.at) for cut in course.cuts[:-1]]
    now, before = [f.orders for f in course.now], [f.orders for f in course.before]
    return line_chart("Orders", labels, now, before, list(map(number, now)), list(map(number, before)), number)


def _export(
    of: str, course: Course, products: Sequence[tuple[SalesBreakdown, str]], customers: Sequence[TopCustomer]
) -> Response:
    """What a card of the page shows; the course of the range unless another is named."""
    rows: list[Sequence[object]]
    if of == "products":
        rows = [("Product", "Name", "Orders", "Items", "Revenue")]
        rows += [(part.key, name, part.orders, part.items, money.text(part.gross)) for part, name in products]
    elif of == "customers":
        rows = [("Customer", "Name", "E-mail", "Orders", "Spent")]
        rows += [(c.id, c.name, c.email, c.orders, money.text(c.spent)) for c in customers]
    else:
        rows = [("From", "Orders", "Items", "Gross revenue", "Refunds", "Net revenue", "Discounts")]
        for bucket, f in zip(course.cuts, course.now, strict=False):
            amounts = [money.text(amount) for amount in (f.gross, f.refunds, f.net, f.discounts)]
            rows.append((bucket.name, f.orders, f.items, *amounts))
    text = io.StringIO()
    csv.writer(text).writerows([plain_cell(str(value)) for value in row] for row in rows)
    name = of if of in ("products", "customers") else "revenue"
    headers = {"content-disposition": f'attachment; filename="{name}.csv"'}
    return Response(text.getvalue(), headers=headers, media_type="text/csv")


PAGES = (Page("GET", "/analytics", "read_only", "Analytics", show_analytics, "analytics.html", group="Store"),)
