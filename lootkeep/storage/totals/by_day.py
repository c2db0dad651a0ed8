"""How many orders or fraud checks each UTC day has, by the sums that are maintained."""

from __future__ import annotations

from sqlalchemy import BigInteger, bindparam, cast, func, select

from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import sales_rollups as rollups
from lootkeep.storage.totals.total import DAYS

_COUNTS = (
    select(rollups.c.block, cast(func.sum(rollups.c.orders), BigInteger))
    .where(rollups.c.dimension == bindparam("of_dimension"), rollups.c.level == DAYS)
    .group_by(rollups.c.block)
)
_ALL, _OF_KEY = Query(_COUNTS), Query(_COUNTS.where(rollups.c.key == bindparam("of_key")))
_BETWEEN = Query(
    select(rollups.c.block, rollups.c.key, cast(func.sum(rollups.c.orders), BigInteger))
    .where(
        rollups.c.dimension == bindparam("of_dimension"),
        rollups.c.level == DAYS,
        rollups.c.block >= bindparam("first"),
        rollups.c.block < bindparam("end"),
    )
    .group_by(rollups.c.block, rollups.c.key)
)


async def counts(tx: Transaction, dimension: str, key: str | None = None) -> list[tuple[int, int]]:
    """By day; of one key, or of all."""
    if key is None:
        return await tx.all(_ALL, of_dimension=dimension)
    return await tx.all(_OF_KEY, of_dimension=dimension, of_key=key)


async def counts_between(tx: Transaction, dimension: str, start: Instant, end: Instant) -> list[tuple[int, str, int]]:
    """By day and key, for the days from the first of these times until before the second."""
    return await tx.all(_BETWEEN, of_dimension=dimension, first=start // DAY, end=end // DAY)
