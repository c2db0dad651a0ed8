"""Game servers."""

from __future__ import annotations

from sqlalchemy import bindparam, select, update

from lootkeep.domain.servers import QueueLength, Server
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.queue import count_up_to
from lootkeep.storage.rows import Rows
from lootkeep.storage.schema import commands, servers
from lootkeep.storage.schema.servers import FAILED, OPEN

ROWS = Rows(servers, Server, servers.c.deleted_at.is_(None))

_OF_SERVER = commands.c.server_id == bindparam("server")
_LENGTH = Query(
    select(
        count_up_to(select(commands.c.id).where(_OF_SERVER, OPEN)).label("waiting"),
        count_up_to(select(commands.c.id).where(_OF_SERVER, FAILED)).label("failed"),
    ),
    QueueLength,
)
_SEEN = Query(
    update(servers).where(servers.c.id == bindparam("server")).values(last_seen_at=bindparam("now")), set_based=True
)


async def length(tx: Transaction, server_id: int) -> QueueLength:
    """Counted up to a limit."""
    (counts,) = await tx.all(_LENGTH, server=server_id)
    return counts


async def set_seen(tx: Transaction, server_id: int, now: Instant) -> None:
    await tx.execute_many(_SEEN, [{"server": server_id, "now": now}])
