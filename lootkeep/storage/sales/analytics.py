"""Figures of any period from the sums per quarter of an hour and UTC day."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, bindparam, cast, func, select

from lootkeep.domain.analytics import Bucket, SalesBreakdown, SalesFigures
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import one_of
from lootkeep.storage.sales import direct as sales_direct
from lootkeep.storage.schema import products, sales_rollups as rollups
from lootkeep.storage.totals.declared import SALES
from lootkeep.storage.totals.total import DAYS, QUARTER, QUARTERS

# Sums by currency; a plain list, because a year of days is added up.
Sums = dict[str, list[int]]
# Level, first and end of consecutive blocks.
Run = tuple[int, int, int]
# A sign, and what to add or subtract.
SignedRange = tuple[int, Instant, Instant]

_BLOCKS = (rollups.c.block >= bindparam("first"), rollups.c.block < bindparam("stop"))


@cache
def _series_query(is_product: bool) -> Query[tuple[Any, ...]]:
    which = [rollups.c.dimension == "product", rollups.c.key == bindparam("product")]
    # Named by the dimension alone, so the engines use the primary key.
    where = which if is_product else [rollups.c.dimension == "all"]
    return Query(
        select(rollups.c.block, rollups.c.currency, *(_sum(rollups.c[name]) for name in SALES.sums))
        .where(*where, rollups.c.level == bindparam("of_level"), *_BLOCKS)
        .group_by(rollups.c.block, rollups.c.currency)
    )


def _sum(column: Any) -> Any:
    return cast(func.sum(column), BigInteger)


_PARTS = Query(
    select(rollups.c.key, rollups.c.currency, *(_sum(rollups.c[name]) for name in ("orders", "items", "gross")))
    .where(rollups.c.dimension == bindparam("of_dimension"), rollups.c.level == bindparam("of_level"), *_BLOCKS)
    .group_by(rollups.c.key, rollups.c.currency)
)


async def series(tx: Transaction, buckets: Sequence[Bucket], product_id: int | None) -> list[dict[str, SalesFigures]]:
    """The figures of each interval, by currency."""
    is_by_days = all(bucket.day is not None for bucket in buckets)
    sums = await (_by_days if is_by_days else _by_quarters)(tx, buckets, product_id)
    return [{currency: _figures(values) for currency, values in bucket_sums.items()} for bucket_sums in sums]


async def _by_quarters(tx: Transaction, buckets: Sequence[Bucket], product_id: int | None) -> list[Sums]:
    rows = await _rows(tx, [(QUARTERS, buckets[0].at // QUARTER, buckets[-1].at // QUARTER)], product_id)
    sums: list[Sums] = [{} for _ in buckets[1:]]
    number = 0
    for block, currency, *values in sorted(rows):
        while block * QUARTER >= buckets[number + 1].at:
            number += 1
        _add(sums[number], currency, values, 1)
    return sums


async def _by_days(tx: Transaction, buckets: Sequence[Bucket], product_id: int | None) -> list[Sums]:
    """Whole UTC days of the same dates, and the quarters by which the zone's days start earlier or later."""
    days = [bucket.day or 0 for bucket in buckets]
    sums: list[Sums] = [{} for _ in buckets[1:]]
    number = 0
    for day, currency, *values in sorted(await _rows(tx, [(DAYS, days[0], days[-1])], product_id)):
        while day >= days[number + 1]:
            number += 1
        _add(sums[number], currency, values, 1)
    await _shift(tx, sums, buckets, product_id)
    return sums


async def _shift(tx: Transaction, sums: list[Sums], buckets: Sequence[Bucket], product_id: int | None) -> None:
    """Moves what is between the zone's midnights and those of UTC from one bucket to the next."""
    cuts = [(bucket.at // QUARTER, (bucket.day or 0) * DAY // QUARTER) for bucket in buckets]
    runs = [(QUARTERS, min(cut), max(cut)) for cut in cuts if cut[0] != cut[1]]
    # Each midnight is less than a day away from that of UTC: no block is in two runs.
    starts = [min(cut) for cut in cuts]
    for block, currency, *values in await _rows(tx, runs, product_id):
        number = bisect_right(starts, block) - 1
        sign = 1 if cuts[number][0] < cuts[number][1] else -1
        if number < len(sums):
            _add(sums[number], currency, values, sign)
        if number:
            _add(sums[number - 1], currency, values, -sign)


async def _rows(tx: Transaction, runs: Sequence[Run], product_id: int | None) -> list[tuple[Any, ...]]:
    which = {} if product_id is None else {"product": str(product_id)}
    query = _series_query(product_id is not None)
    return await tx.fetch_for_each(query, [_named(run) | which for run in runs])


def _add(sums: Sums, currency: str, values: Sequence[int], sign: int) -> None:
    totals = sums.setdefault(currency, [0] * len(SALES.sums))
    for index, value in enumerate(values):
        totals[index] += sign * value


def _figures(values: Sequence[int]) -> SalesFigures:
    named: dict[str, Any] = dict(zip(SALES.sums, values, strict=True))
    return SalesFigures(**named)


async def parts(
    tx: Transaction, dimension: str, start: Instant, end: Instant, currency: str, product_id: int | None = None
) -> list[SalesBreakdown]:
    """By country, method, product or status, best first; orders in any currency, money only in the store's."""
    # No sums are maintained for a single product: everything is read from the rows.
    days, edges = _nearest(start, end) if product_id is None else (None, [(1, start, end)])
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])

    def add(rows: list[tuple[Any, ...]], sign: int) -> None:
        for key, of, orders, items, gross in rows:
            totals = sums["" if key is None else str(key)]
            totals[0] += sign * orders
            totals[1] += sign * items
            totals[2] += sign * gross if of == currency else 0

    if days:
        add(await tx.all(_PARTS, of_dimension=dimension, **_named(days)), 1)
    for sign, a, b in edges:
        has_quarters = dimension == "product" and product_id is None and a % QUARTER == b % QUARTER == 0
        if has_quarters:
            run = (QUARTERS, a // QUARTER, b // QUARTER)
            add(await tx.all(_PARTS, of_dimension=dimension, **_named(run)), sign)
        else:
            add(await sales_direct.parts(tx, dimension, a, b, product_id), sign)
    result = [
        SalesBreakdown(key, orders, items, Hundredths(gross)) for key, (orders, items, gross) in sums.items() if orders
    ]
    return sorted(result, key=lambda part: (-part.gross, -part.orders, len(part.key), part.key))


def _nearest(start: Instant, end: Instant) -> tuple[Run, list[SignedRange]]:
    """The nearest UTC days, and what to add or subtract at both ends."""
    first, last = (start + DAY // 2) // DAY, (end + DAY // 2) // DAY
    if first >= last:
        return (DAYS, first, first), [(1, start, end)]
    ends = ((start, Instant(first * DAY)), (Instant(last * DAY), end))
    return (DAYS, first, last), [(1, a, b) if a < b else (-1, b, a) for a, b in ends if a != b]


def _named(run: Run) -> dict[str, int]:
    return dict(zip(("of_level", "first", "stop"), run, strict=True))


async def product_names(tx: Transaction, product_ids: Sequence[int]) -> dict[int, str]:
    """Deleted products too."""
    rows = await one_of(tx, products, "id", Product, product_ids)
    return {product.id: product.name for product in rows}
