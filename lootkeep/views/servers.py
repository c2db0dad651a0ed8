"""Game servers in public."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.players import Game
from lootkeep.domain.servers import QueueLength, Server
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of

_Token = Annotated[str, field("Shown only now. It reads the server's own queue and nothing else.", "lk_w5Jr...")]


class ServerView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the server.", 1)]
    name: Annotated[str, field("The name, for staff and buyers.", "Survival")]
    game: Annotated[Game, field("The game, which says what players' names and ids look like.", "minecraft")]
    last_seen_at: Annotated[Moment | None, field("When it last asked for commands, to the minute.", None)]
    waiting: Annotated[int, field("Commands that wait or are being run, counted up to 10,000.", 0)]
    failed: Annotated[int, field("Commands that failed for good, counted up to 10,000.", 0)]
    created_at: Time
    updated_at: Time


class NewServerView(msgspec.Struct, frozen=True):
    server: ServerView
    token: _Token


class ServerTokenView(msgspec.Struct, frozen=True):
    token: _Token


class ResyncView(msgspec.Struct, frozen=True):
    queued: Annotated[int, field("How many commands were queued.", 3)]


_SERVER = view_of(ServerView, Server, "waiting", "failed")


def server(record: Server, queue: QueueLength) -> ServerView:
    return _SERVER(record, waiting=queue.waiting, failed=queue.failed)
