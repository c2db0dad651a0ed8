"""Players in public."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.players import Game, Identity, Player
from lootkeep.views.fields import Moment, field
from lootkeep.views.mapping import view_of


class PlayerView(msgspec.Struct, frozen=True):
    game: Annotated[Game, field("The game.", "minecraft")]
    id: Annotated[str | None, field("The id in the game.", "069a79f4-44e9-4726-a5be-fca90e38aaf5")]
    name: Annotated[str | None, field("The name in the game.", "Notch")]


class IdentityView(PlayerView, frozen=True):
    verified_at: Annotated[
        Moment | None, field("When a server first ran a command for this player; null before that.", None)
    ]


_PLAYER = view_of(PlayerView, Player)
identity = view_of(IdentityView, Identity)


def player(record: Player | None) -> PlayerView | None:
    return _PLAYER(record) if record else None
