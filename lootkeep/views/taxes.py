"""The tax report in public: a table by country, and a file with one line per order."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Annotated

import msgspec

from lootkeep.domain.orders import order_number
from lootkeep.domain.taxes import TaxedOrder, TaxSum
from lootkeep.kernel.clock import iso
from lootkeep.kernel.money import text
from lootkeep.views.fields import field

_COLUMNS = (
    *("order_number", "paid_at", "currency", "total", "refunded_total", "tax_rate", "tax_total", "tax_after_refunds"),
    *("tax_country", "billing_country", "ip_country", "card_country", "contradicts"),
)


class TaxSumView(msgspec.Struct, frozen=True):
    country: Annotated[str | None, field("Where the tax is due; null if it was not reported.", "DE")]
    currency: Annotated[str, field("ISO 4217.", "EUR")]
    orders_count: Annotated[int, field("The number of paid orders.", 12)]
    gross: Annotated[str, field("What was paid and not refunded, tax included.", "240.00")]
    tax: Annotated[str, field("The tax in it, as it was reported.", "38.32")]
    contradictions: Annotated[
        int, field("Orders whose countries differ: of the bill, the IP address and the card, as far as known.", 1)
    ]


def tax_sum(row: TaxSum) -> TaxSumView:
    return TaxSumView(row.country, row.currency, row.orders_count, text(row.gross), text(row.tax), row.contradictions)


def file(orders: Iterable[TaxedOrder]) -> bytes:
    content = io.StringIO()
    rows = csv.writer(content)
    rows.writerow(_COLUMNS)
    for order in orders:
        reported = "" if order.tax_total is None else text(order.tax_total)
        countries = (order.tax_country, order.billing_country, order.ip_country, order.card_country)
        rows.writerow(
            (
                *(order_number(order.id), iso(order.paid_at), order.currency, text(order.total)),
                *(text(order.refunded_total), order.tax_rate or "", reported, text(order.tax)),
                *(country or "" for country in countries),
                "yes" if order.contradicts else "no",
            )
        )
    return content.getvalue().encode()
