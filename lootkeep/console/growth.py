"""Growth: cohorts of buyers, the way to a second order, revenue by product and country, campaigns and coupons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from starlette.responses import Response

from lootkeep.console import exports
from lootkeep.console.charts import grid_file, line_chart, svg_file
from lootkeep.console.columns import COUNT, NAME, Column, Table, amount
from lootkeep.console.figures import date_range_of
from lootkeep.console.formats import country
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain import analytics as analytics_rules
from lootkeep.domain.analytics import DateRange
from lootkeep.kernel import money
from lootkeep.kernel.clock import DAY, Instant, iso
from lootkeep.kernel.errors import NotFound
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.wording import number, percent, plural
from lootkeep.services import sales as sales_service
from lootkeep.services.sales import Ranked
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.sales import growth as growth_db

_MONTHS = 12
# Products and countries with a chart each, and rows of the tables.
_CHARTS = 4
_SHOWN = 10
# What a point of a chart is: a day, a week or more, so that the charts together are no large page.
_DAYS_OF_A_POINT = (1, 7, 28, 91, 182)
_MAX_POINTS = 31
# A purchase counts for a campaign for this long after the click.
_WITHIN_DAYS = 7
_CAMPAIGNS = Table(
    columns=(
        Column("Campaign", "name", NAME),
        Column("Sent", "sent", COUNT),
        Column("Opened", "opened", COUNT),
        Column("Clicked", "clicked", COUNT),
        Column("Orders", "orders", COUNT),
        Column("Revenue", "revenue", amount()),
    ),
    link=lambda campaign: f"/campaigns/{campaign.id}",
    empty="Campaigns that were sent in this range, with what those who clicked bought.",
)
_COUPONS = Table(
    columns=(
        Column("Coupon", "code", NAME),
        Column("Orders", "orders", COUNT),
        Column("Discounts", "discounts", amount()),
        Column("Revenue", "revenue", amount()),
    ),
    empty="Coupons of orders that were paid in this range.",
)


@dataclass(frozen=True, slots=True)
class Cohort:
    """Who bought for the first time in a month, and how many of them bought in each later one."""

    month: str
    counts: Sequence[int]

    @property
    def shares(self) -> list[tuple[str, str]]:
        """Of each month the share, and how many that are."""
        return [(percent(count, self.counts[0]), number(count)) for count in self.counts]

    @property
    def cells(self) -> list[tuple[float, str]]:
        """For a picture: how many there were, and the share of each later month with its text."""
        first, *later = self.counts
        return [(0, number(first)), *((count / first, percent(count, first)) for count in later)]


async def show(visit: Visit) -> Answer:
    date_range, period, periods = date_range_of(visit)
    start, end, currency = date_range.start, date_range.end, visit.deps.currency
    async with visit.deps.db.read(slow=True) as tx:
        cohorts = await _cohorts(tx, visit)
        steps = await growth_db.funnel(tx, start, end)
        charts = {} if visit.user.permissions.hides_revenue else await _charts(tx, visit, date_range)
        within = _WITHIN_DAYS * DAY
        campaigns = await growth_db.campaign_results(tx, start, end, currency, within, _SHOWN)
        coupons = await growth_db.coupon_results(tx, start, end, currency, _SHOWN)
    funnel = _funnel(steps)
    tables: dict[str, tuple[Table, Sequence[Any]]]
    tables = {"campaigns": (_CAMPAIGNS, campaigns), "coupons": (_COUPONS, coupons)}
    if visit.query.get("format") in ("csv", "svg"):
        return _file(visit, cohorts, funnel, charts, tables)
    return {
        "date_range": date_range,
        "period": period,
        "periods": periods,
        "cohorts": [cohort for cohort in cohorts if cohort.counts[0]],
        "months": _MONTHS,
        "funnel": funnel,
        "charts": charts,
        "tables": {name: (table.seen_by(visit), rows) for name, (table, rows) in tables.items()},
        "within": _WITHIN_DAYS,
    }


async def _cohorts(tx: Transaction, visit: Visit) -> list[Cohort]:
    months = analytics_rules.months(visit.now, visit.options.timezone, _MONTHS)
    counts = await growth_db.cohorts(tx, [start for _, start in months])
    return [Cohort(f"{first:%b %Y}", row) for (first, _), row in zip(months, counts, strict=False)]


def _funnel(steps: Sequence[int]) -> list[tuple[str, int, str]]:
    """Each step with its share of those who signed up."""
    names = ("Signed up", "Bought once", "Bought again")
    return [(name, count, percent(count, steps[0])) for name, count in zip(names, steps, strict=True)]


async def _charts(tx: Transaction, visit: Visit, date_range: DateRange) -> dict[str, dict[str, Any]]:
    """Of the best products and countries, by their names in a file."""
    currency = visit.deps.currency
    best = [("product", part) for part in await sales_service.best_products(tx, date_range, currency, _CHARTS)]
    best += [("country", part) for part in await sales_service.best_parts(tx, "country", date_range, currency, _CHARTS)]
    return {f"{kind}-{part.part.key}": await _chart(tx, visit, date_range, kind, part) for kind, part in best}


async def _chart(tx: Transaction, visit: Visit, date_range: DateRange, dimension: str, part: Ranked) -> dict[str, Any]:
    first, stop = (day.toordinal() - date(1970, 1, 1).toordinal() for day in (date_range.first, date_range.last))
    days = await growth_db.by_day(tx, dimension, part.part.key, first, stop + 1, visit.deps.currency)
    step = next(days for days in _DAYS_OF_A_POINT if stop - first < days * _MAX_POINTS)
    starts = range(first, stop + 1, step)
    each = [[days.get(day, (0, 0)) for day in range(start, min(start + step, stop + 1))] for start in starts]
    sold = [(sum(gross for gross, _ in bucket), sum(count for _, count in bucket)) for bucket in each]
    labels = [visit.formats.short_day(Instant(start * DAY)) for start in starts]
    points = [(gross, f"{visit.formats.money(gross)} · {plural(count, 'order')}") for gross, count in sold]
    name = country(part.name) if dimension == "country" else part.name
    rows = zip(starts, sold, strict=True)
    lines = [
        [iso(Instant(start * DAY))[:10], count, money.decimal(Hundredths(gross))] for start, (gross, count) in rows
    ]
    chart = line_chart(name, labels, points, [], visit.formats.tick)
    return chart | {"lines": [["From (UTC)", "Orders", "Revenue"], *lines]}


def _file(
    visit: Visit,
    cohorts: Sequence[Cohort],
    funnel: Sequence[tuple[str, int, str]],
    charts: dict[str, dict[str, Any]],
    tables: dict[str, tuple[Table, Sequence[Any]]],
) -> Answer:
    """The chart or table that the address asks for."""
    name = visit.query.get("of", "")
    if visit.query["format"] == "svg":
        return _picture(name, cohorts, funnel, charts)
    if name in charts:
        return exports.csv_file(name, charts[name]["lines"])
    lines: list[list[object]]
    if name == "cohorts":
        lines = [["First order", *(f"Month {month}" for month in range(_MONTHS))]]
        return exports.csv_file(name, [*lines, *([cohort.month, *cohort.counts] for cohort in cohorts)])
    if name == "funnel":
        return exports.csv_file(name, [["Step", "Customers", "Share"], *funnel])
    if name not in tables:
        raise NotFound("Chart")
    table, rows = tables[name]
    return exports.csv_file(name, table.csv(rows, visit))


def _picture(
    name: str,
    cohorts: Sequence[Cohort],
    funnel: Sequence[tuple[str, int, str]],
    charts: dict[str, dict[str, Any]],
) -> Response:
    if name in charts:
        return svg_file(name, charts[name])
    if name == "funnel":
        steps = [(step, [(count / (funnel[0][1] or 1), f"{number(count)}, {share}")]) for step, count, share in funnel]
        return grid_file(name, "From sign-up to the second order", ["Customers"], steps)
    if name != "cohorts":
        raise NotFound("Chart")
    months = [(cohort.month, cohort.cells) for cohort in cohorts if cohort.counts[0]]
    heads = ["Buyers", *(f"+{month}" for month in range(1, _MONTHS))]
    return grid_file(name, "Buyers by the month of their first order, who bought again", heads, months)


PAGES = (Page("GET", "/analytics/growth", "analytics:read", "Growth", show, "growth.html"),)
