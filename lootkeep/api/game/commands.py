"""The queue of a game server over HTTP: it takes commands, runs them, and reports the results."""

from __future__ import annotations

from typing import Annotated

from lootkeep.api.http.fields import QueryInteger, field
from lootkeep.api.http.routes import MAX_LARGE_BODY, Call, ExtensionRoute, Group, Reply, many, single
from lootkeep.api.http.validation import Body, QueryParameters
from lootkeep.domain.access import SERVER_SCOPE
from lootkeep.domain.commands import CommandResult
from lootkeep.services import commands as commands_service
from lootkeep.views import commands as commands_views

MAX_RESULTS = 100


class TakeQuery(QueryParameters):
    """How many commands, and for whom."""

    limit: Annotated[QueryInteger, field("How many at most.", ge=1, le=100)] = 50
    wait: Annotated[QueryInteger, field("Seconds to wait for a command.", ge=0, le=30)] = 0
    online: Annotated[
        str | None,
        field(
            "Ids of the players who are online, separated by commas. Commands that need a player are then "
            "handed out for these only; without it, all are.",
            max_length=20_000,
        ),
    ] = None


class ResultBody(Body):
    """What became of one command."""

    id: Annotated[int, field("The command.", 7, ge=1)]
    ok: Annotated[bool, field("Whether it succeeded.", True)]
    # A longer one is cut, not rejected: the server has already run the command.
    output: Annotated[str | None, field("What the game answered; stored up to 2,000 characters.")] = None
    retry: Annotated[bool, field("With `false` a failure is final: it may have been run, and staff decide.", True)] = (
        True
    )


class ResultsBody(Body):
    """The results of commands."""

    results: Annotated[
        list[ResultBody], field("The results.", [{"id": 7, "ok": True}], min_length=1, max_length=MAX_RESULTS)
    ]


async def take_commands(call: Call[None, TakeQuery]) -> Reply:
    query = call.query
    online = None if query.online is None else {player.strip() for player in query.online.split(",")} - {""}
    commands = await commands_service.take(call.deps, call.token.id, query.limit, online, query.wait, call.wait)
    return Reply([commands_views.leased(command) for command in commands])


async def report_results(call: Call[ResultsBody, None]) -> Reply:
    results = [CommandResult(result.id, result.ok, result.output, result.retry) for result in call.body.results]
    recorded = await commands_service.record(call.deps, call.token.id, results)
    return Reply(commands_views.RecordedResultsView(recorded, len(results) - recorded))


GROUP = Group(
    name="Game servers",
    description="The queue of a game server, with its own token.",
    prefix="/api/game/v1",
    routes=(
        ExtensionRoute(
            "GET",
            "/commands",
            take_commands,
            SERVER_SCOPE,
            "Take commands",
            many(commands_views.LeasedCommandView),
            description="The next commands of the server. Each is leased: if no result comes in time, it is handed out "
            "again under the same id.",
        ),
        ExtensionRoute(
            "POST",
            "/commands/results",
            report_results,
            SERVER_SCOPE,
            "Report results",
            single(commands_views.RecordedResultsView),
            max_body=MAX_LARGE_BODY,
            description="The first final result of a command counts; reporting it again changes nothing. A failed "
            "command is handed out again after a pause, and after the last one it has failed for good.",
        ),
    ),
)
