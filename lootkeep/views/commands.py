"""Commands in public: for staff, for the server that runs them, and as the event of a failure."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.commands import Command, CommandStatus
from lootkeep.domain.product_commands import CommandCause, ProductCommand
from lootkeep.kernel.clock import utc
from lootkeep.views import players as players_views
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of
from lootkeep.views.players import PlayerView

_Text = Annotated[str, field("What the server runs.", "lp user Notch parent add vip")]
_Output = Annotated[str | None, field("What the server answered.", None)]


class ProductCommandView(msgspec.Struct, frozen=True):
    server_id: Annotated[int, field("The server that runs it.", 1)]
    on: Annotated[CommandCause, field("When it is run.", "paid")]
    text: Annotated[str, field("The command, with variables.", "lp user {player_name} parent add vip")]
    needs_player_online: Annotated[bool, field("Whether it waits until the player is online.", False)]
    delay_minutes: Annotated[int, field("How long it waits first.", 0)]


class CommandView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the command.", 7)]
    server_id: Annotated[int, field("The server that runs it.", 1)]
    order_id: Annotated[int, field("The order.", 123)]
    item_id: Annotated[int, field("The line of the order.", 41)]
    cause: Annotated[CommandCause, field("Why it was queued.", "paid")]
    text: _Text
    player: PlayerView | None
    needs_player_online: Annotated[bool, field("Whether it waits until the player is online.", False)]
    status: Annotated[CommandStatus, field("What became of it.", "done")]
    attempts: Annotated[int, field("How often it was handed out.", 1)]
    output: _Output
    resent_from_id: Annotated[int | None, field("The command that it repeats.", None)]
    due_at: Annotated[Moment, field("When it is handed out, at the earliest.", "2026-11-15T10:30:00Z")]
    done_at: Annotated[Moment | None, field("When it was done, failed or was cancelled.", None)]
    created_at: Time


class LeasedCommandView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the command.", 7)]
    cause: Annotated[CommandCause, field("Why it was queued.", "paid")]
    text: _Text
    player: PlayerView | None
    needs_player_online: Annotated[bool, field("Whether it may be run only while the player is online.", False)]
    attempt: Annotated[int, field("1 if it was never handed out before.", 1)]
    leased_until: Annotated[
        Moment, field("After this time it is handed out again, under the same id.", "2026-11-15T10:31:00Z")
    ]


class RecordedResultsView(msgspec.Struct, frozen=True):
    recorded: Annotated[int, field("Results of commands of this server, also those reported before.", 1)]
    unknown: Annotated[int, field("Results of commands that this server does not have.", 0)]


class CommandFailedData(msgspec.Struct, frozen=True):
    command_id: Annotated[int, field("Identifies the command.", 7)]
    order_id: Annotated[int, field("The order.", 123)]
    server_id: Annotated[int, field("The server.", 1)]
    output: _Output


product_command = view_of(ProductCommandView, ProductCommand)
_COMMAND = view_of(CommandView, Command, "player", attempts="attempts_count", output="reason", done_at="finished_at")


def command(record: Command) -> CommandView:
    return _COMMAND(record, player=players_views.player(record.player))


def leased(record: Command) -> LeasedCommandView:
    return LeasedCommandView(
        record.id,
        record.cause,
        record.text,
        players_views.player(record.player),
        record.needs_player_online,
        record.attempts_count,
        utc(record.due_at),
    )


def failed(record: Command) -> CommandFailedData:
    return CommandFailedData(record.id, record.order_id, record.server_id, record.reason)
