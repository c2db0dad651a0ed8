"""What each customer spent counted again from the orders: to prove that it agrees, and to mend it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Select, bindparam, case, cast, func, literal_column, or_, select, union_all
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import DAY
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rollups import MONTHS, YEARS, first_day, month_of
from lootkeep.storage.schema import orders, spendings

_NOTHING = literal_column("0", BigInteger)
_SUMS = ("orders", "spent")
_BLOCK = bindparam("of_block", type_=BigInteger)
_WITHIN = (bindparam("first", type_=BigInteger), bindparam("stop", type_=BigInteger))


class _Mending:
    """The sums of one block that differ from what they ought to be: to count them, and to put them right."""

    def __init__(self, level: int, expected: Select[Any]) -> None:
        """`expected` answers customer, currency and the sums."""
        of_level = literal_column(str(level), BigInteger)
        less = (cast(-spendings.c[name], BigInteger).label(name) for name in _SUMS)
        there = select(spendings.c.customer_id, spendings.c.currency, *less).where(
            spendings.c.level == of_level, spendings.c.block == _BLOCK
        )
        both = union_all(expected, there).subquery()
        sums = (cast(func.sum(both.c[name]), BigInteger).label(name) for name in _SUMS)
        group = (both.c.customer_id, both.c.currency)
        summed = select(*group, *sums).group_by(*group).subquery()
        is_wrong = or_(*(summed.c[name] != _NOTHING for name in _SUMS))
        names = ["customer_id", "currency", *_SUMS, "level", "block"]
        new = postgresql.insert(spendings).from_select(names, select(*summed.c, of_level, _BLOCK).where(is_wrong))
        self._count = Query(select(func.count()).select_from(summed).where(is_wrong))
        self._add = Query(
            new.on_conflict_do_update(
                index_elements=list(spendings.primary_key.columns),
                set_={name: spendings.c[name] + new.excluded[name] for name in _SUMS},
            )
        )

    async def run(self, tx: Transaction, block: int, first: int, stop: int) -> int:
        ((count,),) = await tx.all(self._count, of_block=block, first=first, stop=stop)
        if count:
            await tx.run(self._add, of_block=block, first=first, stop=stop)
        return int(count)


_standing = cast(case((orders.c.status == "refunded", 0), else_=1), BigInteger)
_MONTH = _Mending(
    MONTHS,
    select(
        orders.c.customer_id,
        orders.c.currency,
        _standing.label("orders"),
        (orders.c.total - orders.c.refunded_total).label("spent"),
    ).where(orders.c.paid_at >= _WITHIN[0], orders.c.paid_at < _WITHIN[1]),
)
# From the months, which are right already.
_YEAR = _Mending(
    YEARS,
    select(spendings.c.customer_id, spendings.c.currency, spendings.c.orders, spendings.c.spent).where(
        spendings.c.level == literal_column(str(MONTHS), BigInteger),
        spendings.c.block >= _WITHIN[0],
        spendings.c.block < _WITHIN[1],
    ),
)
_ENDS = Query(select(func.min(orders.c.paid_at), func.max(orders.c.paid_at)))
_BLOCKS = Query(select(spendings.c.level, spendings.c.block).distinct())


async def mend(tx: Transaction) -> dict[str, int]:
    """How many sums were wrong; in this transaction they are right now."""
    found = await tx.all(_BLOCKS)
    months = {block for level, block in found if level == MONTHS}
    ((earliest, latest),) = await tx.all(_ENDS)
    if earliest is not None:
        months |= set(range(month_of(earliest // DAY), month_of(latest // DAY) + 1))
    years = {block for level, block in found if level == YEARS} | {month // 12 for month in months}
    wrong = [await _MONTH.run(tx, month, first_day(month) * DAY, first_day(month + 1) * DAY) for month in months]
    wrong += [await _YEAR.run(tx, year, year * 12, year * 12 + 12) for year in years]
    return {"spendings": sum(wrong)}
