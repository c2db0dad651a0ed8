"""The overview: whether all is well today, and what waits for somebody."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from lootkeep.console import attention
from lootkeep.console.charts import LineChart, Tile, line_chart, sparkline
from lootkeep.console.formats import Formats
from lootkeep.console.orders import ORDERS
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain import analytics as analytics_rules
from lootkeep.domain.analytics import DateRange, PeriodName, SalesFigures
from lootkeep.domain.receivers import Receiver
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.paging import ListRequest
from lootkeep.kernel.paging import Page as ListedPage
from lootkeep.kernel.wording import change, number, percent, plural
from lootkeep.services.sales import Course, course_of
from lootkeep.storage import fraud_lists, order_lists
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals import counters
from lootkeep.storage.webhooks import health

PERIODS: dict[PeriodName, str] = {
    "last_7_days": "Last 7 days",
    "last_30_days": "Last 30 days",
    "last_90_days": "Last 90 days",
    "this_month": "This month",
}
_LATEST = 6
_FIRST = "The first order will be here. The store places it through the Store API."
_ORDERS = ORDERS.only("Order", "Customer", "Status", "Risk", "Total", "Placed", empty=_FIRST)
_MAX_RECEIVERS = 5


async def show_overview(visit: Visit) -> Answer:
    asked = visit.query.get("period", "")
    period: PeriodName = next((name for name in PERIODS if name == asked), "last_30_days")
    date_range = analytics_rules.named(period, visit.now, visit.options.timezone)
    async with visit.deps.db.read(slow=True) as tx:
        course = await course_of(tx, date_range, visit.deps.currency)
        receivers = await health.active(tx, visit.now)
        latest, _ = await order_lists.LISTING.page(tx, ListRequest(ListedPage(1, _LATEST)))
        return {
            "period": period,
            "periods": PERIODS,
            "tiles": [
                *sales_tiles(course, visit.formats),
                await _referral_tile(tx),
                await _fraud_tile(tx, date_range),
                _webhook_tile(receivers),
            ],
            "chart": revenue_chart(course, visit.formats),
            "needs": await attention.needs(tx, visit.now),
            "orders": _ORDERS,
            "sales": await order_lists.sales(tx, latest),
            "receivers": receivers[:_MAX_RECEIVERS],
        }


def sales_tiles(course: Course, formats: Formats) -> list[Tile]:
    revenue, revenue_before = sum(f.net for f in course.now), sum(f.net for f in course.before)
    orders, orders_before = sum(f.orders for f in course.now), sum(f.orders for f in course.before)
    return [
        _tile("Revenue", formats.whole_money(revenue), revenue, revenue_before, [f.net for f in course.now]),
        _tile("Orders", number(orders), orders, orders_before, [f.orders for f in course.now]),
    ]


def _tile(label: str, value: str, now: int, before: int, course: Sequence[int]) -> Tile:
    tone = "ok" if now >= before else "bad"
    return Tile(
        label, value, change(now, before) or "nothing to compare with", tone if before else "", sparkline(course)
    )


async def _referral_tile(tx: Transaction) -> Tile:
    referred = await counters.totals(tx, "referrals.")
    successful, total = referred.get("successful", 0), sum(referred.values())
    return Tile("Referral conversion", percent(successful, total), f"{number(successful)} of {number(total)}")


async def _fraud_tile(tx: Transaction, date_range: DateRange) -> Tile:
    """Counted by UTC days, as fraud figures are."""
    first = date_range.start - date_range.start % DAY
    days = [Instant(first + index * DAY) for index in range(date_range.days + 1)]
    blocked = []
    for start, end in itertools.pairwise(days):
        made = await fraud_lists.made_between(tx, start, end)
        blocked.append(sum(count for (_, action), count in made.items() if action == "blocked"))
    return Tile("Fraud stopped", plural(sum(blocked), "order"), "blocked at checkout", line=sparkline(blocked))


def _webhook_tile(receivers: Sequence[Receiver]) -> Tile:
    delivered, attempts = sum(r.day[0] for r in receivers), sum(r.day[1] for r in receivers)
    failing = sum(receiver.is_failing for receiver in receivers)
    note = f"{plural(failing, 'receiver')} failing" if failing else "of the attempts of a day"
    return Tile("Webhooks delivered", percent(delivered, attempts), note, "bad" if failing else "")


def revenue_chart(course: Course, formats: Formats) -> LineChart:
    def shown(figures: SalesFigures) -> tuple[int, str]:
        return figures.net, f"{formats.money(figures.net)} · {plural(figures.orders, 'order')}"

    labels = [formats.short_day(cut.at) for cut in course.cuts[:-1]]
    return line_chart("Revenue", labels, [*map(shown, course.now)], [*map(shown, course.before)], formats.whole_money)


PAGES = (Page("GET", "", "read_only", "Overview", show_overview, "overview.html", group=""),)
