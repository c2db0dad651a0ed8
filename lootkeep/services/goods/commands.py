"""Queues the commands of an order, in the transaction of their cause, and cancels what no longer applies."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from lootkeep.domain import commands as commands_rules, product_commands as product_commands_rules
from lootkeep.domain.commands import DELIVERING, Command
from lootkeep.domain.customers import Customer
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.domain.players import Player
from lootkeep.domain.product_commands import CommandCause
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Instant
from lootkeep.services import order_alerts
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.goods import commands as commands_db, servers as servers_db
from lootkeep.views import commands as commands_views


async def check_player(tx: Transaction, products: Iterable[Product], player: Player | None, customer: Customer) -> None:
    """Rejects an order that its commands could not deliver to anyone."""
    commands = [
        command
        for product in products
        if product.delivery_type == "command"
        for command in product_commands_rules.commands_of(product.commands)
    ]
    if commands:
        servers = await servers_db.ROWS.get_many(tx, {command.server_id for command in commands})
        games = {server.id: server.game for server in servers.values()}
        commands_rules.check_player(commands, games, player, customer)


async def queue(tx: Transaction, details: OrderDetails, cause: CommandCause, now: Instant) -> set[int]:
    """Queues what this cause runs; returns the lines that have commands for a payment, but none for this cause."""
    lines = _lines(details)
    if not lines:
        return set()
    stored = await commands_db.of_products(tx, {line.product_id for line in lines})
    templates = {product_id: product_commands_rules.commands_of(text) for product_id, text in stored.items()}
    servers = await servers_db.ROWS.get_many(tx, {it.server_id for of in templates.values() for it in of})
    earlier = [] if cause in DELIVERING else await commands_db.ROWS.find(tx, order_id=details.order.id)
    new: list[Command] = []
    for line in lines:
        own = [command for command in earlier if command.item_id == line.id]
        new += [
            commands_rules.queued(template, servers[template.server_id].game, details, line, now, own)
            for template in templates[line.product_id]
            if template.on == cause and template.server_id in servers
        ]
    if new:
        for command in await commands_db.add(tx, new):
            if command.status == "failed":
                await report_failed(tx, details.order, command, now)
    queued = {command.item_id for command in new}
    payable = {line.id for line in lines if any(it.on == "paid" for it in templates[line.product_id])}
    return payable - queued


async def report_failed(tx: Transaction, order: Order, command: Command, now: Instant) -> None:
    """Staff decide what becomes of it."""
    await outbox_db.append(tx, "command.failed", commands_views.failed(command), now)
    what = "a command could not be filled in" if command.attempts_count == 0 else "a command failed on its server"
    await order_alerts.raise_for(tx, order, "command_failed", f"command:{command.id}", what, now)


async def take_back(tx: Transaction, details: OrderDetails, now: Instant) -> None:
    """After a full refund: what waits is cancelled, and lines of which something ran are undone."""
    lines = _lines(details)
    if not lines:
        return
    await commands_db.cancel_of_items(tx, [line.id for line in lines], now)
    ran = {
        command.item_id
        for command in await commands_db.ROWS.find(tx, order_id=details.order.id)
        if command.cause in DELIVERING and command.may_have_run
    }
    await queue(tx, replace(details, items=[line for line in lines if line.id in ran]), "refunded", now)


async def is_taken_back(tx: Transaction, order_id: int) -> bool:
    """Whether a refund has queued what undoes the order."""
    return bool(await commands_db.ROWS.find(tx, order_id=order_id, cause="refunded"))


async def cancel_waiting(tx: Transaction, lines: Iterable[OrderItem], now: Instant) -> None:
    """Staff declared these lines delivered, their time is over, or they were fraud."""
    await commands_db.cancel_of_items(tx, [line.id for line in lines if line.delivery_type == "command"], now)


def _lines(details: OrderDetails) -> list[OrderItem]:
    return [line for line in details.items if line.delivery_type == "command"]
