"""The tax report: what was reported by country, and where the evidence of an order contradicts itself."""

from __future__ import annotations

import re
from datetime import date, timedelta

import msgspec

from lootkeep.domain.analytics import FIRST_YEAR, LAST_YEAR, DateRange
from lootkeep.kernel.clock import Instant, utc
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.money import Hundredths

# A file of more orders is asked for in parts.
MAX_ORDERS = 100_000
_QUARTER = re.compile(r"([0-9]{4})-Q([1-4])")


class TaxSum(msgspec.Struct, frozen=True):
    """A country and a currency: what was paid and not refunded, and the tax in it."""

    country: str | None
    currency: str
    orders_count: int
    gross: Hundredths
    tax: Hundredths
    contradictions: int

    @property
    def net_of_tax(self) -> Hundredths:
        return Hundredths(self.gross - self.tax)


class TaxedOrder(msgspec.Struct, frozen=True):
    """A paid order, with its countries as far as they are known."""

    id: int
    paid_at: Instant
    currency: str
    total: Hundredths
    refunded_total: Hundredths
    tax_total: Hundredths | None
    tax_rate: str | None
    # What remains of the tax after refunds.
    tax: Hundredths
    tax_country: str | None
    billing_country: str | None
    ip_country: str | None
    card_country: str | None

    @property
    def contradicts(self) -> bool:
        return len({self.billing_country, self.ip_country, self.card_country} - {None}) > 1


def quarter(name: str) -> DateRange:
    """A quarter such as 2026-Q4, of UTC days."""
    parts = _QUARTER.fullmatch(name)
    if not parts or not FIRST_YEAR <= int(parts[1]) <= LAST_YEAR:
        raise invalid("quarter", "The quarter field must be a quarter such as 2026-Q4.")
    year, month = int(parts[1]), 3 * int(parts[2]) - 2
    following = date(year + month // 10, (month + 2) % 12 + 1, 1)
    return DateRange(date(year, month, 1), following - timedelta(days=1), "UTC")


def quarters(now: Instant, count: int) -> list[str]:
    """The names of the latest quarters, the current one first."""
    today = utc(now).date()
    latest = today.year * 4 + (today.month - 1) // 3
    return [f"{number // 4}-Q{number % 4 + 1}" for number in range(latest, latest - count, -1)]


def in_one_file(orders: list[TaxedOrder]) -> list[TaxedOrder]:
    if len(orders) > MAX_ORDERS:
        raise invalid("from", f"The from field and to have more than {MAX_ORDERS:,} paid orders: ask for less time.")
    return orders
