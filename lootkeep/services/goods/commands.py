"""Queues the commands of an order, in the transaction of their cause, and cancels what no longer applies."""

from __future__ import annotations

from collections.abc import Iterable

from lootkeep.domain import commands as commands_rules
from lootkeep.domain.commands import DELIVERING, CommandCause
from lootkeep.domain.customers import Customer
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import OrderDetails
from lootkeep.domain.players import Player
from lootkeep.domain.products import Product
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import commands as commands_db, servers as servers_db


async def check_player(tx: Transaction, products: Iterable[Product], player: Player | None, customer: Customer) -> None:
    """Rejects an order that its commands could not deliver to anyone."""
    commands = [
        command
        for product in products
        if product.delivery_type == "command"
        for command in commands_rules.commands_of(product.commands)
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
    templates = {product_id: commands_rules.commands_of(text) for product_id, text in stored.items()}
    servers = await servers_db.ROWS.get_many(tx, {it.server_id for of in templates.values() for it in of})
    order, customer, new = details.order, details.customer, []
    for line in lines:
        new += [
            commands_rules.queued(template, servers[template.server_id].game, order, line, customer, now)
            for template in templates[line.product_id]
            if template.on == cause and template.server_id in servers
        ]
    if new:
        await commands_db.add(tx, new)
    queued = {command.item_id for command in new}
    payable = {line.id for line in lines if any(it.on == "paid" for it in templates[line.product_id])}
    return payable - queued


async def take_back(tx: Transaction, details: OrderDetails, now: Instant) -> None:
    """After a full refund: what waits is cancelled, and what ran is undone by the commands for a refund."""
    lines = _lines(details)
    if not lines:
        return
    await commands_db.cancel_of_items(tx, [line.id for line in lines], now)
    ran = {
        command.item_id
        for command in await commands_db.ROWS.find(tx, order_id=details.order.id)
        if command.cause in DELIVERING and command.status != "cancelled"
    }
    if ran:
        await queue(tx, details, "refunded", now)


async def cancel_waiting(tx: Transaction, lines: Iterable[OrderItem], now: Instant) -> None:
    """Staff declared these lines delivered."""
    await commands_db.cancel_of_items(tx, [line.id for line in lines if line.delivery_type == "command"], now)


def _lines(details: OrderDetails) -> list[OrderItem]:
    return [line for line in details.items if line.delivery_type == "command"]
