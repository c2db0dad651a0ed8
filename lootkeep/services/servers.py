"""Operations on game servers: adding them, and replacing their tokens."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import access as access_rules
from lootkeep.domain.access import SERVER_SCOPE
from lootkeep.domain.players import Game
from lootkeep.domain.product_commands import commands_of
from lootkeep.domain.servers import Server, require_room
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, existing
from lootkeep.services import access
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import commands as commands_db, servers as servers_db


async def create(deps: Deps, name: str, game: Game) -> tuple[Server, str]:
    """The server, and its token, which is shown only once."""
    access_rules.check_name(name)
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await tx.wait_for("servers")
        require_room(len(await servers_db.ROWS.find(tx)))
        token_id, secret = await _issue(deps, tx, name, now)
        return await servers_db.ROWS.add(tx, Server(0, name, game, token_id, None, now, now)), secret


async def change(deps: Deps, server_id: int, changes: dict[str, Any]) -> Server:
    async with deps.db.write() as tx:
        before = await _lock(tx, server_id)
        access_rules.check_name(changes.get("name", before.name))
        after = replace(before, **changes)
        if after == before:
            return before
        return await servers_db.ROWS.save(tx, before, replace(after, updated_at=deps.clock.now()))


async def delete(deps: Deps, server_id: int) -> None:
    """Its token is rejected from the next request on, and what waits for it is cancelled."""
    now = deps.clock.now()
    async with deps.db.write_tokens() as tx:
        server = await _lock(tx, server_id)
        stored = await commands_db.of_all_products(tx)
        if any(command.server_id == server_id for text in stored for command in commands_of(text)):
            raise Conflict(
                "server_in_use", "A product has commands for this server. Remove them from the product first."
            )
        await access.revoke_in(tx, server.token_id, now)
        await commands_db.cancel_of_server(tx, server_id, now)
        await servers_db.ROWS.save(tx, server, replace(server, deleted_at=now, updated_at=now))


async def rotate_token(deps: Deps, server_id: int) -> str:
    """A new token, shown only once; the old one is rejected from the next request on."""
    now = deps.clock.now()
    async with deps.db.write_tokens() as tx:
        server = await _lock(tx, server_id)
        await access.revoke_in(tx, server.token_id, now)
        token_id, secret = await _issue(deps, tx, server.name, now)
        await servers_db.ROWS.save(tx, server, replace(server, token_id=token_id, updated_at=now))
    return secret


async def _issue(deps: Deps, tx: Transaction, name: str, now: Instant) -> tuple[int, str]:
    owner = existing(await access_db.owner(tx), "User")
    secret, token = await access.issue(deps, tx, owner, name=f"Server {name}", scopes=[SERVER_SCOPE], now=now)
    return token.id, secret


async def _lock(tx: Transaction, server_id: int) -> Server:
    return existing(await servers_db.ROWS.lock(tx, server_id), "Server")
