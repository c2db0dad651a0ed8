"""What a game server does with its queue: it takes commands, and reports what became of them; staff send them again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from typing import Any

from lootkeep.deps import Deps
from lootkeep.domain import commands as commands_rules, players as players_rules
from lootkeep.domain.commands import Command, CommandResult
from lootkeep.domain.customers import require_not_erased
from lootkeep.domain.servers import SEEN_EVERY, Server
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.errors import NotFound, existing
from lootkeep.services import orders
from lootkeep.storage import audit as audit_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import commands as commands_db, servers as servers_db
from lootkeep.storage.orders import details as order_details_db, rows as orders_db

# Awaits it; False if nobody needs the commands any more.
Wait = Callable[[Coroutine[Any, Any, None]], Awaitable[bool]]

RESEND = "Send a command again"
# A poll that waits also looks by itself: for what becomes due, and for a wakeup that was lost.
_LOOK_SECONDS = 2.0


async def take(
    deps: Deps, token_id: int, limit: int, online: Collection[str] | None, seconds: int = 0, wait: Wait | None = None
) -> list[Command]:
    """The next commands of the token's server; waits for some if there are none, until `wait` returns False."""
    until = deps.clock.monotonic() + seconds
    # Follows before it looks: a command that is queued in between ends the wait.
    with deps.new_commands.following() as news:
        while True:
            commands = await _take(deps, token_id, limit, online)
            left = until - deps.clock.monotonic()
            if commands or left <= 0 or wait is None or not await wait(news.wait(min(left, _LOOK_SECONDS))):
                return commands


async def record(deps: Deps, token_id: int, results: Sequence[CommandResult]) -> int:
    """Returns how many were recorded; a result that was reported before changes nothing."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        server = await _server(tx, token_id, now)
        return await orders.acknowledge(deps, tx, server.id, results, now)


async def resend(deps: Deps, command_id: int, user_id: int | None, ip_address: str | None = None) -> Command:
    """Queues the same text once more, as a new command that names the old one.

    One that never ran lacked a player; it gets the one that the buyer has now.
    """
    now = deps.clock.now()
    async with deps.db.write() as tx:
        order_id = existing(await commands_db.ROWS.get(tx, command_id), "Command").order_id
        # Locked first: nothing is sent again while its refund, or another repeat, is under way.
        await orders_db.lock(tx, order_id)
        details = existing(await order_details_db.get(tx, order_id), "Order")
        of_order = {it.id: it for it in await commands_db.ROWS.find(tx, order_id=order_id)}
        command = of_order[command_id]
        server = existing(await servers_db.ROWS.get(tx, command.server_id), "Server")
        require_not_erased(details.customer)
        repeat = commands_rules.resent(command, of_order.values(), details.order, now)
        if not commands_rules.was_filled_in(command):
            repeat = commands_rules.filled_in(repeat, server.game, details)
        (new,) = await commands_db.add(tx, [repeat])
        record, after = f"order:{command.order_id}", {"command_id": new.id, "resent_from_id": command.id}
        await audit_db.add(
            tx, user_id=user_id, action=RESEND, record=record, after=after, ip_address=ip_address, now=now
        )
    return new


async def _take(deps: Deps, token_id: int, limit: int, online: Collection[str] | None) -> list[Command]:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        server = await _server(tx, token_id, now)
        ids = None if online is None else {players_rules.normal_id(server.game, player) for player in online}
        until = Instant(now + deps.commands.lease_seconds * SECOND)
        return await commands_db.claim(tx, server.id, ids, limit, deps.ids.secret(), until, now)


async def _server(tx: Transaction, token_id: int, now: Instant) -> Server:
    server = await servers_db.ROWS.find_one(tx, token_id=token_id)
    if server is None:
        raise NotFound("Server")
    if server.last_seen_at is None or not 0 <= now - server.last_seen_at < SEEN_EVERY:
        await servers_db.set_seen(tx, server.id, now)
    return server
