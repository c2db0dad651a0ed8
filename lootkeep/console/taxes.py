"""The tax of a quarter by country, as it was reported, and the orders whose countries contradict each other."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from lootkeep.console import exports
from lootkeep.console.columns import COUNT, COUNTRY, DAY, ORDER, Cell, Column, Table, amount
from lootkeep.console.guard import Refused
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain import taxes as taxes_rules
from lootkeep.storage.sales import taxes as taxes_db
from lootkeep.views import taxes as taxes_views

# Enough quarters for a correction of the year before last.
_QUARTERS = 12
_SHOWN = 25
_REPORTED = Cell(
    lambda code, row, visit: COUNTRY.html(code, row, visit) if code else '<span class="muted">Not reported</span>'
)
_COUNTRIES = Table(
    columns=(
        Column("Country", "country", _REPORTED),
        Column("Currency", "currency"),
        Column("Orders", "orders_count", COUNT),
        Column("Gross", "gross", amount("currency")),
        Column("Tax", "tax", amount("currency")),
        Column("Net of tax", "net_of_tax", amount("currency")),
        Column("Contradictions", "contradictions", COUNT),
    ),
    empty="No order was paid in this quarter. The checkout reports the tax of an order when it places it.",
)
_CONTRADICTIONS = Table(
    columns=(
        Column("Order", "id", ORDER),
        Column("Paid", "paid_at", DAY),
        Column("Tax", "tax", amount("currency")),
        Column("Tax country", "tax_country", COUNTRY),
        Column("Bill", "billing_country", COUNTRY),
        Column("IP address", "ip_country", COUNTRY),
        Column("Card", "card_country", COUNTRY),
    ),
    link=lambda order: f"/orders/{order.id}",
    empty="No order of this quarter has countries that differ.",
)


async def show(visit: Visit) -> Answer:
    if visit.user.permissions.hides_revenue:
        raise Refused("forbidden", "Your role hides revenue, which is what this page shows.")
    latest = taxes_rules.quarters(visit.now, _QUARTERS)
    quarter = visit.query.get("quarter") or latest[0]
    time = taxes_rules.quarter(quarter)
    async with visit.deps.db.read(slow=True) as tx:
        if visit.query.get("format") == "csv":
            return await _file(quarter, taxes_rules.in_one_file(await taxes_db.orders_of(tx, time.start, time.end)))
        sums = await taxes_db.sums(tx, time.start, time.end)
        orders = await taxes_db.contradicting(tx, time.start, time.end, _SHOWN)
    return {
        "quarter": quarter,
        "quarters": latest,
        "date_range": time,
        "countries": _COUNTRIES,
        "sums": sums,
        "contradictions": _CONTRADICTIONS,
        "orders": orders,
        "contradicting": sum(row.contradictions for row in sums),
    }


async def _file(quarter: str, orders: list[taxes_rules.TaxedOrder]) -> Response:
    return exports.whole_file(f"tax-{quarter}", await asyncio.to_thread(taxes_views.file, orders))


PAGES = (Page("GET", "/analytics/tax", "analytics:read", "Tax", show, "tax.html"),)
