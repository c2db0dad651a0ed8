"""The methods of `commands`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import AsyncCore
from lootkeep_client.pages import AsyncPages
from lootkeep_client.parameters import commands as takes


class Commands:
    """`client.commands`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListCommands]) -> AsyncPages[types.Command]:
        """List commands."""
        return self._core.pages(types.Command, "GET", "/api/external/v1/commands", query=query)

    async def resend(self, command_id: int, *, idempotency_key: str | None = None) -> types.Command:
        """Send a command again."""
        return await self._core.one(
            types.Command, "POST", "/api/external/v1/commands/{id}/resend", command_id, key=idempotency_key
        )
