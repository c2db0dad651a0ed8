"""What `servers` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import TypedDict

from lootkeep_client.types.words import Game


class Server(TypedDict):
    id: int
    name: str
    game: Game
    last_seen_at: str | None
    waiting: int
    failed: int
    created_at: str
    updated_at: str


class NewServer(TypedDict):
    server: Server
    token: str


class ServerToken(TypedDict):
    token: str


class Resync(TypedDict):
    queued: int
