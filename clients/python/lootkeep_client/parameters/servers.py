"""What the methods of `servers` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Required, TypedDict

from lootkeep_client import types


class CreateServer(TypedDict, total=False):
    """Create a server."""

    name: Required[str]
    game: Required[types.Game]


class UpdateServer(TypedDict, total=False):
    """Update a server."""

    name: str
    game: types.Game


class ResyncServer(TypedDict, total=False):
    """Send a server everything again."""

    player: str | None
    since: str | None
