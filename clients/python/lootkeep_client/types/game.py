"""What `game` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lootkeep_client.types.orders import Player
from lootkeep_client.types.words import CommandCause


class ResultBody(TypedDict):
    id: int
    ok: bool
    output: NotRequired[str | None]
    retry: NotRequired[bool]


class LeasedCommand(TypedDict):
    id: int
    cause: CommandCause
    text: str
    player: Player | None
    needs_player_online: bool
    attempt: int
    leased_until: str


class RecordedResults(TypedDict):
    recorded: int
    unknown: int
