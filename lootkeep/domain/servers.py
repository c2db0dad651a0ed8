"""Game servers: each has a token of its own, which runs the commands of its queue and nothing else."""

from __future__ import annotations

import msgspec

from lootkeep.domain.players import Game
from lootkeep.kernel.clock import HOUR, MINUTE, Instant
from lootkeep.kernel.errors import Unprocessable

MAX_SERVERS = 100
# `last seen` is worth one write in this time, not one for each poll.
SEEN_EVERY = MINUTE
# A server that has not asked for so long is down, or its connector is.
SILENT_AFTER = HOUR


class Server(msgspec.Struct, frozen=True):
    """A game server, or a Discord server."""

    id: int
    name: str
    game: Game
    token_id: int
    last_seen_at: Instant | None
    created_at: Instant
    updated_at: Instant
    deleted_at: Instant | None = None

    def is_silent(self, now: Instant) -> bool:
        """Whether it asked for commands once, and no longer does."""
        return self.last_seen_at is not None and now - self.last_seen_at >= SILENT_AFTER


class QueueLength(msgspec.Struct, frozen=True):
    """How many commands wait for the server or are being run, and how many failed."""

    waiting: int
    failed: int


class ServerQueue(msgspec.Struct, frozen=True):
    """What waits for a server, how much of it for a player, and the failures that nobody has looked after."""

    waiting: int = 0
    for_players: int = 0
    failed: int = 0


def require_room(count: int) -> None:
    if count >= MAX_SERVERS:
        raise Unprocessable("too_many_servers", f"A store can have at most {MAX_SERVERS} servers.")
