"""The queue of commands: claimed in sets by their server, each with a lease, and settled by its results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import BigInteger, Text, bindparam, or_, select, text as sql, update

from lootkeep.domain.commands import Command, CommandRules
from lootkeep.domain.subscriptions import Subscription
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsListed
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import equals_each
from lootkeep.storage.lists import Listing, Sort
from lootkeep.storage.queue import MAX_COUNTED, TOLERANCE
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import commands, orders, products
from lootkeep.storage.schema.servers import IS_DELIVERING, OPEN

ROWS = Rows(commands, Command, is_shown=True)

LISTING = Listing(
    commands,
    Command,
    {
        **equals_each(commands, "server_id", "status", "order_id", "customer_id"),
    },
    {"id": Sort(commands.c.id)},
    max_counted=MAX_COUNTED,
)

_OF_SERVER = commands.c.server_id == bindparam("server")
_claimable = (
    select(*columns_of(commands, Command))
    .where(_OF_SERVER, OPEN, commands.c.due_at <= bindparam("now"))
    .order_by(commands.c.due_at, commands.c.id)
    .limit(bindparam("size"))
    .with_for_update(skip_locked=True)
)
_CLAIMABLE = Query(_claimable, Command)
_CLAIMABLE_ONLINE = Query(
    _claimable.where(
        or_(~commands.c.needs_player_online, IsListed(commands.c.player_id, bindparam("online", type_=Text)))
    ),
    Command,
)
_LEASE = Query(
    update(commands)
    .where(commands.c.id == bindparam("item"))
    .values(
        status="leased",
        lease=bindparam("held"),
        due_at=bindparam("until"),
        attempts_count=commands.c.attempts_count + 1,
    ),
    set_based=True,
)
_CANCELLED: dict[str, Any] = {"status": "cancelled", "lease": None, "finished_at": bindparam("now")}
_IS_WAITING = sql("status = 'waiting'")
_CANCEL_OF_SERVER = Query(update(commands).where(_OF_SERVER, OPEN).values(_CANCELLED))
_CANCEL_OF_ITEM = Query(
    update(commands).where(commands.c.item_id == bindparam("item"), OPEN, IS_DELIVERING).values(_CANCELLED),
    set_based=True,
)
# The orders of a customer have an index, those of a subscription have none.
_PERIODS = select(orders.c.id).where(
    orders.c.customer_id == bindparam("customer"), orders.c.subscription_id == bindparam("subscription")
)
_OF_SUBSCRIPTION = Query(
    select(commands.c.order_id, commands.c.item_id).where(commands.c.order_id.in_(_PERIODS), OPEN, IS_DELIVERING)
)
_NOW = bindparam("now", type_=BigInteger)
_IS_LATE = commands.c.due_at > bindparam("latest")
_PULL_IN_LEASES = Query(
    update(commands).where(OPEN, commands.c.status == "leased", _IS_LATE).values(due_at=bindparam("due"))
)
_PULL_IN_RETRIES = Query(
    update(commands)
    .where(OPEN, _IS_WAITING, commands.c.failures == bindparam("failed"), _IS_LATE)
    .values(due_at=bindparam("due"))
)
# With the delay that its product asks for.
_PULL_IN_NEW = Query(
    update(commands)
    .where(OPEN, _IS_WAITING, commands.c.failures == 0, commands.c.created_at > bindparam("latest"))
    .values(due_at=commands.c.due_at - commands.c.created_at + _NOW, created_at=_NOW)
)
_OF_PRODUCT = Query(select(products.c.id, products.c.commands).where(products.c.id == bindparam("product_id")))
_NAMING = Query(
    select(products.c.commands).where(products.c.deleted_at.is_(None), products.c.delivery_type == "command")
)


async def add(tx: Transaction, new: Sequence[Command]) -> list[Command]:
    rows = await ROWS.add_many(tx, new)
    tx.wake("commands")
    return rows


async def claim(
    tx: Transaction, server_id: int, online: Collection[str] | None, size: int, lease: str, until: Instant, now: Instant
) -> list[Command]:
    """The next commands of a server, in order; those that need a player only for players who are online."""
    if online is None:
        due = await tx.all(_CLAIMABLE, server=server_id, size=size, now=now)
    else:
        ids = msgspec.json.encode(sorted(online)).decode()
        due = await tx.all(_CLAIMABLE_ONLINE, server=server_id, size=size, now=now, online=ids)
    if due:
        await tx.execute_many(_LEASE, [{"item": command.id, "held": lease, "until": until} for command in due])
    return [
        msgspec.structs.replace(
            command, status="leased", lease=lease, due_at=until, attempts_count=command.attempts_count + 1
        )
        for command in due
    ]


async def cancel_of_items(tx: Transaction, item_ids: Iterable[int], now: Instant) -> None:
    """Those that would hand over these lines: also what a server has, which would get it again after a failure."""
    rows = [{"item": item_id, "now": now} for item_id in item_ids]
    if rows:
        await tx.execute_many(_CANCEL_OF_ITEM, rows)


async def waiting_of_subscription(tx: Transaction, subscription: Subscription) -> list[tuple[int, int]]:
    """The orders and lines of all its periods that commands would still hand over."""
    rows = await tx.all(_OF_SUBSCRIPTION, customer=subscription.customer_id, subscription=subscription.id)
    return sorted(set(rows))


async def cancel_of_server(tx: Transaction, server_id: int, now: Instant) -> None:
    """Also what it has: it can no longer report."""
    await tx.run(_CANCEL_OF_SERVER, server=server_id, now=now)


async def pull_in(tx: Transaction, rules: CommandRules, now: Instant) -> None:
    """After the clock was set back: none waits longer than its lease, its delay or the pause after its failure."""
    lease = rules.lease_seconds * SECOND
    await tx.run_slow(_PULL_IN_LEASES, latest=now + lease + TOLERANCE, due=now + lease)
    for failures, seconds in enumerate(rules.retry_delays, start=1):
        pause = seconds * SECOND
        await tx.run_slow(_PULL_IN_RETRIES, failed=failures, latest=now + pause + TOLERANCE, due=now + pause)
    await tx.run_slow(_PULL_IN_NEW, latest=now + TOLERANCE, now=now)


async def of_products(tx: Transaction, product_ids: Collection[int]) -> dict[int, str]:
    """The commands of products as JSON, of deleted ones too: what was bought is still taken back."""
    rows = await tx.fetch_for_each(_OF_PRODUCT, [{"product_id": product_id} for product_id in sorted(product_ids)])
    return dict(rows)


async def of_all_products(tx: Transaction) -> list[str]:
    """The commands of each product that is not deleted."""
    return [text for (text,) in await tx.all(_NAMING)]
