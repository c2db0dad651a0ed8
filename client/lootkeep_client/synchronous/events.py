"""The methods of `events`; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client.cores import Core
from lootkeep_client.pages import Data
from lootkeep_client.parameters import events as takes


class Events:
    """`client.events`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def read(self, **query: Unpack[takes.ListEvents]) -> Data:
        """Read the event feed."""
        return self._core.one("GET", "/api/external/v1/events", query=query)
