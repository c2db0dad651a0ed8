"""The demo's game servers: ranks, gold and roles are given by commands; one server is silent, and a role fails."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from msgspec import json

from lootkeep.deps import Deps
from lootkeep.domain.commands import Command, CommandResult
from lootkeep.domain.players import Game
from lootkeep.domain.product_commands import ProductCommand
from lootkeep.domain.products import Product
from lootkeep.domain.servers import Server
from lootkeep.kernel.clock import DAY, HOUR, MINUTE
from lootkeep.services import (
    commands as commands_service,
    products as products_service,
    servers as servers_service,
)
from lootkeep.storage.goods import servers as servers_db
from lootkeep.toolbox.demo_store.shop import Shop

# Since when the store delivers by commands, before the end; and since when one server is silent.
_WINDOW = 3 * DAY
_SILENCE = 72 * MINUTE
_AT_ONCE = 50
_SERVERS: dict[str, Game] = {"Survival": "minecraft", "Skyblock": "minecraft", "Pixel Forge Discord": "discord"}
_ROLES = {"RANK-SQUIRE": "1093312200451", "RANK-KNIGHT": "1093312200452", "RANK-LEGEND": "1093312200453"}
_GOLD = {"CMD-GOLD-1K": 1_000, "CMD-GOLD-5K": 5_500}
_REFUSED = "403 Missing Permissions: the bot's own role is below the role that it should give."


class GameServers:
    """Three servers that run what is bought, until the end of the demo."""

    def __init__(self, shop: Shop, deps: Deps) -> None:
        self._shop = shop
        # Tokens are secret: they do not come from the seed.
        self._ids = deps.ids
        self._servers: list[Server] = []

    def begin(self, length: int) -> None:
        agenda = self._shop.agenda
        agenda.add(length - _WINDOW, self._open)
        # The last orders: a role that Discord refuses, then a rank for the silent server, next to a key and a file.
        agenda.add(length - 4 * HOUR, partial(self._order, 1, ["RANK-LEGEND"]))
        agenda.add(length - 55 * MINUTE, partial(self._order, 2, ["KEY-EMBER-DX", "RANK-KNIGHT", "FILE-OST"]))
        agenda.add(length - 30 * MINUTE, partial(self._order, 3, ["CMD-CRATE"]))

    async def end(self, deps: Deps) -> None:
        """All but one have asked just now."""
        async with deps.db.write() as tx:
            for server in self._servers:
                if server.name != "Skyblock":
                    await servers_db.set_seen(tx, server.id, deps.clock.now())

    async def _open(self) -> None:
        shop = self._shop
        deps = replace(shop.deps, ids=self._ids)
        for name, game in _SERVERS.items():
            self._servers.append((await servers_service.create(deps, name, game))[0])
        for index, product in enumerate(shop.catalogue.products):
            if product.delivery_type == "command":
                commands = json.encode(self._commands(product)).decode()
                changed = await products_service.change(shop.deps, product.id, {"commands": commands})
                shop.catalogue.products[index] = changed
        shop.run_commands = self._run

    def _commands(self, product: Product) -> list[ProductCommand]:
        survival, skyblock, discord = (server.id for server in self._servers)
        sku = product.sku or ""
        if sku in _GOLD:
            return [ProductCommand(survival, "paid", f"eco give {{player_name}} {_GOLD[sku]}")]
        if sku not in _ROLES:
            text = "crate give {player_name} rare {quantity}"
            return [ProductCommand(survival, "paid", text, needs_player_online=True)]
        group = sku.removeprefix("RANK-").lower()
        ranks = [
            ProductCommand(server_id, "paid", f"lp user {{player_name}} parent add {group}")
            for server_id in (survival, skyblock)
        ]
        taken = [
            ProductCommand(server_id, "refunded", f"lp user {{player_name}} parent remove {group}")
            for server_id in (survival, skyblock)
        ]
        return [*ranks, ProductCommand(discord, "paid", _ROLES[sku]), *taken]

    async def _order(self, number: int, skus: list[str]) -> None:
        shop = self._shop
        person = shop.people[number]
        basket = [(product, 1) for sku in skus for product in shop.catalogue.products if product.sku == sku]
        details = await shop.place(person, basket)
        if details.order.status == "pending":
            shop.agenda.add(MINUTE, partial(shop.pay, person, details.order.id))

    async def _run(self) -> None:
        """Each server takes what waits for it, and reports."""
        shop = self._shop
        for server in self._servers:
            is_silent = server.name == "Skyblock" and shop.clock.now() > shop.agenda.end - _SILENCE
            online = () if shop.clock.now() > shop.agenda.end - HOUR else None
            taken = [] if is_silent else await commands_service.take(shop.deps, server.token_id, _AT_ONCE, online)
            if taken:
                await commands_service.record(shop.deps, server.token_id, [_result(command) for command in taken])


def _result(command: Command) -> CommandResult:
    if command.text == _ROLES["RANK-LEGEND"]:
        return CommandResult(command.id, ok=False, output=_REFUSED, retry=False)
    name = command.player_name
    answers = {
        "lp": f"[LP] {name} has the rank.",
        "eco": f"[Eco] {name} has the gold.",
        "crate": f"{name} got a crate.",
    }
    answer = answers.get(command.text.partition(" ")[0], f"{name} has the role.")
    return CommandResult(command.id, ok=True, output=answer)
