"""Totals by name: reading them costs the same for any number of rows."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import BigInteger, Text, bindparam, cast, func, select

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsOneOf
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import counters

_SUM = cast(func.sum(counters.c.value), BigInteger)
_UNDER = Query(
    select(counters.c.name, _SUM).where(counters.c.name.like(bindparam("pattern"))).group_by(counters.c.name)
)
# Of the totals whose names are in `counters`, with blanks between them.
SUM = select(func.coalesce(_SUM, 0)).where(IsOneOf(counters.c.name, bindparam("counters", type_=Text)))
_OF = Query(SUM)


async def totals(tx: Transaction, prefix: str) -> dict[str, int]:
    """All totals with a prefix such as `referrals.`, without it; totals that were never counted are missing."""
    rows = await tx.all(_UNDER, pattern=prefix + "%")
    return {name.removeprefix(prefix): total for name, total in rows}


def joined(names: Iterable[str]) -> str:
    return " ".join(names)


async def total(tx: Transaction, names: Iterable[str]) -> int:
    """The sum of these totals."""
    ((value,),) = await tx.all(_OF, counters=joined(names))
    return int(value)
