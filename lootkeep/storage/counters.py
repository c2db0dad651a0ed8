"""Totals that are kept while writing, so that reading them costs the same however much there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import BigInteger, Select, Text, bindparam, cast, func, literal_column, select, union_all
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsAmong, Unseen
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rollups import SHARDS, Rollups
from lootkeep.storage.schema import counters

# The bucket of a total. Days since the epoch are buckets from 0 on, blocks of days those below the total: a list of
# many years is looked through block by block first.
TOTAL = -1
_BLOCK_DAYS = 16
# After every day that there is.
NO_END = Instant(2**62)

_NEW = postgresql.insert(counters).values(
    name=bindparam("counter"), bucket=bindparam("day"), shard=bindparam("part"), value=bindparam("change")
)
_ADD = Query(
    _NEW.on_conflict_do_update(
        index_elements=["name", "bucket", "shard"], set_={"value": counters.c.value + _NEW.excluded.value}
    ),
    at_once=True,
)
_SUM = cast(func.sum(counters.c.value), BigInteger)
# Written out: only so do the engines see that the index of the totals will do.
_IS_TOTAL = counters.c.bucket == literal_column(str(TOTAL), BigInteger)
_TOTALS = Query(
    select(counters.c.name, _SUM).where(counters.c.name.like(bindparam("pattern")), _IS_TOTAL).group_by(counters.c.name)
)


def _number(name: str) -> Unseen:
    return Unseen(bindparam(name, type_=BigInteger))


_NAMED = IsAmong(counters.c.name, bindparam("names", type_=Text))


def _part(first: str, end: str, sign: str | None = None) -> Select[tuple[str, int, int]]:
    value = counters.c.value if sign is None else counters.c.value * _number(sign)
    return select(counters.c.name, counters.c.bucket, value.label("value")).where(
        _NAMED, counters.c.bucket >= _number(first), counters.c.bucket < _number(end)
    )


_TOTAL_OF = Query(select(func.coalesce(_SUM, 0)).where(_NAMED, _IS_TOTAL))
_span = union_all(
    _part("first_day", "first_end", "first_sign"),
    _part("first_block", "end_block"),
    _part("last_day", "last_end", "last_sign"),
).subquery()
_SPAN_SUM = cast(func.sum(_span.c.value), BigInteger)
_BETWEEN = Query(select(_span.c.name, _SPAN_SUM).group_by(_span.c.name))
_ALL = Query(select(counters.c.name, counters.c.bucket, _SUM).group_by(counters.c.name, counters.c.bucket))


class Changes:
    """Changes of totals that a deed gathers on its way and applies at its end."""

    def __init__(self, *, spread: int) -> None:
        self._shard = spread % SHARDS
        self._changes: dict[tuple[str, int], int] = {}
        self.rollups = Rollups(spread=spread)

    def add(self, name: str, change: int, *, at: Instant | None = None) -> None:
        """With a time, the total is kept by day and by block of days as well."""
        for bucket in (TOTAL,) if at is None else (TOTAL, *dated(at // DAY)):
            self._changes[name, bucket] = self._changes.get((name, bucket), 0) + change

    async def apply(self, tx: Transaction) -> None:
        """The last step of a deed, always in the same order: two deeds never wait for each other in a circle."""
        rows = [
            {"counter": name, "day": bucket, "part": self._shard, "change": change}
            for (name, bucket), change in sorted(self._changes.items())
            if change
        ]
        if rows:
            await tx.many(_ADD, rows)
        await self.rollups.apply(tx)


def dated(day: int) -> tuple[int, int]:
    """The buckets in which something of this day is counted, besides the total."""
    return day, TOTAL - 1 - day // _BLOCK_DAYS


async def totals(tx: Transaction, prefix: str) -> dict[str, int]:
    """All totals under a prefix such as `referrals.`, without it; what was never counted is not there."""
    rows = await tx.all(_TOTALS, pattern=prefix + "%")
    return {name.removeprefix(prefix): total for name, total in rows}


async def total(
    tx: Transaction, names: Iterable[str], *, since: Instant | None = None, until: Instant | None = None
) -> int:
    """The sum of these totals; of whole days when a stretch of time is given."""
    if since is None and until is None:
        ((kept,),) = await tx.all(_TOTAL_OF, names=" ".join(names))
        return int(kept)
    return sum((await between(tx, names, since, until)).values())


async def between(
    tx: Transaction, names: Iterable[str], since: Instant | None, until: Instant | None
) -> dict[str, int]:
    """The totals of these names over whole days, from the day of `since` to the day before that of `until`."""
    return dict(await tx.all(_BETWEEN, names=" ".join(names), **_bounds(_day(since, 0), _day(until, NO_END))))


def _bounds(first_day: int, end_day: int) -> dict[str, int]:
    """The blocks in these days. Of one that is cut, the fewer days are read: those inside, or those to be taken off."""
    (first, before), (end, inside) = divmod(first_day, _BLOCK_DAYS), divmod(end_day, _BLOCK_DAYS)
    if first == end:
        return _ranges((first_day, end_day, 1), (0, 0), (0, 0, 1))
    head = (first_day - before, first_day, -1)
    if before > _BLOCK_DAYS // 2:
        first += 1
        head = (first_day, first * _BLOCK_DAYS, 1)
    tail = (end_day - inside, end_day, 1)
    if inside > _BLOCK_DAYS // 2:
        end += 1
        tail = (end_day, end * _BLOCK_DAYS, -1)
    return _ranges(head, (first, end), tail)


def _ranges(head: tuple[int, int, int], blocks: tuple[int, int], tail: tuple[int, int, int]) -> dict[str, int]:
    first, end = blocks
    return {
        **dict(zip(("first_day", "first_end", "first_sign"), head, strict=True)),
        "first_block": TOTAL - end,
        "end_block": TOTAL - first,
        **dict(zip(("last_day", "last_end", "last_sign"), tail, strict=True)),
    }


def _day(time: Instant | None, default: int) -> int:
    return max(0, default if time is None else time) // DAY


async def set_all(tx: Transaction, expected: Mapping[tuple[str, int], int]) -> int:
    """Sets every total to what was counted anew; tells how many were wrong."""
    kept = {(name, bucket): value for name, bucket, value in await tx.all(_ALL)}
    wrong = 0
    for name, bucket in kept.keys() | expected.keys():
        change = expected.get((name, bucket), 0) - kept.get((name, bucket), 0)
        if change:
            wrong += 1
            await tx.run(_ADD, counter=name, day=bucket, part=0, change=change)
    return wrong
