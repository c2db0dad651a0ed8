"""The overview, whether all is well today and what needs attention, and the analytics of any range of days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from lootkeep.console import exports, lists
from lootkeep.console.charts import Tile, line_chart, sparkline
from lootkeep.console.columns import COUNT, EMAIL, LABEL, NAME, Cell, Column, Table, amount
from lootkeep.console.formats import Formats
from lootkeep.console.orders import ORDERS
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain import analytics as analytics_rules, inputs as inputs_rules
from lootkeep.domain.analytics import DateRange, PeriodName, SalesFigures
from lootkeep.domain.receivers import Receiver
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.wording import change, duration, number, percent, plural
from lootkeep.services import receivers as receivers_service, sales as sales_service
from lootkeep.services.sales import Course, course_of
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import check_lists as fraud_check_lists_db, queue as fraud_queue_db
from lootkeep.storage.goods import waiting as waiting_db
from lootkeep.storage.sales import analytics as analytics_db, direct as sales_direct_db
from lootkeep.storage.tickets import figures as ticket_figures_db
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
# One thing to do: its tone, title and text, and the button to the page that it is done on.
Need = tuple[str, str, str, str, str]
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
        course = await course_of(tx, date_range, visit.deps.currency)
        receivers = await receivers_service.active(tx, visit.now)
        sales, _ = await lists.newest(visit, tx, ORDERS, _LATEST)
        return {
            "period": period,
            "periods": PERIODS,
            "tiles": [
                *sales_tiles(course, visit.formats),
                await _referral_tile(tx),
                await _fraud_tile(tx, date_range),
                _webhook_tile(receivers),
            ],
            "chart": _revenue_chart(course, visit.formats),
            "needs": await _needs(tx, receivers, visit.formats, visit.now),
            "orders": replace(ORDERS, empty=_FIRST),
            "sales": sales,
            "receivers": receivers[:_MAX_RECEIVERS],
            "live": 30,
        }


def sales_tiles(course: Course, formats: Formats) -> list[Tile]:
    revenue, revenue_before = sum(f.net for f in course.now), sum(f.net for f in course.before)
    orders, orders_before = sum(f.orders for f in course.now), sum(f.orders for f in course.before)
    return [
        _tile("Revenue", formats.whole_money(revenue), revenue, revenue_before, [f.net for f in course.now]),
        _tile("Orders", number(orders), orders, orders_before, [f.orders for f in course.now]),
    ]


def _tile(label: str, value: str, now: int, before: int, course: Sequence[int]) -> Tile:
    tone = "" if not before else "ok" if now >= before else "bad"
    return Tile(label, value, change(now, before) or "nothing to compare with", tone, sparkline(course))


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
    def shown(figures: SalesFigures) -> tuple[int, str]:
        return figures.net, f"{formats.money(figures.net)} · {plural(figures.orders, 'order')}"

    now, before = ([*map(shown, period)] for period in (course.now, course.before))
    return line_chart("Revenue", _days(course, formats), now, before, formats.whole_money)


def _days(course: Course, formats: Formats) -> list[str]:
    return [formats.short_day(cut.at) for cut in course.cuts[:-1]]


async def _needs(tx: Transaction, receivers: Sequence[Receiver], formats: Formats, now: Instant) -> list[Need]:
    """Everything there is to do, the most urgent first."""
    failing = [receiver for receiver in receivers if receiver.is_failing]
    needed = [_failing_receiver(receiver, now) for receiver in failing[:_MAX_RECEIVERS]]
    if more := len(failing) - len(needed):
        needed.append(("bad", plural(more, "more receiver fails", "more receivers fail"), "", "Look", "/webhooks"))
    waiting = await fraud_queue_db.to_decide(tx)
    if waiting.since is not None:
        title = f"{plural(waiting.count, 'order waits', 'orders wait')} for a decision"
        text = f"{formats.money(waiting.total)} held, the oldest for {duration(now - waiting.since)}."
        needed.append(("warn", title, text, "Review", "/fraud"))
    if lines := await waiting_db.count(tx):
        title = f"{plural(lines, 'paid line waits', 'paid lines wait')} for a key"
        needed.append(
            ("bad", title, "The next keys that you add go to them.", "Add keys", "/products?delivery_type=keys")
        )
    tickets = await ticket_figures_db.total(tx, {"status": "open"})
    if tickets:
        urgent = await ticket_figures_db.total(tx, {"status": "open", "priority": "urgent"})
        text = f"{plural(urgent, 'is', 'are')} urgent." if urgent else "None of them is urgent."
        title = f"{plural(tickets, 'ticket')} without an answer"
        needed.append(("warn", title, text, "Answer", "/tickets?status=open"))
    return needed


def _failing_receiver(receiver: Receiver, now: Instant) -> Need:
    since = f" for {duration(now - receiver.failing_since)}" if receiver.failing_since else ""
    text = f"{plural(receiver.waiting, 'delivery waits', 'deliveries wait')}. The last attempt: {receiver.last_answer}."
    return ("bad", f"{receiver.name} has failed{since}", text, "Look", f"/webhooks/{receiver.id}")


def _parts_of(title: str, empty: str, cell: Cell = NAME) -> Table:
    columns = (Column(title, "name", cell), *_PRODUCTS.only("Orders", "Revenue").columns)
    return Table(columns=columns, empty=empty)


async def show_analytics(visit: Visit) -> Answer:
    date_range, period = _date_range(visit)
    currency = visit.deps.currency
    start, end = date_range.start, date_range.end
    async with visit.deps.db.read(slow=True) as tx:
        course = await course_of(tx, date_range, currency)
        orders = sum(figures.orders for figures in course.now)
        products = await sales_service.best_products(tx, date_range, currency, _BEST)
        customers = await sales_direct_db.top_customers(tx, start, end, currency, _BEST, orders=orders, product_id=None)
        if visit.query.get("format") == "csv":
            return _file(visit, course, products, customers)
        unique = await sales_direct_db.unique_customers(tx, start, end, None)
        (whole,) = await analytics_db.series(tx, analytics_rules.ends(date_range), None)
        countries = await sales_service.best_parts(tx, "country", date_range, currency, _BEST)
        methods = await sales_service.best_parts(tx, "method", date_range, currency, _BEST)
    now, before = ([(f.orders, number(f.orders)) for f in period] for period in (course.now, course.before))
    # Customers have no currency.
    new = sum(figures.new_customers for figures in whole.values())
    return {
        "date_range": date_range,
        "period": period,
        "periods": _ALL_PERIODS,
        "tiles": [*sales_tiles(course, visit.formats), *_other_tiles(course, visit.formats, unique, new)],
        "charts": [
            _revenue_chart(course, visit.formats),
            line_chart("Orders", _days(course, visit.formats), now, before, number),
        ],
        "best": _BEST,
        "tables": [
            ("Products", _PRODUCTS.only("Product", "Sold", "Revenue"), products, "products"),
            ("Customers", _CUSTOMERS.only("Customer", "Orders", "Spent"), customers, "customers"),
            ("Countries", _parts_of("Country", "The billing countries of the orders."), countries, None),
            ("Payment methods", _parts_of("Method", "How they paid.", LABEL), methods, None),
        ],
    }


def _file(visit: Visit, course: Course, products: Sequence[Any], customers: Sequence[Any]) -> Response:
    """The table that the address asks for; what is not all of it says so."""
    name = visit.query.get("of", "")
    best: dict[str, tuple[Table, Sequence[Any]]]
    best = {"products": (_PRODUCTS, products), "customers": (_CUSTOMERS, customers)}
    if name not in best:
        return exports.csv_file("revenue", _COURSE.csv(course.steps, visit.formats))
    table, rows = best[name]
    limit = [[f"The best {_BEST}; the API has the others."]] if len(rows) == _BEST else []
    return exports.csv_file(name, [*table.csv(rows, visit.formats), *limit])


def _date_range(visit: Visit) -> tuple[DateRange, PeriodName | None]:
    """The range that the address asks for, and its name if it has one."""
    query, name = visit.query, visit.options.timezone
    if not query.get("from") and not query.get("to"):
        period: PeriodName = next((name for name in _ALL_PERIODS if name == query.get("period")), "last_30_days")
        return analytics_rules.named(period, visit.now, name), period
    try:
        first, last = (inputs_rules.calendar_day(query.get(end, "")) for end in ("from", "to"))
    except ValueError:
        raise invalid("from", "Enter the first and the last day.") from None
    if first > last or not analytics_rules.is_countable(first, last):
        raise invalid("from", "The first day must not be after the last.")
    return DateRange(first, last, name), None


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


PAGES = (
    Page("GET", "", "read_only", "Overview", show_overview, "overview.html", group=""),
    Page("GET", "/analytics", "read_only", "Analytics", show_analytics, "analytics.html", group="Store"),
)
