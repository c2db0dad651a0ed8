"""What each customer spent by UTC month and year, and who spent most in any stretch of time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import BigInteger, BindParameter, bindparam, case, cast, func, select
from sqlalchemy.dialects import postgresql

from lootkeep.domain.analytics import TopCustomer
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rollups import MONTHS, YEARS, first_day, month_of
from lootkeep.storage.schema import customers, orders, spendings

# Of a year, so many months are looked at one by one at most; more of them as the whole year.
_MOST_MONTHS = 4
# In a stretch that touches more years, those are looked for who spent most of all.
_MOST_YEARS = 3
# So many times those that are wanted are looked at first.
_FIRST_LOOK = 2
# Where more have spent alike, all orders are added up at once rather than theirs one by one.
_MOST_CANDIDATES = 1_000

_KEY = ("customer_id", "level", "block", "currency")
_SUMS = ("orders", "spent")
_NEW = postgresql.insert(spendings).values({name: bindparam(f"new_{name}") for name in (*_KEY, *_SUMS)})
_ADD = Query(
    _NEW.on_conflict_do_update(
        index_elements=list(_KEY), set_={name: spendings.c[name] + _NEW.excluded[name] for name in _SUMS}
    ),
    at_once=True,
)


async def add(tx: Transaction, changes: Iterable[tuple[Order, int, int]]) -> None:
    """How many orders and how much more, of different customers.

    A refund is taken off the time in which its order was paid.
    """
    rows: list[dict[str, Any]] = []
    for order, orders_change, amount in changes:
        assert order.paid_at is not None
        month = month_of(order.paid_at // DAY)
        same = {"new_customer_id": order.customer_id, "new_currency": order.currency}
        same |= {"new_orders": orders_change, "new_spent": amount}
        levels = ((MONTHS, month), (YEARS, month // 12))
        rows += [{"new_level": level, "new_block": block} | same for level, block in levels]
    await tx.many(_ADD, rows)


# A month or a year that a stretch touches: level and number. Without a level, all time.
Block = tuple[int | None, int]


async def top(tx: Transaction, start: Instant, end: Instant, currency: str, size: int) -> list[TopCustomer] | None:
    """Who spent most in this time; None where too many have spent alike to look at each.

    Whoever spent less than the floor of each block that the time touches spent less than all floors together. So as
    soon as the last of the best has spent that much, nobody else can be among them.
    """
    blocks, spans, around = _blocks(start, end), _spans(start, end), [_months_around(start, end)]
    rich = [await _nth(tx, block, currency, _FIRST_LOOK * size - 1) for block in blocks]
    floors = [max(rich)] * len(blocks)
    sums: dict[int, tuple[int, int]] = {}
    spent: list[int] = []
    while True:
        found = await _candidates(tx, blocks, floors, currency)
        if len(found) > _MOST_CANDIDATES:
            return None
        new = {customer_id for (customer_id,) in found} - sums.keys()
        sums |= dict.fromkeys(new, (0, 0))
        if len(spent) == size and _has_edges(spans):
            # Most are out of the running by whole months already, and their orders need not be looked at.
            most = await _sums(tx, new, around, currency)
            new = {one for one in most if most[one][1] >= spent[-1]}
        sums |= await _sums(tx, new, spans, currency)
        spent = sorted((amount for _, amount in sums.values() if amount > 0), reverse=True)[:size]
        is_full = len(spent) == size
        if max(floors) == 1 or (is_full and sum(floors) - len(floors) < spent[-1]):
            return await _best(tx, sums, spent[-1] if spent else 1, size)
        # In the proportions of what is spent in each block; or too few of those who spend much bought in this time.
        floors = [-(-spent[-1] * one // sum(rich)) if is_full else max(1, floors[0] // 8) for one in rich]


def _blocks(start: Instant, end: Instant) -> list[Block]:
    """Few, and little longer than the time: years, but single months of a year of which few are touched."""
    months = range(month_of(start // DAY), month_of((end - 1) // DAY) + 1)
    years = sorted({month // 12 for month in months})
    if len(months) > _MOST_MONTHS and len(years) > _MOST_YEARS:
        return [(None, 0)]
    found: list[Block] = []
    for year in years:
        touched = [month for month in months if month // 12 == year]
        found += [(YEARS, year)] if len(touched) > _MOST_MONTHS else [(MONTHS, month) for month in touched]
    return found


# Level, first and end of some blocks; without a level, a time.
Span = tuple[int | None, int, int]


def _months_around(start: Instant, end: Instant) -> Span:
    return MONTHS, month_of(start // DAY), month_of((end - 1) // DAY) + 1


def _spans(start: Instant, end: Instant) -> list[Span]:
    """The whole years, the whole months around them, and the times that are left over at both ends."""
    first, last = month_of(-(-start // DAY)), month_of(end // DAY)
    if first_day(first) * DAY < start:
        first += 1
    if first >= last:
        return [(None, start, end)]
    year, stop = -(-first // 12), last // 12
    months = [(first, last)] if year >= stop else [(first, year * 12), (stop * 12, last)]
    spans: list[Span] = [(YEARS, year, stop), *((MONTHS, *run) for run in months)]
    spans += [(None, start, first_day(first) * DAY), (None, first_day(last) * DAY, end)]
    return [span for span in spans if span[1] < span[2]]


def _has_edges(spans: Sequence[Span]) -> bool:
    return any(level is None for level, _, _ in spans)


_IN_CURRENCY: BindParameter[str] = bindparam("in_currency")
_THESE = (
    spendings.c.level == bindparam("of_level"),
    spendings.c.block == bindparam("of_block"),
    spendings.c.currency == _IN_CURRENCY,
)
_RICH = customers.c.total_spent.desc(), customers.c.id.desc()
_FLOOR = Query(
    select(spendings.c.spent)
    .where(*_THESE, spendings.c.spent > 0)
    .order_by(spendings.c.spent.desc())
    .limit(1)
    .offset(bindparam("skip"))
)
_FLOOR_OF_ALL = Query(
    select(customers.c.total_spent)
    .where(customers.c.total_spent > 0)
    .order_by(*_RICH)
    .limit(1)
    .offset(bindparam("skip"))
)
_AMOUNT = bindparam("floor", type_=BigInteger)
_CANDIDATES = Query(
    select(spendings.c.customer_id).where(*_THESE, spendings.c.spent >= _AMOUNT).limit(_MOST_CANDIDATES + 1)
)
_CANDIDATES_OF_ALL = Query(select(customers.c.id).where(customers.c.total_spent >= _AMOUNT).limit(_MOST_CANDIDATES + 1))


async def _nth(tx: Transaction, block: Block, currency: str, skip: int) -> int:
    """What the customer spent in the block who has so many before them."""
    level, number = block
    if level is None:
        found = await tx.all(_FLOOR_OF_ALL, skip=skip)
    else:
        found = await tx.all(_FLOOR, of_level=level, of_block=number, in_currency=currency, skip=skip)
    return int(found[0][0]) if found else 1


async def _candidates(tx: Transaction, blocks: Sequence[Block], floors: Sequence[int], currency: str) -> list[Any]:
    """Who spent at least the floor of some block, once for each; one too many when there are more of a block."""
    if blocks[0][0] is None:
        return await tx.all(_CANDIDATES_OF_ALL, floor=floors[0])
    asked = [
        {"of_level": level, "of_block": block, "in_currency": currency, "floor": floor}
        for (level, block), floor in zip(blocks, floors, strict=True)
    ]
    return await tx.each(_CANDIDATES, asked)


def _if_counted(currency: Any, amount: Any) -> Any:
    """Of the currency that is asked for; orders are counted in all of them."""
    return cast(func.sum(case((currency == _IN_CURRENCY, amount), else_=0)), BigInteger)


_CUSTOMER = bindparam("customer", type_=BigInteger)
_FIRST, _STOP = bindparam("first", type_=BigInteger), bindparam("stop", type_=BigInteger)
_OF_BLOCKS = Query(
    select(
        spendings.c.customer_id,
        cast(func.sum(spendings.c.orders), BigInteger),
        _if_counted(spendings.c.currency, spendings.c.spent),
    )
    .where(
        spendings.c.customer_id == _CUSTOMER,
        spendings.c.level == bindparam("of_level"),
        spendings.c.block >= _FIRST,
        spendings.c.block < _STOP,
    )
    .group_by(spendings.c.customer_id)
)
_OF_TIME = Query(
    select(
        orders.c.customer_id,
        func.count().filter(orders.c.status != "refunded"),
        _if_counted(orders.c.currency, orders.c.total - orders.c.refunded_total),
    )
    .where(orders.c.customer_id == _CUSTOMER, orders.c.paid_at >= _FIRST, orders.c.paid_at < _STOP)
    .group_by(orders.c.customer_id)
)


async def _sums(
    tx: Transaction, candidates: Collection[int], spans: Sequence[Span], currency: str
) -> dict[int, tuple[int, int]]:
    """Orders and money of each in the spans together; who has none in them is not there."""
    sums: dict[int, tuple[int, int]] = {}
    for level, first, stop in spans:
        same = {"first": first, "stop": stop, "in_currency": currency} | ({} if level is None else {"of_level": level})
        query = _OF_TIME if level is None else _OF_BLOCKS
        for customer_id, count, amount in await tx.each(query, [{"customer": one} | same for one in candidates]):
            before = sums.get(customer_id, (0, 0))
            sums[customer_id] = before[0] + count, before[1] + amount
    return sums


_NAMED = Query(
    select(customers.c.id, customers.c.name, customers.c.email, customers.c.total_spent).where(
        customers.c.id == _CUSTOMER
    )
)


async def _best(tx: Transaction, sums: dict[int, tuple[int, int]], least: int, size: int) -> list[TopCustomer]:
    """Among equals, who spent more in all comes first, then who came last."""
    wanted = [{"customer": customer_id} for customer_id, (_, spent) in sums.items() if spent >= least]
    found = [(sums[one[0]], one) for one in (await tx.each(_NAMED, wanted) if wanted else [])]
    found.sort(key=lambda pair: (pair[0][1], pair[1][3], pair[1][0]), reverse=True)
    return [TopCustomer(who[0], who[1], who[2], count, Hundredths(spent)) for (count, spent), who in found[:size]]
