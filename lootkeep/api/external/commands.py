"""Commands over HTTP, as staff see them: the list, and sending one again."""

from __future__ import annotations

from typing import Annotated, Literal

from lootkeep.api.http.fields import QueryInteger, field
from lootkeep.api.http.pages import PageQuery, SortDirection, answer_page
from lootkeep.api.http.routes import Call, ExtensionRoute, Reply, paged, single
from lootkeep.domain.commands import CommandStatus
from lootkeep.services import commands as commands_service
from lootkeep.storage.goods import commands as commands_db
from lootkeep.views import commands as commands_views


class CommandQuery(PageQuery):
    """Filters and order of the list."""

    status: Annotated[CommandStatus | None, field("Only commands in this state.")] = None
    server_id: Annotated[QueryInteger | None, field("Only commands of this server.", ge=1)] = None
    order_id: Annotated[QueryInteger | None, field("Only commands of this order.", ge=1)] = None
    customer_id: Annotated[QueryInteger | None, field("Only commands of this customer.", ge=1)] = None
    sort: Annotated[Literal["id"], field("The sort field.")] = "id"
    order: SortDirection = "desc"


async def list_commands(call: Call[None, CommandQuery]) -> Reply:
    return await answer_page(call, commands_db.LISTING, commands_views.command)


async def resend_command(call: Call[None, None]) -> Reply:
    command = await commands_service.resend(call.deps, call.id, call.token.user_id)
    return Reply(commands_views.command(command))


ROUTES = (
    ExtensionRoute(
        "GET",
        "/commands",
        list_commands,
        "servers:read",
        "List commands",
        paged(commands_views.CommandView),
        description="Newest first.",
    ),
    ExtensionRoute(
        "POST",
        "/commands/{id}/resend",
        resend_command,
        "servers:write",
        "Send a command again",
        single(commands_views.CommandView, "Command queued again"),
        description="Only commands that are done or failed, without a repeat that waits, and not what a refunded order "
        "bought, else 409. A new command with the same text, which names the old one; recorded in the audit log.",
        may_conflict=True,
    ),
)
