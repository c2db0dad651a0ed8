"""Records what a game server reports about its commands, and delivers the lines whose commands are all done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import commands as commands_rules, orders as orders_rules, players as players_rules
from lootkeep.domain.commands import Command, CommandResult
from lootkeep.domain.customers import Customer
from lootkeep.domain.fulfilment import delivered
from lootkeep.domain.orders import OrderDetails
from lootkeep.kernel.clock import Instant
from lootkeep.services import goods
from lootkeep.services.orders import _delivery, _details
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.goods import commands as commands_db
from lootkeep.views import customer_events as customer_events_views


async def acknowledge(
    deps: Deps, tx: Transaction, server_id: int, results: Sequence[CommandResult], now: Instant
) -> int:
    """Returns how many of the results are about commands of this server; the rest is unknown."""
    by_id: dict[int, CommandResult] = {}
    for result in results:
        # Of two results of one command in a call, the first counts.
        by_id.setdefault(result.id, result)
    commands = await commands_db.ROWS.get_many(tx, by_id)
    own = {command.id: command for command in commands.values() if command.server_id == server_id}
    # Orders before their customers and commands, each by id: the lock order of a payment.
    details = [await _details.lock(tx, order_id) for order_id in sorted({it.order_id for it in own.values()})]
    for it in sorted(details, key=lambda it: it.customer.id):
        ids = [command.id for command in own.values() if command.order_id == it.order.id]
        await _settle_order(deps, tx, it, {command_id: by_id[command_id] for command_id in sorted(ids)}, now)
    return sum(result.id in own for result in results)


async def _settle_order(
    deps: Deps, tx: Transaction, details: OrderDetails, results: Mapping[int, CommandResult], now: Instant
) -> None:
    for command_id, result in results.items():
        before = await commands_db.ROWS.lock(tx, command_id)
        assert before is not None
        if details.customer.erased_at is not None:
            # What a game says of an erased player does not come back.
            result = replace(result, output=None)
        after = await commands_db.ROWS.save(tx, before, commands_rules.settled(before, result, deps.commands, now))
        if after.status == "failed" and before.is_open:
            await goods.report_failed(tx, details.order, after, now)
        if after.status == "done" and before.is_open:
            await _verify(tx, details.customer, after, now)
    by_item: dict[int, list[Command]] = {}
    for command in await commands_db.ROWS.find(tx, order_id=details.order.id):
        by_item.setdefault(command.item_id, []).append(command)
    if not orders_rules.allows(details.order, "fulfill"):
        return
    lines = [
        delivered(line, line.missing, now)
        if line.missing and commands_rules.is_delivered(by_item.get(line.id, []))
        else line
        for line in details.items
    ]
    if lines != list(details.items):
        await _delivery.deliver(tx, details, replace(details.order, updated_at=now), lines)


async def _verify(tx: Transaction, customer: Customer, command: Command, now: Instant) -> None:
    """The game knows the player whose identity the customer has."""
    player = command.player
    if player is None or players_rules.verified_identities(customer.identities, player, now) == customer.identities:
        return
    before = await customers_db.ROWS.lock(tx, customer.id)
    assert before is not None
    identities = players_rules.verified_identities(before.identities, player, now)
    if identities == before.identities:
        return
    after = await customers_db.ROWS.save(tx, before, replace(before, identities=identities))
    await outbox_db.append(tx, "customer.updated", customer_events_views.updated(before, after), now)
