"""The time on the machine of the database."""

from __future__ import annotations

from sqlalchemy import select

from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import ServerTime
from lootkeep.storage.engine.query import Query

_NOW = Query(select(ServerTime()))


async def now(tx: Transaction) -> Instant | None:
    """None if the database runs in this process."""
    ((time,),) = await tx.all(_NOW)
    return None if time is None else Instant(time)
