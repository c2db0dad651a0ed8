"""The methods of `events`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import AsyncCore
from lootkeep_client.parameters import events as takes


class Events:
    """`client.events`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def read(self, **query: Unpack[takes.ListEvents]) -> types.EventFeed:
        """Read the event feed."""
        return await self._core.one(types.EventFeed, "GET", "/api/external/v1/events", query=query)
