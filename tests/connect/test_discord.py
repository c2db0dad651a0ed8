"""The connector for Discord gives and takes roles, waits when Discord asks for it, and says what went wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.connect.discord import Discord, DiscordOptions
from lootkeep.toolbox.connect.journal import Outcome
from lootkeep.toolbox.connect.queue import CommandPlayer, LeasedCommand, Unavailable
from tests.api.commanding import GIVE, bought, open_server, rank
from tests.builders import STORE, new_customer
from tests.connect.connecting import connected, until
from tests.connect.discord_server import BOT_TOKEN, GUILD, MEMBER, ROLE, DiscordServer
from tests.world import World

STRANGER = "80351110224678913"


@asynccontextmanager
async def bot(server: DiscordServer, guild: str = GUILD, token: str = BOT_TOKEN) -> AsyncIterator[Discord]:
    discord = Discord(DiscordOptions(guild, token, server.url))
    try:
        yield discord
    finally:
        await discord.close()


def command(role: str = ROLE, user: str | None = MEMBER, cause: str = "paid") -> LeasedCommand:
    return LeasedCommand(7, cause, role, CommandPlayer(user))


async def test_a_payment_gives_the_role_and_a_refund_takes_it(world: World, tmp_path: Path) -> None:
    server = await open_server(world, game="discord")
    await rank(world, GIVE | {"text": ROLE}, GIVE | {"text": ROLE, "on": "refunded"})
    await new_customer(world)
    async with DiscordServer() as discord, bot(discord) as target:
        async with connected(world, server.token, target, tmp_path / "discord.journal") as said:
            await bought(world, player={"game": "discord", "id": MEMBER})
            await until(world, ("paid", "done"))
            assert discord.roles == {MEMBER: {ROLE}}
            await world.post(f"{STORE}/orders/1/refund", {})
            await until(world, ("paid", "done"), ("refunded", "done"))
        assert discord.roles == {MEMBER: set()}
    assert said == [
        "Connected to Discord.",
        f"1  done    {ROLE}  The role was given.",
        f"2  done    {ROLE}  The role was taken.",
    ]


@pytest.mark.parametrize("cause", ["renewed", "expired", "refunded", "disputed"])
async def test_a_renewal_gives_and_every_other_cause_takes(cause: str) -> None:
    async with DiscordServer() as server, bot(server) as discord:
        assert (await discord.run(command(cause=cause))).ok
    method = "PUT" if cause == "renewed" else "DELETE"
    assert server.requests == [f"{method} /api/v10/guilds/{GUILD}/members/{MEMBER}/roles/{ROLE}"]


async def test_the_bot_waits_as_long_as_discord_asks_for() -> None:
    async with DiscordServer() as server, bot(server) as discord:
        server.answers = [429, 429]
        assert await discord.run(command()) == Outcome(True, "The role was given.")
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("sent", "outcome"),
    [
        (command(user=STRANGER), Outcome(False, "The user is not in the Discord server.")),
        (
            command(user=STRANGER, cause="refunded"),
            Outcome(True, "The user is not in the Discord server any more: there is no role to take."),
        ),
        (command(role=STRANGER), Outcome(False, "There is no such role in the Discord server.", retry=False)),
        (
            command(role="../../bans/1"),
            Outcome(False, "A command for Discord is the id of a role: 17 to 20 digits.", retry=False),
        ),
        (
            command(user=None),
            Outcome(False, "The command does not say which Discord user gets the role.", retry=False),
        ),
    ],
    ids=["unknown member", "unknown member loses nothing", "unknown role", "not a role", "nobody"],
)
async def test_what_discord_refuses_is_a_sentence(sent: LeasedCommand, outcome: Outcome) -> None:
    async with DiscordServer() as server, bot(server) as discord:
        assert await discord.run(sent) == outcome


@pytest.mark.parametrize("status", [401, 403, 500])
async def test_an_error_of_discord_is_tried_again(status: int) -> None:
    async with DiscordServer() as server, bot(server) as discord:
        await discord.connect()
        server.answers = [status]
        outcome = await discord.run(command())
        assert (outcome.ok, outcome.retry) == (False, True)
        # After an error that is not about the command it asks first whether Discord is there.
        assert (await discord.connect() is None) is (status == 403)


async def test_a_bot_without_its_token_or_its_server_does_not_start() -> None:
    async with DiscordServer() as server:
        async with bot(server, token="wrong") as discord:
            with pytest.raises(StartupError, match=r"Discord rejected the bot's token\."):
                await discord.connect()
        async with bot(server, guild=STRANGER) as discord:
            with pytest.raises(StartupError, match="The bot is not in this Discord server"):
                await discord.connect()


async def test_nothing_is_taken_while_discord_is_down() -> None:
    async with DiscordServer() as server, bot(server) as discord:
        server.answers = [503]
        with pytest.raises(Unavailable, match=r"Discord answered 503\."):
            await discord.connect()
