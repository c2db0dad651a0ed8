"""The methods of `game`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Rows
from lootkeep_client.parameters import game as takes


class GameCommands:
    """`client.game.commands`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def take(self, **query: Unpack[takes.TakeCommands]) -> Rows[types.LeasedCommand]:
        """Take commands."""
        return self._core.many(types.LeasedCommand, "GET", "/api/game/v1/commands", query=query)

    def report(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.ReportResults]
    ) -> types.RecordedResults:
        """Report results."""
        return self._core.one(
            types.RecordedResults, "POST", "/api/game/v1/commands/results", body=body, key=idempotency_key
        )


class Game:
    """`client.game`."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.commands = GameCommands(core)
