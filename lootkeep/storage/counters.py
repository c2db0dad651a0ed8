"""Totals that are kept while writing, so that reading them costs the same however much there is."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import BigInteger, bindparam, cast, func, select
from sqlalchemy.dialects import postgresql

from lootkeep.storage.database import Transaction
from lootkeep.storage.query import Query
from lootkeep.storage.tables import counters

# Deeds on different rows of the store mostly meet in different shards.
_SHARDS = 16

_NEW = postgresql.insert(counters).values(
    name=bindparam("counter"), shard=bindparam("shard"), value=bindparam("change")
)
_ADD = Query(
    _NEW.on_conflict_do_update(index_elements=["name", "shard"], set_={"value": counters.c.value + _NEW.excluded.value})
)
_GET = Query(
    select(counters.c.name, cast(func.sum(counters.c.value), BigInteger))
    .where(counters.c.name.like(bindparam("pattern")))
    .group_by(counters.c.name)
)


async def add(tx: Transaction, changes: Mapping[str, int], *, spread: int) -> None:
    """Changes totals; `spread` (the id of what changed) chooses the shard.

    Called last in a deed, in the order of names: two deeds that meet here never wait for each other in a circle.
    """
    for name in sorted(changes):
        if changes[name]:
            await tx.run(_ADD, counter=name, shard=spread % _SHARDS, change=changes[name])


async def get(tx: Transaction, prefix: str) -> dict[str, int]:
    """All totals under a prefix such as `referrals.`, without it; what was never counted is not there."""
    rows = await tx.all(_GET, pattern=prefix + "%")
    return {name.removeprefix(prefix): total for name, total in rows}
