"""The overview: whether all is well today, and what waits for somebody."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from lootkeep.console.charts import LineChart, Tile, line_chart, sparkline
from lootkeep.console.formats import Formats, change, number, percent
from lootkeep.console.orders import ORDERS
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain import analytics as analytics_rules
from lootkeep.domain.analytics import Bucket, DateRange, PeriodName, SalesFigures
from lootkeep.domain.receivers import Receiver
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.paging import ListRequest
from lootkeep.kernel.paging import Page as ListedPage
from lootkeep.kernel.wording import plural
from lootkeep.services import attention
from lootkeep.storage import analytics as analytics_db
from lootkeep.storage import fraud_lists, order_lists
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals import counters
from lootkeep.storage.webhooks import endpoints, health

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


@dataclass(frozen=True, slots=True)
class Step:
    """One interval of a period."""

    bucket: Bucket
    figures: SalesFigures


@dataclass(frozen=True, slots=True)
class Course:
    """The figures of each interval of a period, in the store's currency, and of the period before."""

    cuts: Sequence[Bucket]
    now: list[SalesFigures]
    before: list[SalesFigures]

    @property
    def steps(self) -> list[Step]:
        return [Step(*pair) for pair in zip(self.cuts, self.now, strict=False)]


async def show_overview(visit: Visit) -> Answer:
    asked = visit.query.get("period", "")
    period: PeriodName = next((name for name in PERIODS if name == asked), "last_30_days")
    date_range = analytics_rules.named(period, visit.now, visit.options.timezone)
    async with visit.deps.db.read(slow=True) as tx:
        course = await course_of(tx, date_range, visit.deps.currency)
        receivers = await _receivers(tx, visit.now)
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


async def course_of(tx: Transaction, date_range: DateRange, currency: str) -> Course:
    interval = analytics_rules.interval_for(date_range, None)
    cuts = analytics_rules.buckets(date_range, interval)
    now = await analytics_db.series(tx, cuts, None)
    before = await analytics_db.series(tx, analytics_rules.buckets(date_range.previous, interval), None)
    nothing = SalesFigures()
    return Course(
        cuts, [point.get(currency, nothing) for point in now], [point.get(currency, nothing) for point in before]
    )


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


async def _receivers(tx: Transaction, now: Instant) -> list[Receiver]:
    active = [webhook for webhook in await endpoints.all_webhooks(tx) if webhook.is_active]
    return await health.receivers(tx, active, now)


def revenue_chart(course: Course, formats: Formats) -> LineChart:
    labels = [formats.short_day(cut.at) for cut in course.cuts[:-1]]
    now, before = course.now, course.before
    return line_chart(
        "Revenue",
        labels,
        [f.net for f in now],
        [f.net for f in before],
        [f"{formats.money(f.net)} · {plural(f.orders, 'order')}" for f in now],
        [f"{formats.money(f.net)} · {plural(f.orders, 'order')}" for f in before],
        formats.whole_money,
    )


PAGES = (Page("GET", "", "read_only", "Overview", show_overview, "overview.html", group=""),)
