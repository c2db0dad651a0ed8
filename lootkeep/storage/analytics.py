"""Figures of any stretch of time from what is kept per quarter of an hour, day and span of days."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from sqlalchemy import BigInteger, bindparam, cast, func, select

from lootkeep.domain.analytics import Figures, Part
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import counters, sales_direct
from lootkeep.storage.database import Transaction
from lootkeep.storage.lists import among
from lootkeep.storage.orders import COUNTER
from lootkeep.storage.orders import SPANS as ORDER_SPANS
from lootkeep.storage.query import Query
from lootkeep.storage.rollups import DAYS, MEASURES, QUARTER, QUARTERS, SPAN_DAYS, SPANS, place_of
from lootkeep.storage.tables import buyers, products
from lootkeep.storage.tables import sales_rollups as rollups

# Sums by currency; a plain list, since a year of days is added up.
Sums = dict[str, list[int]]

_BLOCKS = (rollups.c.block >= bindparam("first"), rollups.c.block < bindparam("end"))


@cache
def _series_query(is_product: bool) -> Query[tuple[Any, ...]]:
    which = [rollups.c.dimension == "product", rollups.c.key == bindparam("product")]
    # Named by the dimension alone, so that the engines take the primary key.
    where = which if is_product else [rollups.c.dimension == "all"]
    return Query(
        select(rollups.c.block, rollups.c.currency, *(_sum(rollups.c[name]) for name in MEASURES))
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
_BUYERS = Query(
    select(buyers.c.shard, buyers.c.chunk, buyers.c.bits).where(
        buyers.c.level == bindparam("of_level"),
        buyers.c.block >= bindparam("first"),
        buyers.c.block < bindparam("end"),
    )
)


class Whole:
    """A stretch of time as whole spans and days, and what is left over at its ends."""

    def __init__(self, start: Instant, end: Instant) -> None:
        first, last = -(-start // DAY), end // DAY
        self.blocks: list[tuple[int, int, int]] = []
        self.edges: list[tuple[Instant, Instant]] = []
        if first > last:
            self.edges = [(start, end)]
            return
        self.edges = [(Instant(a), Instant(b)) for a, b in ((start, first * DAY), (last * DAY, end)) if a < b]
        span, last_span = -(-first // SPAN_DAYS), last // SPAN_DAYS
        if span < last_span:
            parts = [(DAYS, first, span * SPAN_DAYS), (SPANS, span, last_span), (DAYS, last_span * SPAN_DAYS, last)]
        else:
            parts = [(DAYS, first, last)]
        self.blocks = [(level, a, b) for level, a, b in parts if a < b]


async def series(tx: Transaction, cuts: Sequence[Instant], product_id: int | None) -> list[dict[str, Figures]]:
    """The figures between each cut and the next, by currency."""
    if cuts[-1] - cuts[0] <= DAY or any(b - a < DAY // 2 for a, b in pairwise(cuts)):
        sums = await _by_quarters(tx, cuts, product_id)
    else:
        sums = await _by_days(tx, cuts, product_id)
    return [{currency: _figures(values) for currency, values in one.items()} for one in sums]


async def _by_quarters(tx: Transaction, cuts: Sequence[Instant], product_id: int | None) -> list[Sums]:
    found = await _rows(tx, QUARTERS, cuts[0] // QUARTER, cuts[-1] // QUARTER, product_id)
    sums: list[Sums] = [{} for _ in cuts[1:]]
    number = 0
    for block, currency, *values in sorted(found):
        while block * QUARTER >= cuts[number + 1]:
            number += 1
        _add(sums[number], currency, values, 1)
    return sums


async def _by_days(tx: Transaction, cuts: Sequence[Instant], product_id: int | None) -> list[Sums]:
    """Whole UTC days, and where a cut lies within one, what that day had before it: once taken off, once added."""
    found = await _rows(tx, DAYS, cuts[0] // DAY, cuts[-1] // DAY, product_id)
    sums: list[Sums] = [{} for _ in cuts[1:]]
    number = 0
    for day, currency, *values in sorted(found):
        while day >= cuts[number + 1] // DAY:
            number += 1
        _add(sums[number], currency, values, 1)
    for number, cut in enumerate(cuts):
        if cut % DAY == 0:
            continue
        for _, currency, *values in await _rows(
            tx, QUARTERS, cut // DAY * (DAY // QUARTER), cut // QUARTER, product_id
        ):
            if number < len(sums):
                _add(sums[number], currency, values, -1)
            if number:
                _add(sums[number - 1], currency, values, 1)
    return sums


async def _rows(tx: Transaction, level: int, first: int, end: int, product_id: int | None) -> list[tuple[Any, ...]]:
    which = {} if product_id is None else {"product": str(product_id)}
    return await tx.all(_series_query(product_id is not None), of_level=level, first=first, end=end, **which)


def _add(sums: Sums, currency: str, values: Sequence[int], sign: int) -> None:
    kept = sums.setdefault(currency, [0] * len(MEASURES))
    for index, value in enumerate(values):
        kept[index] += sign * value


def _figures(values: Sequence[int]) -> Figures:
    named: dict[str, Any] = dict(zip(MEASURES, values, strict=True))
    return Figures(**named)


async def parts(
    tx: Transaction, dimension: str, start: Instant, end: Instant, currency: str, product_id: int | None = None
) -> list[Part]:
    """By country, method or product, best first; orders of every currency, money in the store's alone."""
    found: list[tuple[Any, ...]] = []
    if product_id is None:
        whole = Whole(start, end)
        for level, first, last in whole.blocks:
            found += await tx.all(_PARTS, of_dimension=dimension, of_level=level, first=first, end=last)
        for edge in whole.edges:
            found += await sales_direct.parts(tx, dimension, *edge, None)
    else:
        found += await sales_direct.parts(tx, dimension, start, end, product_id)
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for key, of, orders, items, gross in found:
        one = sums["" if key is None else str(key)]
        one[0] += orders
        one[1] += items
        one[2] += gross if of == currency else 0
    made = [Part(key, orders, items, Hundredths(gross)) for key, (orders, items, gross) in sums.items() if orders]
    return sorted(made, key=lambda part: (-part.gross, -part.orders, len(part.key), part.key))


