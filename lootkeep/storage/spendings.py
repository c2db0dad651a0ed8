"""What each customer spent by UTC month and year, and who spent most in any stretch of time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from sqlalchemy import BigInteger, Select, bindparam, case, cast, func, literal_column, select, union_all
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
    """Where candidates are looked for: whole months or years that a stretch touches, or all time."""

    of: Literal["blocks", "all"]
    level: int = 0
    first: int = 0
    stop: int = 1

    @property
    def parts(self) -> int:
        """A sum over the cover has a part of at least its value by this."""
        return self.stop - self.first

    @property
    def values(self) -> dict[str, int]:
        return {"of_level": self.level, "first": self.first, "stop": self.stop} if self.of == "blocks" else {}


async def top(tx: Transaction, start: Instant, end: Instant, currency: str, size: int) -> list[TopCustomer]:
    """Who spent most in this time.

    Who is not among those that spent at least `floor` in some part of the cover spent less than `floor` in each of
    them: so as soon as the last of the best has `floor` for every part, nobody else can be among them.
    """
    cover = _cover(start, end)
    query, values = _best_query(cover.of), cover.values | _inner(start, end) | {"in_currency": currency}
    floor = await _first_floor(tx, cover, currency, _FIRST_LOOK * size - 1)
    while True:
        best = await tx.all(query, floor=floor, size=size, **values)
        needed = -(-best[-1].spent // cover.parts) if len(best) == size else 1
        if floor <= needed:
            return best
        # Too few of those who spent most around this time bought in it.
        floor = needed if len(best) == size else max(1, floor // 8)


def _cover(start: Instant, end: Instant) -> _Cover:
    first, last = month_of(start // DAY), month_of((end - 1) // DAY)
    if last - first < _MOST_MONTHS:
        return _Cover("blocks", MONTHS, first, last + 1)
    if last // 12 - first // 12 < _MOST_YEARS:
        return _Cover("blocks", YEARS, first // 12, last // 12 + 1)
    return _Cover("all")


def _inner(start: Instant, end: Instant) -> dict[str, int]:
    """The whole years, the whole months around them, and the times that are left over at both ends."""
    first, last = month_of(-(-start // DAY)), month_of(end // DAY)
    if first_day(first) * DAY < start:
        first += 1
    if first >= last:
        return _named([(0, 0), (0, 0), (0, 0), (start, end), (0, 0)])
    edges = [(start, first_day(first) * DAY), (first_day(last) * DAY, end)]
    year, stop = -(-first // 12), last // 12
    if year >= stop:
        return _named([(0, 0), (first, last), (0, 0), *edges])
    return _named([(year, stop), (first, year * 12), (stop * 12, last), *edges])


_SPANS = ("years", "months_before", "months_after", "time_before", "time_after")


def _named(spans: Sequence[tuple[int, int]]) -> dict[str, int]:
    return {f"{name}_{end}": at for name, span in zip(_SPANS, spans, strict=True) for end, at in zip("ab", span)}


_IN_CURRENCY = bindparam("in_currency")
_THESE = (
    spendings.c.level == bindparam("of_level"),
    spendings.c.currency == _IN_CURRENCY,
    spendings.c.spent > 0,
)
_FLOORS = {
    "blocks": Query(
        select(spendings.c.spent)
        .where(*_THESE, spendings.c.block == bindparam("of_block"))
        .order_by(spendings.c.spent.desc())
        .limit(1)
        .offset(bindparam("skip"))
    ),
    "all": Query(
        select(customers.c.total_spent)
        .where(customers.c.total_spent > 0)
        .order_by(customers.c.total_spent.desc(), customers.c.id.desc())
        .limit(1)
        .offset(bindparam("skip"))
    ),
}


async def _first_floor(tx: Transaction, cover: _Cover, currency: str, skip: int) -> int:
    if cover.of == "all":
        found = await tx.all(_FLOORS["all"], skip=skip)
    else:
        blocks = range(cover.first, cover.stop)
        same = {"of_level": cover.level, "in_currency": currency, "skip": skip}
        found = await tx.each(_FLOORS["blocks"], [{"of_block": block} | same for block in blocks])
    return max((amount for (amount,) in found), default=1)


@cache
def _best_query(of: Literal["blocks", "all"]) -> Query[TopCustomer]:
    candidates = _candidates(of).cte("candidates")
    parts = [_kept(candidates, level, span) for level, span in zip((YEARS, MONTHS, MONTHS), _SPANS[:3], strict=True)]
    parts += [_direct(candidates, span) for span in _SPANS[3:]]
    both = union_all(*parts).subquery()
    sums = select(both.c.id, *(cast(func.sum(both.c[name]), BigInteger).label(name) for name in _SUMS))
    summed = sums.group_by(both.c.id).subquery()
    return Query(
        select(customers.c.id, customers.c.name, customers.c.email, summed.c.orders, summed.c.spent)
        .join_from(summed, customers, customers.c.id == summed.c.id)
        .where(summed.c.spent > 0)
        .order_by(summed.c.spent.desc(), customers.c.total_spent.desc(), customers.c.id.desc())
        .limit(bindparam("size")),
        TopCustomer,
    )


def _candidates(of: Literal["blocks", "all"]) -> Select[Any]:
    floor = bindparam("floor", type_=BigInteger)
    if of == "all":
        return select(customers.c.id.label("id")).where(customers.c.total_spent >= floor)
    blocks = (spendings.c.block >= bindparam("first"), spendings.c.block < bindparam("stop"))
    return select(spendings.c.customer_id.label("id")).where(*_THESE, *blocks, spendings.c.spent >= floor).distinct()


def _kept(candidates: Any, level: int, span: str) -> Select[Any]:
    return (
        select(candidates.c.id, spendings.c.orders, _if_counted(spendings.c.currency, spendings.c.spent))
        .join_from(candidates, spendings, spendings.c.customer_id == candidates.c.id)
        .where(
            spendings.c.level == literal_column(str(level), BigInteger),
            spendings.c.block >= bindparam(f"{span}_a", type_=BigInteger),
            spendings.c.block < bindparam(f"{span}_b", type_=BigInteger),
        )
    )


def _direct(candidates: Any, span: str) -> Select[Any]:
    kept = _if_counted(orders.c.currency, orders.c.total - orders.c.refunded_total)
    is_standing = cast(case((orders.c.status == "refunded", 0), else_=1), BigInteger)
    return (
        select(candidates.c.id, is_standing.label("orders"), kept)
        .join_from(candidates, orders, orders.c.customer_id == candidates.c.id)
        .where(
            orders.c.paid_at >= bindparam(f"{span}_a", type_=BigInteger),
            orders.c.paid_at < bindparam(f"{span}_b", type_=BigInteger),
        )
    )


def _if_counted(currency: Any, amount: Any) -> Any:
    """Of the currency that is asked for; orders are counted in all of them."""
    return case((currency == _IN_CURRENCY, amount), else_=0).label("spent")
