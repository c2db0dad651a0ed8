"""Game servers."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, and_, bindparam, func, literal_column, or_, select, update

from lootkeep.domain.commands import DELIVERING, Command
from lootkeep.domain.servers import QueueLength, Server, ServerQueue
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.queue import MAX_COUNTED, count_up_to
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import commands, customers, order_items as items, orders, servers
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
_WAITING = Query(
    select(commands.c.server_id, func.count(), func.count().filter(commands.c.needs_player_online))
    .where(OPEN)
    .group_by(commands.c.server_id)
)


def _failed(*columns: Any) -> Select[Any]:
    """Failed, nobody sent it again, and someone has to: a line is missing, or something is to be taken back.

    What an erased buyer got cannot be: nobody knows the player any more.
    """
    repeats = commands.alias()
    is_delivering = or_(*(commands.c.cause == literal_column(f"'{cause}'") for cause in DELIVERING))
    is_missing = and_(items.c.fulfilled_quantity < items.c.quantity, orders.c.status != "refunded")
    return (
        select(*columns)
        .select_from(commands)
        .join(servers, servers.c.id == commands.c.server_id)
        .join(items, items.c.id == commands.c.item_id)
        .join(orders, orders.c.id == commands.c.order_id)
        .join(customers, customers.c.id == commands.c.customer_id)
        .where(
            commands.c.status == literal_column("'failed'"),
            servers.c.deleted_at.is_(None),
            or_(and_(~is_delivering, customers.c.erased_at.is_(None)), is_missing),
            ~select(repeats.c.id).where(repeats.c.resent_from_id == commands.c.id).exists(),
        )
    )


_failures = _failed(commands.c.server_id).limit(MAX_COUNTED).subquery()
_FAILED = Query(
    _failed(*columns_of(commands, Command)).where(_OF_SERVER).order_by(commands.c.id.desc()).limit(bindparam("size")),
    Command,
)
_FAILURES = Query(select(_failures.c.server_id, func.count()).group_by(_failures.c.server_id))
_SEEN = Query(
    update(servers).where(servers.c.id == bindparam("server")).values(last_seen_at=bindparam("now")), set_based=True
)


async def length(tx: Transaction, server_id: int) -> QueueLength:
    """Counted up to a limit."""
    (counts,) = await tx.all(_LENGTH, server=server_id)
    return counts


async def failures(tx: Transaction) -> dict[int, int]:
    """By server: how many commands failed that nobody has looked after."""
    return dict(await tx.all(_FAILURES))


async def failed_of(tx: Transaction, server_id: int, size: int) -> list[Command]:
    """The newest of them."""
    return await tx.all(_FAILED, server=server_id, size=size)


async def queues(tx: Transaction) -> dict[int, ServerQueue]:
    """By server, where there is something."""
    failed = await failures(tx)
    waiting = {server_id: (count, for_players) for server_id, count, for_players in await tx.all(_WAITING)}
    return {
        server_id: ServerQueue(*waiting.get(server_id, (0, 0)), failed.get(server_id, 0))
        for server_id in waiting.keys() | failed.keys()
    }


async def set_seen(tx: Transaction, server_id: int, now: Instant) -> None:
    await tx.execute_many(_SEEN, [{"server": server_id, "now": now}])
