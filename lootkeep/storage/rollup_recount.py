"""The figures of analytics counted again from orders, lines and refunds: to prove that they agree, and to mend them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Select,
    Text,
    bindparam,
    cast,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    union_all,
)
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import DAY
from lootkeep.storage import rollups as kept
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rollups import DAYS, EIGHTS, MEASURES, MONTHS, QUARTER, QUARTERS
from lootkeep.storage.schema import buyers, order_items, orders, refunds
from lootkeep.storage.schema import sales_rollups as rollups

_LINES = orders.join(order_items, order_items.c.order_id == orders.c.id)
_IS_REFUNDED = orders.c.status == "refunded"
_NOTHING, _ONE = literal_column("0", BigInteger), literal_column("1", BigInteger)
_PAID = orders.c.paid_at
# How many orders are looked at in one go for their buyers, and how many sets of these are written.
_ORDERS_AT_ONCE = 50_000
_SETS_AT_ONCE = 1_000


def _entries(
    at: Any, key: Any, source: Any = orders, currency: Any = orders.c.currency, **measures: Any
) -> Select[Any]:
    """What each row of the source adds to the figures, and when."""
    values = [measures.get(name, _NOTHING).label(name) for name in MEASURES]
    found = select(at.label("at"), func.coalesce(cast(key, Text), "").label("key"), currency.label("currency"), *values)
    return found.select_from(source).where(at.is_not(None))


_EMPTY = literal_column("''", Text)
_first = select(func.min(_PAID).label("at")).where(_PAID.is_not(None)).group_by(orders.c.customer_id).subquery()
# An order counts once for a product, on however many lines it stands.
_of_order = (
    select(
        order_items.c.product_id,
        *(orders.c[name] for name in ("paid_at", "completed_at", "refunded_at", "status", "currency")),
        func.sum(order_items.c.quantity).label("quantity"),
        func.sum(order_items.c.total).label("total"),
    )
    .select_from(_LINES)
    .group_by(orders.c.id, order_items.c.product_id)
    .subquery()
)
_of_product = {"key": _of_order.c.product_id, "source": _of_order, "currency": _of_order.c.currency}
_ENTRIES = {
    "all": (
        _entries(
            *(_PAID, _EMPTY),
            orders=_ONE,
            gross=orders.c.total,
            discounts=orders.c.discount_total,
            gift_cards=orders.c.gift_card_total,
        ),
        _entries(_PAID, _EMPTY, _LINES, items=order_items.c.quantity),
        _entries(orders.c.completed_at, _EMPTY, completed_orders=_ONE),
        _entries(orders.c.refunded_at, _EMPTY, refunded_orders=_ONE).where(_IS_REFUNDED),
        _entries(refunds.c.created_at, _EMPTY, refunds.join(orders), refunds=refunds.c.amount),
        _entries(_first.c.at, _EMPTY, _first, _EMPTY, new_customers=_ONE),
    ),
    "country": (_entries(_PAID, orders.c.billing_country, orders=_ONE, gross=orders.c.total),),
    "method": (_entries(_PAID, orders.c.payment_method, orders=_ONE, gross=orders.c.total),),
    "product": (
        _entries(_of_order.c.paid_at, **_of_product, orders=_ONE, items=_of_order.c.quantity, gross=_of_order.c.total),
        _entries(_of_order.c.completed_at, **_of_product, completed_orders=_ONE),
        _entries(_of_order.c.refunded_at, **_of_product, refunded_orders=_ONE, refunds=_of_order.c.total).where(
            _of_order.c.status == "refunded"
        ),
    ),
}


class _Mending:
    """The sums of one level that differ from what they ought to be: to count them, and to put them right."""

    def __init__(self, dimension: str, level: int, expected: Select[Any], *which: Any) -> None:
        """`expected` answers block, key, currency and the measures; `which` says of which blocks."""
        less = (cast(-rollups.c[name], BigInteger).label(name) for name in MEASURES)
        there = select(rollups.c.block, rollups.c.key, rollups.c.currency, *less).where(
            rollups.c.dimension == dimension, rollups.c.level == level, *which
        )
        both = union_all(expected, there).subquery()
        group = (both.c.block, both.c.key, both.c.currency)
        sums = {name: cast(func.sum(both.c[name]), BigInteger) for name in MEASURES}
        summed = select(*group, *(value.label(name) for name, value in sums.items())).group_by(*group).subquery()
        is_wrong = or_(*(summed.c[name] != _NOTHING for name in MEASURES))
        where = (literal_column(f"'{dimension}'", Text), literal_column(str(level), BigInteger))
        names = ["dimension", "level", "block", "key", "currency", *MEASURES, "shard"]
        new = postgresql.insert(rollups).from_select(names, select(*where, *summed.c, _NOTHING).where(is_wrong))
        self._count = Query(select(func.count()).select_from(summed).where(is_wrong))
        self._add = Query(
            new.on_conflict_do_update(
                index_elements=list(rollups.primary_key.columns),
                set_={name: rollups.c[name] + new.excluded[name] for name in MEASURES},
            )
        )

    async def run(self, tx: Transaction, **values: Any) -> int:
        """Counted first: a million sums are put right without a row of them coming here."""
        ((count,),) = await tx.all(self._count, **values)
        if count:
            await tx.run(self._add, **values)
        return int(count)


def _from_entries(dimension: str, length: int) -> Select[Any]:
    found = union_all(*_ENTRIES[dimension]).subquery()
    return select((found.c.at // length).label("block"), found.c.key, found.c.currency, *_measures(found))


def _from_level(dimension: str, level: int, block: Any, *which: Any) -> Select[Any]:
    """From the sums of a finer level, which are right already."""
    found = select(block.label("block"), rollups.c.key, rollups.c.currency, *_measures(rollups))
    return found.where(rollups.c.dimension == dimension, rollups.c.level == level, *which)


def _measures(source: Any) -> list[Any]:
    return [source.c[name] for name in MEASURES]


def _levels(dimension: str) -> tuple[_Mending, ...]:
    """The finest from the orders, days from quarters. Countries and methods have no quarters."""
    if dimension in ("country", "method"):
        return (_Mending(dimension, DAYS, _from_entries(dimension, DAY)),)
    return (
        _Mending(dimension, QUARTERS, _from_entries(dimension, QUARTER)),
        _Mending(dimension, DAYS, _from_level(dimension, QUARTERS, rollups.c.block // (DAY // QUARTER))),
    )


def _month(dimension: str) -> _Mending:
    month = bindparam("month", type_=BigInteger)
    within = (rollups.c.block >= bindparam("first"), rollups.c.block < bindparam("end"))
    return _Mending(dimension, MONTHS, _from_level(dimension, DAYS, month, *within), rollups.c.block == month)


_MENDINGS = {dimension: (_levels(dimension), _month(dimension)) for dimension in _ENTRIES}
_BLOCKS = Query(
    select(rollups.c.level, rollups.c.block)
    .where(rollups.c.dimension == bindparam("of_dimension"), rollups.c.level != QUARTERS)
    .distinct()
)

_BOUGHT = Query(
    select(orders.c.id, orders.c.paid_at, orders.c.customer_id)
    .where(orders.c.id > bindparam("after"), _PAID.is_not(None))
    .order_by(orders.c.id)
    .limit(_ORDERS_AT_ONCE)
)
_BUYERS = Query(select(buyers.c.level, buyers.c.block, buyers.c.shard, buyers.c.chunk, buyers.c.bits))
_FORGET_BUYERS = Query(delete(buyers))
_ADD_BUYERS = Query(
    insert(buyers).values({name: bindparam(f"new_{name}") for name in buyers.c.keys()}),  # noqa: SIM118
    at_once=True,
)


async def mend(tx: Transaction) -> dict[str, int]:
    """How many sums and sets of buyers were wrong; in this transaction they are right now."""
    return {"sales figures": await _mend_sums(tx), "buyers": await _mend_buyers(tx)}


async def _mend_sums(tx: Transaction) -> int:
    wrong = 0
    for dimension, (levels, month) in _MENDINGS.items():
        for level in levels:
            wrong += await level.run(tx)
        blocks = await tx.all(_BLOCKS, of_dimension=dimension)
        for number in sorted({block if level == MONTHS else kept.month_of(block) for level, block in blocks}):
            first, end = kept.first_day(number), kept.first_day(number + 1)
            wrong += await month.run(tx, month=number, first=first, end=end)
    return wrong


async def _mend_buyers(tx: Transaction) -> int:
    expected = await _expected_buyers(tx)
    found = {tuple(row[:4]): row[4] for row in await tx.all(_BUYERS)}
    wrong = sum(expected.get(key) != found.get(key) for key in expected.keys() | found.keys())
    if wrong:
        await tx.run(_FORGET_BUYERS)
        names = [f"new_{name}" for name in buyers.c.keys()]  # noqa: SIM118
        rows = [dict(zip(names, (*key, expected[key]), strict=True)) for key in sorted(expected)]
        for start in range(0, len(rows), _SETS_AT_ONCE):
            await tx.many(_ADD_BUYERS, rows[start : start + _SETS_AT_ONCE])
    return wrong


async def _expected_buyers(tx: Transaction) -> dict[tuple[int, ...], bytes]:
    sets: dict[tuple[int, ...], bytearray] = {}
    after = 0
    while found := await tx.all(_BOUGHT, after=after):
        for _, paid_at, customer_id in found:
            shard, chunk, bit = kept.place_of(customer_id)
            for level in (DAYS, EIGHTS, MONTHS):
                bits = sets.setdefault((level, kept.block(level, paid_at), shard, chunk), bytearray())
                if len(bits) <= bit // 8:
                    bits.extend(bytes(bit // 8 + 1 - len(bits)))
                bits[bit // 8] |= 1 << bit % 8
        after = found[-1][0]
    return {key: bytes(bits) for key, bits in sets.items()}
