"""Totals that are kept while writing, so that reading them costs the same however much there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sqlalchemy import BigInteger, Select, Text, bindparam, cast, func, literal_column, select, union_all
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import IsAmong
from lootkeep.storage.query import Query
from lootkeep.storage.rollups import SHARDS, Rollups
from lootkeep.storage.tables import counters

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
_NAMED = IsAmong(counters.c.name, bindparam("names", type_=Text))
_DAYS = Query(
    select(counters.c.bucket, _SUM)
    .where(_NAMED, counters.c.bucket >= bindparam("first_day"), counters.c.bucket < bindparam("end_day"))
    .group_by(counters.c.bucket)
    .order_by(counters.c.bucket.desc())
)
_BLOCKS = Query(
    select(counters.c.bucket, _SUM)
    .where(_NAMED, counters.c.bucket < TOTAL, counters.c.bucket > bindparam("after"))
    .group_by(counters.c.bucket)
    .order_by(counters.c.bucket)
)


def _buckets(first: str, end: str) -> Select[tuple[str, int]]:
    return select(counters.c.name, counters.c.value).where(
        _NAMED, counters.c.bucket >= bindparam(first), counters.c.bucket < bindparam(end)
    )


_TOTAL_OF = Query(select(func.coalesce(_SUM, 0)).where(_NAMED, _IS_TOTAL))
_span = union_all(
    _buckets("first_day", "first_end"), _buckets("first_block", "end_block"), _buckets("last_day", "last_end")
).subquery()
_BETWEEN = Query(select(_span.c.name, cast(func.sum(_span.c.value), BigInteger)).group_by(_span.c.name))
_ALL = Query(select(counters.c.name, counters.c.bucket, _SUM).group_by(counters.c.name, counters.c.bucket))


class Place(NamedTuple):
    """Where items of a list lie, newest first: before `end` so many are skipped, and none is older than `start`."""

    end: Instant
    skip: int
    start: Instant


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
    days = await between(tx, names, Instant(0) if since is None else since, NO_END if until is None else until)
    return sum(days.values())


async def between(tx: Transaction, names: Iterable[str], first: Instant, end: Instant) -> dict[str, int]:
    """The totals of these names over whole days, from the day of `first` to the day before that of `end`."""
    return dict(await tx.all(_BETWEEN, names=" ".join(names), **_bounds(max(0, first // DAY), end // DAY)))


def _bounds(first_day: int, end_day: int) -> dict[str, int]:
    """Whole blocks, and the days before and after them."""
    first, end = -(-first_day // _BLOCK_DAYS), end_day // _BLOCK_DAYS
    if first >= end:
        # No block lies in between: only days.
        first, end, first_end, last_day = 0, 0, end_day, end_day
    else:
        first_end, last_day = first * _BLOCK_DAYS, end * _BLOCK_DAYS
    return {
        "first_day": first_day,
        "first_end": first_end,
        "first_block": TOTAL - end,
        "end_block": TOTAL - first,
        "last_day": last_day,
        "last_end": end_day,
    }


async def place(
    tx: Transaction, names: Iterable[str], offset: int, *, until: Instant | None = None
) -> tuple[Instant, int]:
    """Where the item lies that has `offset` newer ones before it: a time, and how many to skip from there back.

    So a page in the middle of a list costs what the first one does, however long the list is. The items are those
    counted under the names; `until`, the start of a day, leaves out what is newer.
    """
    found = await stretch(tx, names, offset, 1, until)
    return found.end, found.skip


async def stretch(tx: Transaction, names: Iterable[str], offset: int, size: int, until: Instant | None = None) -> Place:
    """The same for several items in a row, with the time before which none of them lies."""
    named = " ".join(names)
    end = NO_END if until is None else until
    end_day = end // DAY
    first_day = end_day - end_day % _BLOCK_DAYS
    if until is not None:
        # This block is cut: what it holds in all says nothing.
        found, end, offset = _walk(await _days(tx, named, first_day, end_day), end, offset, size)
        if found:
            return found
    for bucket, count in await tx.all(_BLOCKS, names=named, after=TOTAL - 1 - first_day // _BLOCK_DAYS):
        first_day = (TOTAL - 1 - bucket) * _BLOCK_DAYS
        if offset < count:
            found, end, offset = _walk(await _days(tx, named, first_day, first_day + _BLOCK_DAYS), end, offset, size)
            if found:
                return found
        offset -= count
        end = Instant(first_day * DAY)
    return Place(end, offset, Instant(0))


async def _days(tx: Transaction, named: str, first_day: int, end_day: int) -> Iterator[tuple[int, int]]:
    return iter(await tx.all(_DAYS, names=named, first_day=first_day, end_day=end_day))


def _walk(days: Iterator[tuple[int, int]], end: Instant, offset: int, size: int) -> tuple[Place | None, Instant, int]:
    """Goes back day by day. If the place lies behind all of them, tells where they end and how many are left."""
    for day, count in days:
        if offset < count:
            end = Instant((day + 1) * DAY)
            return Place(end, offset, _beginning(days, day, count - offset - size)), end, offset
        offset -= count
        end = Instant(day * DAY)
    return None, end, offset


def _beginning(days: Iterator[tuple[int, int]], day: int, spare: int) -> Instant:
    """The start of the day on which the last wanted item lies; that of time when none of these days is it."""
    while spare < 0:
        day, count = next(days, (0, 0))
        if day == 0:
            break
        spare += count
    return Instant(day * DAY)


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
