"""Sends a server everything again that its players still own, as after a wipe."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain import commands as commands_rules, players as players_rules
from lootkeep.domain.commands import Command
from lootkeep.domain.disputes import is_disputed
from lootkeep.domain.goods import Good, goods_of
from lootkeep.kernel.clock import Instant, iso
from lootkeep.kernel.errors import existing
from lootkeep.storage import audit as audit_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import (
    commands as commands_db,
    owned as owned_db,
    resync as resync_db,
    servers as servers_db,
)
from lootkeep.storage.orders import disputes as disputes_db, rows as orders_db

RESYNC = "Send a server everything again"


async def resync(
    deps: Deps,
    server_id: int,
    player_id: str | None,
    since: Instant | None,
    user_id: int | None,
    ip_address: str | None = None,
) -> int:
    """Queues the commands of every valid payment again, batch by batch; returns how many.

    One that is queued already is not queued twice, so a call that was interrupted can be repeated.
    """
    async with deps.db.read() as tx:
        server = existing(await servers_db.ROWS.get(tx, server_id), "Server")
    player = None if player_id is None else players_rules.normal_id(server.game, player_id)
    queued, after = 0, 0
    while True:
        now = deps.clock.now()
        async with deps.db.read(slow=True) as tx:
            order_ids, after = await resync_db.candidates(tx, server_id, player, since or Instant(0), after, now)
        if not order_ids:
            return queued
        async with deps.db.write() as tx:
            goods = [good for good in await _owned(tx, order_ids, now) if _is_wanted(good, server_id, player)]
            if goods:
                queued += len(await commands_db.add(tx, [_repeat(good, now) for good in goods]))
                details = {"queued": len(goods), "player": player, "since": None if since is None else iso(since)}
                record = f"server:{server_id}"
                await audit_db.add(
                    tx, user_id=user_id, action=RESYNC, record=record, after=details, ip_address=ip_address, now=now
                )


async def _owned(tx: Transaction, order_ids: list[int], now: Instant) -> list[Good]:
    """Delivered, not refunded, not over and not disputed, of buyers who were not erased."""
    # Locked first: nothing is sent again while its refund is under way.
    orders = await orders_db.ROWS.lock_many(tx, order_ids)
    buyers = await customers_db.ROWS.get_many(tx, {order.customer_id for order in orders.values()})
    disputes = await disputes_db.of_orders(tx, order_ids)
    kept = {
        order.id
        for order in orders.values()
        if buyers[order.customer_id].erased_at is None and not is_disputed(disputes.get(order.id, []))
    }
    goods = goods_of(await owned_db.of_orders(tx, kept), now)
    return [good for good in goods if good.state == "delivered"]


def _is_wanted(good: Good, server_id: int, player_id: str | None) -> bool:
    command = good.command
    if command is None or command.server_id != server_id or command.cause != "paid":
        return False
    is_queued = (good.repeat or command).is_open
    return not is_queued and commands_rules.was_filled_in(command) and player_id in (None, command.player_id)


def _repeat(good: Good, now: Instant) -> Command:
    assert good.command
    return commands_rules.repeat(good.command, now)
