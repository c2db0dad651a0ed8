"""The tax report over HTTP."""

from __future__ import annotations

import asyncio
from typing import Annotated

from lootkeep.api.external.date_ranges import date_range_of
from lootkeep.api.http.fields import QueryDate, field
from lootkeep.api.http.routes import Call, ExtensionRoute, Reply, many
from lootkeep.api.http.validation import QueryParameters
from lootkeep.domain import taxes as taxes_rules
from lootkeep.domain.analytics import DateRange
from lootkeep.kernel.errors import invalid
from lootkeep.storage.sales import taxes as taxes_db
from lootkeep.views import taxes as taxes_views


class TaxQuery(QueryParameters):
    """Which time, in UTC days: a quarter, or two days. The current quarter by default."""

    quarter: Annotated[str | None, field("A quarter.", "2026-Q4", max_length=7)] = None
    from_: Annotated[QueryDate | None, field("The first day; requires `to`.", alias="from")] = None
    to: Annotated[QueryDate | None, field("The last day, inclusive; requires `from`.")] = None


async def get_taxes(call: Call[None, TaxQuery]) -> Reply:
    time = _date_range(call)
    async with call.deps.db.read(slow=True) as tx:
        if not call.is_csv_asked:
            return Reply([taxes_views.tax_sum(row) for row in await taxes_db.sums(tx, time.start, time.end)])
        orders = taxes_rules.in_one_file(await taxes_db.orders_of(tx, time.start, time.end))
    return Reply(csv=await asyncio.to_thread(taxes_views.file, orders))


def _date_range(call: Call[None, TaxQuery]) -> DateRange:
    query = call.query
    if query.from_ is not None or query.to is not None:
        if query.quarter is not None:
            raise invalid("quarter", "The quarter field must not be sent together with from and to.")
        return date_range_of(query.from_, query.to, "UTC")
    (current,) = taxes_rules.quarters(call.deps.clock.now(), 1)
    return taxes_rules.quarter(current if query.quarter is None else query.quarter)


ROUTES = (
    ExtensionRoute(
        "GET",
        "/analytics/tax",
        get_taxes,
        "analytics:read",
        "Read the tax report",
        many(taxes_views.TaxSumView),
        description="The tax of paid orders by country, as the checkout reported it, by the time of the payment; "
        "refunds reduce it in proportion. With the header `Accept: text/csv` one line for each order, with the "
        "countries of its bill, IP address and card.",
    ),
)
