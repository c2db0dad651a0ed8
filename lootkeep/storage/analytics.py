"""Figures of any stretch of time from what is kept per quarter of an hour, UTC day and UTC month."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any, get_args

from sqlalchemy import BigInteger, bindparam, cast, func, select

from lootkeep.domain.analytics import Cut, Figures, Part, TopCustomer
from lootkeep.domain.orders import OrderStatus
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import counters, sales_direct, spendings, stretches
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import among
from lootkeep.storage.orders import COUNTER
from lootkeep.storage.rollups import (
    CHUNK,
    DAYS,
    MEASURES,
    MONTHS,
    QUARTER,
    QUARTERS,
    first_day,
    month_of,
    place_of,
)
from lootkeep.storage.schema import buyers, products
from lootkeep.storage.schema import sales_rollups as rollups

# Sums by currency; a plain list, since a year of days is added up.
Sums = dict[str, list[int]]

_BLOCKS = (rollups.c.block >= bindparam("first"), rollups.c.block < bindparam("stop"))


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
        buyers.c.block < bindparam("stop"),
    )
)


async def series(tx: Transaction, cuts: Sequence[Cut], product_id: int | None) -> list[dict[str, Figures]]:
    """The figures between each cut and the next, by currency."""
    is_by_days = all(cut.day is not None for cut in cuts)
    sums = await (_by_days if is_by_days else _by_quarters)(tx, cuts, product_id)
    return [{currency: _figures(values) for currency, values in one.items()} for one in sums]


async def _by_quarters(tx: Transaction, cuts: Sequence[Cut], product_id: int | None) -> list[Sums]:
    found = await _rows(tx, QUARTERS, cuts[0].at // QUARTER, cuts[-1].at // QUARTER, product_id)
    sums: list[Sums] = [{} for _ in cuts[1:]]
    number = 0
    for block, currency, *values in sorted(found):
        while block * QUARTER >= cuts[number + 1].at:
            number += 1
        _add(sums[number], currency, values, 1)
    return sums


async def _by_days(tx: Transaction, cuts: Sequence[Cut], product_id: int | None) -> list[Sums]:
    """Whole UTC days of the same dates, and the quarters by which the zone's days begin earlier or later."""
    days = [cut.day or 0 for cut in cuts]
    sums: list[Sums] = [{} for _ in cuts[1:]]
    for level, first, end in _runs(days):
        number = 0
        for block, currency, *values in sorted(await _rows(tx, level, first, end, product_id)):
            day = first_day(block) if level == MONTHS else block
            while day >= days[number + 1]:
                number += 1
            _add(sums[number], currency, values, 1)
    for number, cut in enumerate(cuts):
        await _shift(tx, sums, number, cut, product_id)
    return sums


def _runs(days: Sequence[int]) -> list[tuple[int, int, int]]:
    """What to read for intervals that begin on these days: months where each lies within one interval."""
    (begin, end), around = stretches.months_and_days(days[0], days[-1])
    cut_within = {month_of(day) for day in days[1:-1] if first_day(month_of(day)) != day}
    if cut_within & set(range(begin, end)):
        return [(DAYS, days[0], days[-1])]
    return stretches.some([(MONTHS, begin, end), *((DAYS, *run) for run in around)])