async def statuses(tx: Transaction, start: Instant, end: Instant, product_id: int | None) -> dict[str, int]:
    """Where the orders stand now that were placed in this time."""
    sums: dict[str, int] = defaultdict(int)
    if product_id is not None:
        found = await sales_direct.statuses(tx, start, end, product_id)
        return dict(found)
    whole = Whole(start, end)
    for level, first, last in whole.blocks:
        prefix = ORDER_SPANS if level == SPANS else COUNTER
        for status, count in (await counters.between(tx, prefix, first, last)).items():
            sums[status] += count
    for edge in whole.edges:
        for status, count in await sales_direct.statuses(tx, *edge, None):
            sums[status] += count
    return dict(sums)


async def unique_customers(tx: Transaction, start: Instant, end: Instant, product_id: int | None) -> int:
    """How many different customers bought: sets are joined, not added up."""
    if product_id is not None:
        return len(await sales_direct.buyers(tx, start, end, product_id))
    whole = Whole(start, end)
    sets: dict[tuple[int, int], int] = defaultdict(int)
    for level, first, last in whole.blocks:
        for shard, chunk, bits in await tx.all(_BUYERS, of_level=level, first=first, end=last):
            sets[shard, chunk] |= int.from_bytes(bits, "little")
    for edge in whole.edges:
        for (customer_id,) in await sales_direct.buyers(tx, *edge, None):
            shard, chunk, bit = place_of(customer_id)
            sets[shard, chunk] |= 1 << bit
    return sum(bits.bit_count() for bits in sets.values())


async def product_names(tx: Transaction, product_ids: Sequence[int]) -> dict[int, str]:
    """Of deleted products too."""
    found = await among(tx, products, "id", Product, product_ids)
    return {product.id: product.name for product in found}
