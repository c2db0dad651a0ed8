"""The figures of analytics counted again from orders, lines and refunds: to prove that they agree, and to mend them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from sqlalchemy import BigInteger, Select, bindparam, cast, delete, func, insert, literal, select

from lootkeep.storage import rollups as kept
from lootkeep.storage.database import Transaction
from lootkeep.storage.query import Query
from lootkeep.storage.rollups import DAYS, EIGHTS, MEASURES, MONTHS, QUARTER, QUARTERS, Key
from lootkeep.storage.tables import buyers, order_items, orders, refunds
from lootkeep.storage.tables import sales_rollups as rollups

_SERIES = (QUARTERS, DAYS, MONTHS)

Sums = dict[Key, dict[str, int]]

_LINES = orders.join(order_items, order_items.c.order_id == orders.c.id)
_IS_REFUNDED = orders.c.status == "refunded"


def _by_quarter(at: Any, key: Any, *sums: Any, source: Any = orders, where: Any = None) -> Query[tuple[Any, ...]]:
    """Quarter, key, currency and the sums of the rows that have such a time."""
    columns = [(at // QUARTER).label("quarter"), key.label("key"), orders.c.currency.label("currency")]
    names = [f"sum{number}" for number in range(len(sums))]
    rows: Select[Any] = select(*columns, *(s.label(n) for s, n in zip(sums, names, strict=True)))
    rows = rows.select_from(source).where(at.is_not(None))
    found = (rows if where is None else rows.where(where)).subquery()
    group = (found.c.quarter, found.c.key, found.c.currency)
    return Query(select(*group, *(cast(func.sum(found.c[name]), BigInteger) for name in names)).group_by(*group))


def _lines(at: Any, *sums: Any, where: Any = None) -> Query[tuple[Any, ...]]:
    """The same by product. An order counts once for a product, on however many lines it stands."""
    by_order: Select[Any] = select(
        orders.c.id,
        order_items.c.product_id,
        at.label("at"),
        orders.c.currency,
        *(func.sum(one).label(f"part{number}") for number, one in enumerate(sums)),
    ).select_from(_LINES)
    by_order = by_order.where(at.is_not(None)) if where is None else by_order.where(at.is_not(None), where)
    per = by_order.group_by(orders.c.id, order_items.c.product_id, at, orders.c.currency).subquery()
    rows = select(
        (per.c.at // QUARTER).label("quarter"),
        per.c.product_id,
        per.c.currency,
        literal(1).label("sum0"),
        *(per.c[f"part{number}"].label(f"sum{number + 1}") for number in range(len(sums))),
    ).subquery()
    group = (rows.c.quarter, rows.c.product_id, rows.c.currency)
    names = [f"sum{number}" for number in range(len(sums) + 1)]
    return Query(select(*group, *(cast(func.sum(rows.c[name]), BigInteger) for name in names)).group_by(*group))


_ONE, _NONE = literal(1), literal("")
_MONEY = (orders.c.total, orders.c.discount_total, orders.c.gift_card_total)
_PAID = orders.c.paid_at
_first = select(func.min(_PAID).label("at")).where(_PAID.is_not(None)).group_by(orders.c.customer_id).subquery()
_first_quarters = select((_first.c.at // QUARTER).label("quarter")).subquery()
_FIRST = Query(select(_first_quarters.c.quarter, func.count()).group_by(_first_quarters.c.quarter))

# Dimension, levels, measures, and the query that counts them.
_COUNTS: tuple[tuple[str, tuple[int, ...], tuple[str, ...], Query[tuple[Any, ...]]], ...] = (
    (
        *("all", _SERIES, ("orders", "gross", "discounts", "gift_cards")),
        _by_quarter(_PAID, _NONE, _ONE, *_MONEY),
    ),
    ("all", _SERIES, ("items",), _by_quarter(_PAID, _NONE, order_items.c.quantity, source=_LINES)),
    ("all", _SERIES, ("completed_orders",), _by_quarter(orders.c.completed_at, _NONE, _ONE)),
    ("all", _SERIES, ("refunded_orders",), _by_quarter(orders.c.refunded_at, _NONE, _ONE, where=_IS_REFUNDED)),
    (
        *("all", _SERIES, ("refunds",)),
        _by_quarter(refunds.c.created_at, _NONE, refunds.c.amount, source=refunds.join(orders)),
    ),
    (
        "country",
        (DAYS, MONTHS),
        ("orders", "gross"),
        _by_quarter(_PAID, orders.c.billing_country, _ONE, orders.c.total),
    ),
    ("method", (DAYS, MONTHS), ("orders", "gross"), _by_quarter(_PAID, orders.c.payment_method, _ONE, orders.c.total)),
    (
        *("product", _SERIES, ("orders", "items", "gross")),
        _lines(_PAID, order_items.c.quantity, order_items.c.total),
    ),
    ("product", _SERIES, ("completed_orders",), _lines(orders.c.completed_at)),
    (
        *("product", _SERIES, ("refunded_orders", "refunds")),
        _lines(orders.c.refunded_at, order_items.c.total, where=_IS_REFUNDED),
    ),
)

_KEY = (rollups.c.dimension, rollups.c.level, rollups.c.block, rollups.c.key, rollups.c.currency)
_KEPT = Query(
    select(*_KEY, *(cast(func.sum(rollups.c[name]), BigInteger) for name in MEASURES))
    .where(rollups.c.dimension == bindparam("of_dimension"))
    .group_by(*_KEY)
)
_bought = select(orders.c.paid_at, orders.c.customer_id).where(_PAID.is_not(None)).subquery()
_BOUGHT = Query(select(_bought.c.paid_at, _bought.c.customer_id))
_BUYERS = Query(select(buyers.c.level, buyers.c.block, buyers.c.shard, buyers.c.chunk, buyers.c.bits))
_FORGET_BUYERS = Query(delete(buyers))
_ADD_BUYERS = Query(insert(buyers).values({name: bindparam(f"new_{name}") for name in buyers.c.keys()}))  # noqa: SIM118


async def mend(tx: Transaction) -> dict[str, int]:
    """How many sums and sets of buyers were wrong; in this transaction they are right now."""
    return {"sales figures": await _mend_sums(tx), "buyers": await _mend_buyers(tx)}


async def _mend_sums(tx: Transaction) -> int:
    """One dimension after another: each has as many sums as there are orders at most."""
    return sum([await _mend_dimension(tx, dimension) for dimension in ("all", "country", "method", "product")])


async def _mend_dimension(tx: Transaction, dimension: str) -> int:
    expected = await _expected(tx, dimension)
    rows = await tx.all(_KEPT, of_dimension=dimension)
    found: Sums = {tuple(row[:5]): dict(zip(MEASURES, row[5:], strict=True)) for row in rows}
    wrong = []
    for key in sorted(expected.keys() | found.keys()):
        changes = {name: expected[key].get(name, 0) - found.get(key, {}).get(name, 0) for name in MEASURES}
        if any(changes.values()):
            wrong.append(kept.row(key, 0, changes))
    if wrong:
        await tx.many(kept.ADD, wrong)
    return len(wrong)


async def _expected(tx: Transaction, wanted: str) -> Sums:
    sums: Sums = defaultdict(dict)
    for dimension, levels, names, query in _COUNTS:
        if dimension != wanted:
            continue
        for quarter, key, currency, *values in await tx.all(query):
            _add(
                sums,
                dimension,
                levels,
                quarter,
                "" if key is None else str(key),
                currency,
                zip(names, values, strict=True),
            )
    for quarter, count in await tx.all(_FIRST) if wanted == "all" else ():
        _add(sums, "all", _SERIES, quarter, "", "", [("new_customers", count)])
    return sums


def _add(
    sums: Sums,
    dimension: str,
    levels: tuple[int, ...],
    quarter: int,
    key: str,
    currency: str,
    values: Iterable[tuple[str, int]],
) -> None:
    blocks = (quarter, quarter // 96, kept.month_of(quarter // 96))
    for name, value in list(values):
        for level in levels:
            row = sums[dimension, level, blocks[level], key, currency]
            row[name] = row.get(name, 0) + value


async def _mend_buyers(tx: Transaction) -> int:
    sets: dict[tuple[int, int, int, int], bytearray] = {}
    for paid_at, customer_id in await tx.all(_BOUGHT):
        shard, chunk, bit = kept.place_of(customer_id)
        for level in (DAYS, EIGHTS, MONTHS):
            bits = sets.setdefault((level, kept.block(level, paid_at), shard, chunk), bytearray(kept.CHUNK // 8))
            bits[bit // 8] |= 1 << bit % 8
    expected = {key: bytes(bits).rstrip(b"\0") for key, bits in sets.items()}
    found = {tuple(row[:4]): row[4] for row in await tx.all(_BUYERS)}
    wrong = sum(expected.get(key) != found.get(key) for key in expected.keys() | found.keys())
    if wrong:
        await tx.run(_FORGET_BUYERS)
        names = [f"new_{name}" for name in buyers.c.keys()]  # noqa: SIM118
        await tx.many(_ADD_BUYERS, [dict(zip(names, (*key, expected[key]), strict=True)) for key in sorted(expected)])
    return wrong
