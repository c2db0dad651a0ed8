"""What the methods of `servers` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Literal, Required, TypedDict


class CreateServer(TypedDict, total=False):
    """Create a server."""

    name: Required[str]
    game: Required[
        Literal["minecraft", "minecraft_bedrock", "steam", "rust", "fivem", "ark", "roblox", "discord", "other"]
    ]


class UpdateServer(TypedDict, total=False):
    """Update a server."""

    name: str
    game: Literal["minecraft", "minecraft_bedrock", "steam", "rust", "fivem", "ark", "roblox", "discord", "other"]
