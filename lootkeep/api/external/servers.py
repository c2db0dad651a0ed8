"""Game servers over HTTP."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lootkeep.api.external import commands
from lootkeep.api.http.fields import Name, Time, field
from lootkeep.api.http.routes import Call, ExtensionRoute, Group, Reply, many, only_message, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.players import MAX_PLAYER_TEXT, Game
from lootkeep.domain.servers import Server
from lootkeep.kernel.errors import existing
from lootkeep.services import resync as resync_service, servers as servers_service
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import servers as servers_db
from lootkeep.views import servers as servers_views


class ServerBody(Body):
    """The fields of a server."""

    name: Annotated[Name, field("The name, for staff and buyers.", "Survival")]
    game: Annotated[Game, field("Says what players' names and ids look like.", "minecraft")]


ServerChanges = partial(ServerBody, "ServerChanges")


class ResyncBody(Body):
    """What to send again."""

    player: Annotated[
        Annotated[str, Field(min_length=1, max_length=MAX_PLAYER_TEXT)] | None,
        field("Only what this player got: their id."),
    ] = None
    since: Annotated[Time | None, field("Only what was paid since then.", "2026-10-01T00:00:00Z")] = None


async def list_servers(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        return Reply([await _view(tx, server) for server in await servers_db.ROWS.find(tx)])


async def create_server(call: Call[ServerBody, None]) -> Reply:
    server, token = await servers_service.create(call.deps, call.body.name, call.body.game)
    async with call.deps.db.read() as tx:
        return Reply(servers_views.NewServerView(await _view(tx, server), token))


async def get_server(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        return Reply(await _view(tx, existing(await servers_db.ROWS.get(tx, call.id), "Server")))


async def update_server(call: Call[Body, None]) -> Reply:
    server = await servers_service.change(call.deps, call.id, call.body.sent())
    async with call.deps.db.read() as tx:
        return Reply(await _view(tx, server))


async def delete_server(call: Call[None, None]) -> Reply:
    await servers_service.delete(call.deps, call.id)
    return Reply()


async def rotate_server_token(call: Call[None, None]) -> Reply:
    return Reply(servers_views.ServerTokenView(await servers_service.rotate_token(call.deps, call.id)))


async def resync_server(call: Call[ResyncBody, None]) -> Reply:
    body = call.body
    queued = await resync_service.resync(call.deps, call.id, body.player, body.since, call.token.user_id)
    return Reply(servers_views.ResyncView(queued))


async def _view(tx: Transaction, server: Server) -> servers_views.ServerView:
    return servers_views.server(server, await servers_db.length(tx, server.id))


ROUTES = (
    ExtensionRoute(
        "GET",
        "/servers",
        list_servers,
        "servers:read",
        "List servers",
        many(servers_views.ServerView),
        description="All servers, oldest first, with the length of their queues.",
    ),
    ExtensionRoute(
        "POST",
        "/servers",
        create_server,
        "servers:write",
        "Create a server",
        single(servers_views.NewServerView, "Server created successfully", status=201),
        description="Its token, with the one scope `commands:run`, is shown only now. A store can have 100 servers.",
    ),
    ExtensionRoute(
        "GET",
        "/servers/{id}",
        get_server,
        "servers:read",
        "Read a server",
        single(servers_views.ServerView),
        description="Says when it last asked for commands.",
    ),
    ExtensionRoute(
        "PUT",
        "/servers/{id}",
        update_server,
        "servers:write",
        "Update a server",
        single(servers_views.ServerView, "Server updated successfully"),
        body=ServerChanges,
        description="Changes only the fields that are sent.",
    ),
    ExtensionRoute(
        "DELETE",
        "/servers/{id}",
        delete_server,
        "servers:write",
        "Delete a server",
        only_message("Server deleted successfully"),
        description="What waits for it, or what it has, is cancelled, and its token is rejected from the next request "
        "on. 409 while a product has commands for it.",
        may_conflict=True,
    ),
    ExtensionRoute(
        "POST",
        "/servers/{id}/rotate-token",
        rotate_server_token,
        "servers:write",
        "Replace the token of a server",
        single(servers_views.ServerTokenView, "Token replaced successfully"),
        description="The new token is shown only now. The old one is rejected from the next request on.",
        # No process may still use the old token when the answer is sent.
        is_foreign=True,
    ),
    ExtensionRoute(
        "POST",
        "/servers/{id}/resync",
        resync_server,
        "servers:write",
        "Send a server everything again",
        single(servers_views.ResyncView, "Commands queued again"),
        description="After a wipe: the `paid` commands of everything that players still own are queued once more, as "
        "repeats that name the originals. What was refunded, disputed or fraud, is over, or waits already is not; "
        "recorded in the audit log.",
        is_foreign=True,
    ),
)

GROUP = Group(
    name="Servers",
    description="Game servers that deliver what was bought, by commands. An extension of the specification.",
    routes=(*ROUTES, *commands.ROUTES),
)
