"""Players: who gets what an order hands over, by the names and ids that their game knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from lootkeep.kernel.clock import Instant

Game = Literal["minecraft", "minecraft_bedrock", "steam", "rust", "fivem", "ark", "roblox", "discord", "other"]

MAX_IDENTITIES = 20
MAX_PLAYER_TEXT = 100

_UUID = r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"
_WORD = r"[A-Za-z0-9_.-]{1,64}"
# No sign in these can end, quote or continue a command.
_WORDS = r"[A-Za-z0-9_.-][A-Za-z0-9_. -]{0,63}"


class GameRules(msgspec.Struct, frozen=True):
    """The forms of ids and names; where names may hold anything, `name` is what a command takes."""

    title: str
    id: str
    name: str = _WORDS
    has_free_names: bool = False


GAMES: dict[Game, GameRules] = {
    "minecraft": GameRules("Minecraft", _UUID, r"[A-Za-z0-9_]{1,16}"),
    "minecraft_bedrock": GameRules("Minecraft Bedrock", rf"[0-9]{{1,20}}|{_UUID}", r"[A-Za-z0-9_][A-Za-z0-9_ ]{0,15}"),
    "steam": GameRules("Steam", r"[0-9]{17}", has_free_names=True),
    "rust": GameRules("Rust", r"[0-9]{17}", has_free_names=True),
    "fivem": GameRules("FiveM", r"license:[0-9a-f]{40}|fivem:[0-9]{1,20}", has_free_names=True),
    "ark": GameRules("ARK", r"[0-9]{17}|[0-9a-f]{32}", has_free_names=True),
    "roblox": GameRules("Roblox", r"[0-9]{1,20}", r"[A-Za-z0-9_]{1,20}"),
    "discord": GameRules("Discord", r"[0-9]{17,20}", has_free_names=True),
    "other": GameRules("Another game", _WORD, _WORD),
}


class Player(msgspec.Struct, frozen=True):
    """A player of a game; some games know only one of the two."""

    game: Game
    id: str | None = None
    name: str | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """As orders, subscriptions and commands store it."""
        return {"player_game": self.game, "player_id": self.id, "player_name": self.name}

    @property
    def trace(self) -> str:
        """What the player is recognised by: the game, and the id or else the name."""
        return f"{self.game}:{normal_id(self.game, self.id or self.name or '')}"


class Identity(Player, frozen=True):
    """A player that a customer is."""

    verified_at: Instant | None = None

    @property
    def key(self) -> str:
        """What the identity is found by, such as `steam:76561198000000000`."""
        return f"{self.game}:{self.id or self.name}"


def player_of(game: Game | None, player_id: str | None, name: str | None) -> Player | None:
    """From the columns of a record."""
    return None if game is None else Player(game, player_id, name)


def identities_of(text: str) -> list[Identity]:
    """From the JSON that a customer is stored with."""
    return msgspec.json.decode(text, type=list[Identity])


def replaced_identities(before: str, players: Sequence[Player]) -> str:
    """The JSON to store: who was verified stays so, as long as it is the same player."""
    verified = {identity.key: identity.verified_at for identity in identities_of(before)}
    after = [Identity(player.game, player.id, player.name) for player in players]
    return msgspec.json.encode([replace(it, verified_at=verified.get(it.key)) for it in after]).decode()


def verified_identities(before: str, player: Player, now: Instant) -> str:
    """The JSON after a command for the player was done: the game knows them, so this identity is verified."""

    def verified(identity: Identity) -> Identity:
        is_new = identity.verified_at is None and identity.trace == player.trace
        return replace(identity, verified_at=now) if is_new else identity

    return msgspec.json.encode([verified(identity) for identity in identities_of(before)]).decode()


def normal_id(game: Game, text: str) -> str:
    """The id as it is stored: UUIDs in lower case with hyphens, so that both spellings are one player."""
    lowered = text.lower() if game != "other" else text
    if game.startswith("minecraft") and re.fullmatch(_UUID, lowered):
        digits = lowered.replace("-", "")
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    return lowered


def trace_of(text: str) -> str:
    """From a text such as `steam:76561198000000000`; ValueError if it is none."""
    game, _, player = text.partition(":")
    if game not in GAMES or not player:
        raise ValueError("not a player")
    return f"{game}:{normal_id(game, player)}"


def check(player: Player, field: str) -> dict[str, list[str]]:
    """What is wrong with the player, by field."""
    rules, errors = GAMES[player.game], dict[str, list[str]]()
    label = field.replace("_", " ")
    if player.id is None and player.name is None:
        errors[f"{field}.id"] = [f"The {label}.id field is required, or a name."]
    if player.id is not None and not re.fullmatch(rules.id, player.id):
        errors[f"{field}.id"] = [f"The {label}.id field is not an id of this game."]
    if player.name is not None and not _is_name(rules, player.name):
        errors[f"{field}.name"] = [f"The {label}.name field is not a name of this game."]
    return errors


def is_safe_name(player: Player) -> bool:
    """Whether the name can be a part of a command."""
    return player.name is not None and re.fullmatch(GAMES[player.game].name, player.name) is not None


def is_safe_id(player: Player) -> bool:
    return player.id is not None and re.fullmatch(GAMES[player.game].id, player.id) is not None


def _is_name(rules: GameRules, name: str) -> bool:
    if rules.has_free_names:
        return name.isprintable() and not name.isspace()
    return re.fullmatch(rules.name, name) is not None
