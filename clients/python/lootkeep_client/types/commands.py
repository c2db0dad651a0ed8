"""What `commands` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import TypedDict

from lootkeep_client.types.orders import Player
from lootkeep_client.types.words import CommandCause, CommandStatus


class Command(TypedDict):
    id: int
    server_id: int
    order_id: int
    item_id: int
    cause: CommandCause
    text: str
    player: Player | None
    needs_player_online: bool
    status: CommandStatus
    attempts: int
    output: str | None
    resent_from_id: int | None
    due_at: str
    done_at: str | None
    created_at: str
