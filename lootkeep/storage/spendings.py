"""What each customer spent by UTC month and year, and who spent most in any stretch of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, bindparam, case, cast, func, select
from sqlalchemy.dialects import postgresql

from lootkeep.domain.analytics import TopCustomer
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.query import Query
from lootkeep.storage.rollups import MONTHS, YEARS, first_day, month_of
from lootkeep.storage.tables import customers, orders, spendings

# Those who spent most are looked for among the months that a stretch touches, if they are so few,
_MOST_MONTHS = 4
# or else among the years, or, if these are more, among those who spent most of all.
_MOST_YEARS = 3
# So many times those that are wanted are looked at first.
_FIRST_LOOK = 2

_KEY = ("customer_id", "level", "block", "currency")
_SUMS = ("orders", "spent")
_NEW = postgresql.insert(spendings).values({name: bindparam(f"new_{name}") for name in (*_KEY, *_SUMS)})
_ADD = Query(
    _NEW.on_conflict_do_update(
        index_elements=list(_KEY), set_={name: spendings.c[name] + _NEW.excluded[name] for name in _SUMS}
    ),
    at_once=True,
)


async def add(tx: Transaction, order: Order, orders_change: int, amount: int) -> None:
    """A refund is taken off the time in which its order was paid."""
    assert order.paid_at is not None
    month = month_of(order.paid_at // DAY)
    same = {"new_customer_id": order.customer_id, "new_currency": order.currency}
    same |= {"new_orders": orders_change, "new_spent": amount}
    levels = ((MONTHS, month), (YEARS, month // 12))
    await tx.many(_ADD, [{"new_level": level, "new_block": block} | same for level, block in levels])


class _Cover(NamedTuple):
    """Where candidates are looked for: whole months or years that a stretch touches; without a level, all time."""

    level: int | None
    first: int = 0
    stop: int = 1

    @property
    def parts(self) -> int:
        """A sum over the cover has a part of at least its value by this."""
        return self.stop - self.first

    def blocks(self, currency: str) -> list[dict[str, Any]]:
        same = {"of_level": self.level, "in_currency": currency}
        return [{"of_block": block} | same for block in range(self.first, self.stop)]


async def top(tx: Transaction, start: Instant, end: Instant, currency: str, size: int) -> list[TopCustomer]:
    """Who spent most in this time.

    Who is not among those that spent at least `floor` in some part of the cover spent less than `floor` in each of
    them: so as soon as the last of the best has `floor` for every part, nobody else can be among them.
    """
    cover, spans, around = _cover(start, end), _spans(start, end), [_months_around(start, end)]
    floor = await _first_floor(tx, cover, currency, _FIRST_LOOK * size - 1)
    sums: dict[int, tuple[int, int]] = {}
    spent: list[int] = []
    while True:
        new = [found for found in await _candidates(tx, cover, currency, floor) if found not in sums]
        sums |= dict.fromkeys(new, (0, 0))
        if len(spent) == size and _has_edges(spans):
            # Most are out of the running by whole months already, and their orders need not be looked at.
            most = await _sums(tx, new, around, currency)
            new = [one for one in new if one in most and most[one][1] >= spent[-1]]
        sums |= await _sums(tx, new, spans, currency)
        spent = sorted((amount for _, amount in sums.values() if amount > 0), reverse=True)[:size]
        needed = -(-spent[-1] // cover.parts) if len(spent) == size else 1
        if floor <= needed:
            return await _best(tx, sums, spent[-1] if spent else 1, size)
        # Or too few of those who spent most around this time bought in it.
        floor = needed if len(spent) == size else max(1, floor // 8)


def _cover(start: Instant, end: Instant) -> _Cover:
    first, last = month_of(start // DAY), month_of((end - 1) // DAY)
    if last - first < _MOST_MONTHS:
        return _Cover(MONTHS, first, last + 1)
    if last // 12 - first // 12 < _MOST_YEARS:
        return _Cover(YEARS, first // 12, last // 12 + 1)
    return _Cover(None)


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


_IN_CURRENCY = bindparam("in_currency")
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
_CANDIDATES = Query(select(spendings.c.customer_id).where(*_THESE, spendings.c.spent >= _AMOUNT))
_CANDIDATES_OF_ALL = Query(select(customers.c.id).where(customers.c.total_spent >= _AMOUNT))


async def _first_floor(tx: Transaction, cover: _Cover, currency: str, skip: int) -> int:
    if cover.level is None:
        found = await tx.all(_FLOOR_OF_ALL, skip=skip)
    else:
        found = await tx.each(_FLOOR, [block | {"skip": skip} for block in cover.blocks(currency)])
    return max((amount for (amount,) in found), default=1)


async def _candidates(tx: Transaction, cover: _Cover, currency: str, floor: int) -> set[int]:
    if cover.level is None:
        found = await tx.all(_CANDIDATES_OF_ALL, floor=floor)
    else:
        found = await tx.each(_CANDIDATES, [block | {"floor": floor} for block in cover.blocks(currency)])
    return {customer_id for (customer_id,) in found}


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
    tx: Transaction, candidates: Sequence[int], spans: Sequence[Span], currency: str
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
    return [TopCustomer(who[0], who[1], who[2], count, spent) for (count, spent), who in found[:size]]