async def _shift(tx: Transaction, sums: list[Sums], number: int, cut: Cut, product_id: int | None) -> None:
    """Moves what lies between the zone's midnight and that of UTC from one side of the cut to the other."""
    utc = (cut.day or 0) * DAY
    if cut.at == utc:
        return
    sign = 1 if cut.at < utc else -1
    first, end = sorted((cut.at // QUARTER, utc // QUARTER))
    for _, currency, *values in await _rows(tx, QUARTERS, first, end, product_id):
        if number < len(sums):
            _add(sums[number], currency, values, sign)
        if number:
            _add(sums[number - 1], currency, values, -sign)


async def _rows(tx: Transaction, level: int, first: int, end: int, product_id: int | None) -> list[tuple[Any, ...]]:
    which = {} if product_id is None else {"product": str(product_id)}
    return await tx.all(_series_query(product_id is not None), of_level=level, first=first, stop=end, **which)


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
    # With a product nothing is kept: all of it is an edge.
    runs, edges = stretches.nearest(start, end) if product_id is None else ([], [(1, start, end)])
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])

    def add(found: list[tuple[Any, ...]], sign: int) -> None:
        for key, of, orders, items, gross in found:
            one = sums["" if key is None else str(key)]
            one[0] += sign * orders
            one[1] += sign * items
            one[2] += sign * gross if of == currency else 0

    for sign in (1, -1):
        signed = [{"of_dimension": dimension, **stretches.named(run)} for of_sign, run in runs if of_sign == sign]
        if signed:
            add(await tx.each(_PARTS, signed), sign)
    for sign, a, b in edges:
        has_quarters = dimension == "product" and product_id is None and a % QUARTER == b % QUARTER == 0
        if has_quarters:
            run = (QUARTERS, a // QUARTER, b // QUARTER)
            add(await tx.all(_PARTS, of_dimension=dimension, **stretches.named(run)), sign)
        else:
            add(await sales_direct.parts(tx, dimension, a, b, product_id), sign)
    made = [Part(key, orders, items, Hundredths(gross)) for key, (orders, items, gross) in sums.items() if orders]
    return sorted(made, key=lambda part: (-part.gross, -part.orders, len(part.key), part.key))


async def statuses(tx: Transaction, start: Instant, end: Instant, product_id: int | None) -> dict[str, int]:
    """Where the orders stand now that were placed in this time."""
    runs, edges = stretches.nearest(start, end) if product_id is None else ([], [(1, start, end)])
    sums: dict[str, int] = defaultdict(int)
    if runs:
        names = [COUNTER + status for status in get_args(OrderStatus)]
        days = (Instant(day * DAY) for day in stretches.nearest_days(start, end))
        for name, count in (await counters.between(tx, names, *days)).items():
            sums[name.removeprefix(COUNTER)] += count
    for sign, a, b in edges:
        for status, count in await sales_direct.statuses(tx, a, b, product_id):
            sums[status] += sign * count
    return dict(sums)


async def unique_customers(tx: Transaction, start: Instant, end: Instant, product_id: int | None) -> int:
    """How many different customers bought: sets are joined, not added up."""
    if product_id is not None:
        return len(await sales_direct.buyers(tx, start, end, product_id))
    runs, edges = stretches.within(start, end)
    sets: dict[tuple[int, int], int] = defaultdict(int)
    for shard, chunk, bits in await tx.each(_BUYERS, [stretches.named(run) for run in runs]):
        sets[shard, chunk] |= int.from_bytes(bits, "little")
    at_ends: dict[tuple[int, int], bytearray] = defaultdict(lambda: bytearray(CHUNK // 8))
    for edge in edges:
        for (customer_id,) in await sales_direct.buyers(tx, *edge, None):
            shard, chunk, bit = place_of(customer_id)
            at_ends[shard, chunk][bit // 8] |= 1 << bit % 8
    for place, some in at_ends.items():
        sets[place] |= int.from_bytes(some, "little")
    return sum(bits.bit_count() for bits in sets.values())


# So few orders are added up at once rather than looked through by customer.
_FEW = 1_000


async def top_customers(
    tx: Transaction, start: Instant, end: Instant, currency: str, size: int, *, orders: int, product_id: int | None
) -> list[TopCustomer]:
    """Who spent most in this time, of `orders` orders."""
    found = None
    if orders > _FEW and product_id is None:
        found = await spendings.top(tx, start, end, currency, size)
    return found if found is not None else await sales_direct.top_customers(tx, start, end, currency, size, product_id)


async def product_names(tx: Transaction, product_ids: Sequence[int]) -> dict[int, str]:
    """Of deleted products too."""
    found = await among(tx, products, "id", Product, product_ids)
    return {product.id: product.name for product in found}
