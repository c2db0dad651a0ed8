"""Players: ids and names in the form of each game, and no name that could become a command."""

from __future__ import annotations

import pytest

from lootkeep.domain import players as players_rules
from lootkeep.domain.players import GAMES, Game, Player

UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5"
GOOD: dict[Game, tuple[str, str]] = {
    "minecraft": (UUID, "Notch_1"),
    "minecraft_bedrock": ("2535412345678901", "Some Player"),
    "steam": ("76561198000000000", "gabe.n"),
    "rust": ("76561198000000000", "naked guy"),
    "fivem": ("license:" + "ab01" * 10, "Officer-1"),
    "ark": ("76561198000000000", "Rex Rider"),
    "roblox": ("156", "builderman"),
    "discord": ("80351110224678912", "nelly"),
    "other": ("player-7", "Anna.B"),
}
HOSTILE = (
    "a; op me",
    "a\nop me",
    "a\r\nop me",
    "a && stop",
    "a`stop`",
    "$(stop)",
    "@a",
    "@e[type=player]",
    'a" op "me',
    "a' or '1",
    "{player_id}",
    "a{0}",
    "../a",
    "a|b",
    "a\x00b",
    "§4admin",
    "\u202eadmin",
    "a\u2028op me",
    "a\\nb",
    "~ ~ ~",
    " -x",
    "",
)


@pytest.mark.parametrize("game", GAMES)
def test_an_id_and_a_name_of_the_game_are_accepted(game: Game) -> None:
    player = Player(game, *GOOD[game])
    assert players_rules.check(player, "player") == {}
    assert players_rules.is_safe_id(player)
    assert players_rules.is_safe_name(player)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("text", HOSTILE)
def test_no_hostile_name_or_id_becomes_a_part_of_a_command(game: Game, text: str) -> None:
    assert not players_rules.is_safe_name(Player(game, None, text))
    assert not players_rules.is_safe_id(Player(game, text, None))
    assert players_rules.check(Player(game, text, None), "player") == {
        "player.id": ["The player.id field is not an id of this game."]
    }


@pytest.mark.parametrize("game", [game for game, rules in GAMES.items() if not rules.has_free_names])
def test_a_name_that_the_game_does_not_allow_is_refused(game: Game) -> None:
    assert list(players_rules.check(Player(game, None, "a; op me"), "player")) == ["player.name"]


@pytest.mark.parametrize("game", [game for game, rules in GAMES.items() if rules.has_free_names])
def test_where_names_hold_anything_they_are_stored_and_take_no_part_in_a_command(game: Game) -> None:
    player = Player(game, GOOD[game][0], "★ Anna; quit ★")
    assert players_rules.check(player, "player") == {}
    assert not players_rules.is_safe_name(player)
    assert list(players_rules.check(Player(game, None, "a\nb"), "player")) == ["player.name"]


def test_a_player_without_id_and_name_is_refused() -> None:
    assert list(players_rules.check(Player("steam"), "player")) == ["player.id"]


def test_both_spellings_of_a_uuid_are_one_player() -> None:
    spellings = (UUID, UUID.upper(), UUID.replace("-", ""))
    assert {players_rules.normal_id("minecraft", text) for text in spellings} == {UUID}
