"""Players in request bodies: of a customer, of an order and of a subscription."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from lootkeep.api.http.fields import field, not_blank, refuse
from lootkeep.api.http.validation import Body
from lootkeep.domain import players as players_rules
from lootkeep.domain.players import MAX_IDENTITIES, MAX_PLAYER_TEXT, Game, Player
from lootkeep.kernel.errors import InvalidFields

PlayerText = Annotated[str, Field(min_length=1, max_length=MAX_PLAYER_TEXT), AfterValidator(not_blank)]


class PlayerBody(Body):
    """A player, as the game knows them."""

    game: Annotated[Game, field("The game.", "minecraft")]
    id: Annotated[PlayerText | None, field("The id in the game.", "069a79f4-44e9-4726-a5be-fca90e38aaf5")] = None
    name: Annotated[PlayerText | None, field("The name in the game.", "Notch")] = None


Identities = Annotated[list[PlayerBody], Field(max_length=MAX_IDENTITIES)]


def _identity(value: str) -> str:
    try:
        return players_rules.trace_of(value)
    except ValueError:
        raise refuse("must be a game and an id, such as steam:76561198000000000") from None


IdentityText = Annotated[str, Field(max_length=MAX_PLAYER_TEXT + 20), AfterValidator(_identity)]


def player_of(body: PlayerBody | None) -> Player | None:
    """The player as it is stored, checked by the rules of its game."""
    if body is None:
        return None
    player = _player(body)
    if errors := players_rules.check(player, "player"):
        raise InvalidFields(errors)
    return player


def identities_of(bodies: Sequence[PlayerBody]) -> list[Player]:
    players, errors, games = [_player(body) for body in bodies], dict[str, list[str]](), set[Game]()
    for index, player in enumerate(players):
        errors |= players_rules.check(player, f"identities.{index}")
        if player.game in games and player.game != "other":
            errors[f"identities.{index}.game"] = [f"The identities.{index}.game field names a game twice."]
        games.add(player.game)
    if errors:
        raise InvalidFields(errors)
    return players


def _player(body: PlayerBody) -> Player:
    return Player(body.game, body.id and players_rules.normal_id(body.game, body.id), body.name)
