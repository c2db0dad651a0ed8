"""A small write that only checks whether writing works: on a full disk, reads still succeed."""

from __future__ import annotations

from sqlalchemy import bindparam
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Database
from lootkeep.storage.engine.dialect import TakeSpace
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import settings

_WRITE = Query(
    postgresql.insert(settings)
    .values(name="write check", version=1, value="", updated_at=bindparam("now"))
    .on_conflict_do_update(
        index_elements=[settings.c.name], set_={"version": settings.c.version + 1, "updated_at": bindparam("now")}
    )
)
_TAKE_SPACE = Query(TakeSpace())


async def write(db: Database, now: Instant) -> None:
    """Returns when it is on disk; it rewrites one row each time."""
    async with db.write() as tx:
        await tx.run(_WRITE, now=now)
        await tx.run(_TAKE_SPACE)
