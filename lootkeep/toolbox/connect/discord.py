"""Gives and takes roles in a Discord server: the text of a command is the id of a role, the player gets it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection
from typing import NamedTuple

from lootkeep import __version__
from lootkeep.domain.commands import DELIVERING
from lootkeep.engines.http1 import ConnectionClosed, NotHttp, Response, target
from lootkeep.engines.outbound import failure
from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.connect.journal import Outcome
from lootkeep.toolbox.connect.queue import LeasedCommand, Unavailable, client, json_object, retry_after

API = "https://discord.com/api/v10"
_SECONDS = 20.0
_SNOWFLAKE = re.compile(r"[0-9]{17,20}")
# Discord asks for pauses of a second or less in a burst; after a longer one the store sends the command again.
_MAX_PAUSE_SECONDS = 30.0
_MAX_PAUSES = 5
# Codes in Discord's errors.
_UNKNOWN_MEMBER, _UNKNOWN_USER, _UNKNOWN_ROLE = 10007, 10013, 10011


class DiscordOptions(NamedTuple):
    guild_id: str
    bot_token: str
    api: str = API


class Discord:
    """Repeating a request is harmless here: a role that someone has is not given twice."""

    def __init__(self, options: DiscordOptions) -> None:
        self._guild = f"{options.api.rstrip('/')}/guilds/{options.guild_id}"
        agent = f"DiscordBot (https://lootkeep.example, {__version__})"
        self._header_lines = f"Authorization: Bot {options.bot_token}\r\nUser-Agent: {agent}\r\n".encode()
        self._client = client()
        self._is_connected = False

    async def connect(self) -> str | None:
        if self._is_connected:
            return None
        try:
            answer = await self._call("GET", "")
        except (TimeoutError, NotHttp, ConnectionClosed, OSError) as error:
            raise Unavailable(_unreached(error)) from None
        if answer.code == 401:
            raise StartupError("Discord rejected the bot's token.")
        if answer.code in (403, 404):
            raise StartupError("The bot is not in this Discord server: invite it, or check --guild.")
        if answer.code != 200:
            raise Unavailable(f"Discord answered {answer.code}.", retry_after(answer))
        self._is_connected = True
        return "Connected to Discord."

    async def online(self) -> Collection[str] | None:
        return None

    async def run(self, command: LeasedCommand) -> Outcome:
        role, user = command.text.strip(), command.player.id if command.player else None
        if not _SNOWFLAKE.fullmatch(role):
            return Outcome(False, "A command for Discord is the id of a role: 17 to 20 digits.", retry=False)
        if not user or not _SNOWFLAKE.fullmatch(user):
            return Outcome(False, "The command does not say which Discord user gets the role.", retry=False)
        is_given = command.cause in DELIVERING
        try:
            answer = await self._call("PUT" if is_given else "DELETE", f"/members/{user}/roles/{role}")
        except (TimeoutError, NotHttp, ConnectionClosed, OSError) as error:
            self._is_connected = False
            return Outcome(False, _unreached(error))
        if answer.code == 401 or answer.code >= 500:
            self._is_connected = False
        return _outcome(answer, is_given=is_given)

    async def close(self) -> None:
        await self._client.close()

    async def _call(self, method: str, path: str) -> Response:
        """Waits as long as Discord asks for."""
        to = target(self._guild + path, "", method)
        for _ in range(_MAX_PAUSES):
            async with asyncio.timeout(_SECONDS):
                answer = await self._client.request(to, self._header_lines)
            pause = retry_after(answer) or 1.0
            if answer.code != 429 or pause > _MAX_PAUSE_SECONDS:
                break
            await asyncio.sleep(pause)
        return answer


def _outcome(answer: Response, *, is_given: bool) -> Outcome:
    code = json_object(answer).get("code")
    if answer.code in (200, 204):
        return Outcome(True, "The role was given." if is_given else "The role was taken.")
    if code in (_UNKNOWN_MEMBER, _UNKNOWN_USER):
        if not is_given:
            return Outcome(True, "The user is not in the Discord server any more: there is no role to take.")
        return Outcome(False, "The user is not in the Discord server.")
    if code == _UNKNOWN_ROLE:
        return Outcome(False, "There is no such role in the Discord server.", retry=False)
    if answer.code == 403:
        return Outcome(
            False, "The bot may not do this: it needs Manage Roles, and its own role must be above the role it gives."
        )
    if answer.code == 401:
        return Outcome(False, "Discord rejected the bot's token.")
    return Outcome(False, f"Discord answered {answer.code}.")


def _unreached(error: Exception) -> str:
    return f"Discord cannot be reached: {'it does not answer' if isinstance(error, TimeoutError) else failure(error)}."
