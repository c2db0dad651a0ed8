"""Totals that are kept while writing, so that reading them costs the same however much there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import BigInteger, Text, bindparam, cast, func, literal_column, select
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import IsAmong
from lootkeep.storage.query import Query
from lootkeep.storage.rollups import SHARDS, Rollups
from lootkeep.storage.tables import counters

# The bucket of a total; the others are days since the epoch.
TOTAL = -1
# After every day that there is.
_NO_END = 2**62 // DAY

_NEW = postgresql.insert(counters).values(
    name=bindparam("counter"), bucket=bindparam("day"), shard=bindparam("part"), value=bindparam("change")
)
_ADD = Query(
    _NEW.on_conflict_do_update(
        index_elements=["name", "bucket", "shard"], set_={"value": counters.c.value + _NEW.excluded.value}
    )
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
    .where(_NAMED, counters.c.bucket > TOTAL, counters.c.bucket < bindparam("end"))
    .group_by(counters.c.bucket)
    .order_by(counters.c.bucket.desc())
)
_BETWEEN = Query(
    select(counters.c.name, _SUM)
    .where(_NAMED, counters.c.bucket >= bindparam("first"), counters.c.bucket < bindparam("end"))
    .group_by(counters.c.name)
)
_ALL = Query(select(counters.c.name, counters.c.bucket, _SUM).group_by(counters.c.name, counters.c.bucket))


class Changes:
    """Changes of totals that a deed gathers on its way and applies at its end."""

    def __init__(self, *, spread: int) -> None:
        self._shard = spread % SHARDS
        self._changes: dict[tuple[str, int], int] = {}
        self.rollups = Rollups(spread=spread)

    def add(self, name: str, change: int, *, at: Instant | None = None) -> None:
        """With a time, the total is kept by day as well."""
        buckets = (TOTAL,) if at is None else (TOTAL, at // DAY)
        for bucket in buckets:
            self.add_to(name, bucket, change)

    def add_to(self, name: str, bucket: int, change: int) -> None:
        self._changes[name, bucket] = self._changes.get((name, bucket), 0) + change

    async def apply(self, tx: Transaction) -> None:
        """The last step of a deed, always in the same order: two deeds never wait for each other in a circle."""
        for (name, bucket), change in sorted(self._changes.items()):
            if change:
                await tx.run(_ADD, counter=name, day=bucket, part=self._shard, change=change)
        await self.rollups.apply(tx)


async def totals(tx: Transaction, prefix: str) -> dict[str, int]:
    """All totals under a prefix such as `referrals.`, without it; what was never counted is not there."""
    rows = await tx.all(_TOTALS, pattern=prefix + "%")
    return {name.removeprefix(prefix): total for name, total in rows}


async def between(tx: Transaction, names: Iterable[str], first: int, end: int) -> dict[str, int]:
    """Each of these totals over some of its buckets, the end excluded; what was never counted is not there."""
    return dict(await tx.all(_BETWEEN, names=" ".join(names), first=first, end=end))


async def total(
    tx: Transaction, names: Iterable[str], *, since: Instant | None = None, until: Instant | None = None
) -> int:
    """The sum of these totals; of whole days when a stretch of time is given."""
    if since is None and until is None:
        return sum((await between(tx, names, TOTAL, TOTAL + 1)).values())
    first, end = 0 if since is None else since // DAY, _NO_END if until is None else until // DAY
    return sum((await between(tx, names, first, end)).values())


async def place(
    tx: Transaction, names: Iterable[str], offset: int, *, until: Instant | None = None
) -> tuple[Instant, int]:
    """Where the item lies that has `offset` newer ones before it: a time, and how many to skip from there back.

    So a page in the middle of a list costs what the first one does, however long the list is. The items are those
    counted under the names; `until`, the start of a day, leaves out what is newer.
    """
    end = Instant(_NO_END * DAY) if until is None else until
    for day, count in await tx.all(_DAYS, names=" ".join(names), end=end // DAY):
        if offset < count:
            break
        offset -= count
        end = Instant(day * DAY)
    return end, offset


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
