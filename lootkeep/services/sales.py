"""Sales of a period compared with the previous period, and the best sellers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lootkeep.domain import analytics as analytics_rules
from lootkeep.domain.analytics import Bucket, DateRange, SalesBreakdown, SalesFigures
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.sales import analytics as analytics_db


@dataclass(frozen=True, slots=True)
class IntervalFigures:
    """One interval of a period."""

    bucket: Bucket
    figures: SalesFigures


@dataclass(frozen=True, slots=True)
class Course:
    """The figures of each interval of a period, in the store's currency, and of the previous period."""

    cuts: Sequence[Bucket]
    now: list[SalesFigures]
    before: list[SalesFigures]

    @property
    def steps(self) -> list[IntervalFigures]:
        return [IntervalFigures(*pair) for pair in zip(self.cuts, self.now, strict=False)]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A product, a country or a payment method with its name."""

    part: SalesBreakdown
    name: str


async def course_of(tx: Transaction, date_range: DateRange, currency: str) -> Course:
    interval = analytics_rules.interval_for(date_range, None)
    cuts = analytics_rules.buckets(date_range, interval)
    now = await analytics_db.series(tx, cuts, None)
    before = await analytics_db.series(tx, analytics_rules.buckets(date_range.previous, interval), None)
    nothing = SalesFigures()
    return Course(
        cuts, [point.get(currency, nothing) for point in now], [point.get(currency, nothing) for point in before]
    )


async def best_products(tx: Transaction, date_range: DateRange, currency: str, size: int) -> list[Ranked]:
    """The best ones with their names."""
    best = (await analytics_db.parts(tx, "product", date_range.start, date_range.end, currency))[:size]
    names = await analytics_db.product_names(tx, [int(part.key) for part in best])
    return [Ranked(part, names.get(int(part.key), "")) for part in best]


async def best_parts(tx: Transaction, kind: str, date_range: DateRange, currency: str, size: int) -> list[Ranked]:
    best = (await analytics_db.parts(tx, kind, date_range.start, date_range.end, currency))[:size]
    return [Ranked(part, part.key or "Not known") for part in best]
