"""Runs commands on a game server over Source RCON: Minecraft, ARK, Factorio, and others that speak it."""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import NamedTuple

from lootkeep.domain.commands import MAX_OUTPUT
from lootkeep.engines.outbound import failure
from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.connect.connector import NoAnswer
from lootkeep.toolbox.connect.journal import Outcome
from lootkeep.toolbox.connect.queue import LeasedCommand, Unavailable

# The types of packets: https://developer.valvesoftware.com/wiki/Source_RCON_Protocol
_LOGIN, _LOGIN_ANSWER, _COMMAND, _ANSWER = 3, 2, 2, 0
_REJECTED = -1
_SECONDS = 10.0
# Id and type, and two zero bytes after the body.
_OVERHEAD = 10
# What Minecraft takes; other games take more.
_MAX_COMMAND_BYTES = 1446
# An answer that fills a packet may go on in the next.
_FULL_BYTES = 4000
_MORE_SECONDS = 2.0
# A game that sends more than this does not speak RCON.
_MAX_PACKET = 1024 * 1024
_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\b[0-9]{17}\b", re.IGNORECASE)
# How Minecraft colours its answers, and the NUL that some games end them with: the store takes none.
_UNREADABLE = re.compile("§.|\0")
# What Minecraft answers instead of doing it.
MINECRAFT_FAILURES = (
    "Unknown command",
    "Unknown or incomplete command",
    "Incorrect argument for command",
    "No player was found",
)


class RconOptions(NamedTuple):
    host: str
    port: int
    password: str
    # Answered with the ids of the players who are online.
    ask_online: str | None = None
    # An answer that contains one of these is a failure.
    failures: Sequence[str] = MINECRAFT_FAILURES


class _Packet(NamedTuple):
    id: int
    type: int
    body: bytes


class _NotRcon(OSError):
    """What the game sends is something else."""


class Rcon:
    """One connection, which is made again when the game has closed it."""

    def __init__(self, options: RconOptions) -> None:
        self._options = options
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._last_id = 0

    async def connect(self) -> str | None:
        if self._streams:
            reader, writer = self._streams
            if not (reader.at_eof() or reader.exception() or writer.is_closing()):
                return None
        await self.close()
        options = self._options
        where = f"the game's RCON at {options.host}:{options.port}"
        try:
            async with asyncio.timeout(_SECONDS):
                self._streams = await asyncio.open_connection(options.host, options.port)
                self._streams[1].get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                is_welcome = await self._log_in()
        except (TimeoutError, OSError, EOFError) as error:
            await self.close()
            raise Unavailable(f"Cannot reach {where}: {_reason(error)}.") from None
        if not is_welcome:
            await self.close()
            raise StartupError(f"The password was rejected by {where}.")
        return f"Connected to {where}."

    async def online(self) -> Collection[str] | None:
        if self._options.ask_online is None:
            return None
        try:
            answer = await self._exchange(self._options.ask_online.encode())
        except NoAnswer as error:
            raise Unavailable(str(error)) from None
        return [player.lower() for player in _ID.findall(answer)]

    async def run(self, command: LeasedCommand) -> Outcome:
        text = command.text.encode()
        if len(text) > _MAX_COMMAND_BYTES:
            return Outcome(False, f"RCON takes commands of up to {_MAX_COMMAND_BYTES} bytes.", retry=False)
        answer = _UNREADABLE.sub("", await self._exchange(text)).strip()[:MAX_OUTPUT]
        is_failure = any(text.lower() in answer.lower() for text in self._options.failures)
        return Outcome(not is_failure, answer)

    async def close(self) -> None:
        if self._streams:
            writer = self._streams[1]
            self._streams = None
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _log_in(self) -> bool:
        self._send(_LOGIN, self._options.password.encode())
        # Some games send an empty answer first.
        while (packet := await self._receive()).type != _LOGIN_ANSWER:
            pass
        return packet.id != _REJECTED

    async def _exchange(self, text: bytes) -> str:
        """The answer, in full. An answer to something earlier is skipped."""
        try:
            async with asyncio.timeout(_SECONDS):
                asked = self._send(_COMMAND, text)
                while (packet := await self._receive()).id != asked:
                    pass
                body = packet.body
                if len(body) >= _FULL_BYTES:
                    body += await self._rest(asked)
        except (TimeoutError, OSError, EOFError) as error:
            await self.close()
            raise NoAnswer(f"The game did not answer: {_reason(error)}.") from None
        return body.decode(errors="replace")

    async def _rest(self, asked: int) -> bytes:
        """What was sent before the answer to one more packet; a game that ignores it has sent everything soon."""
        rest = b""
        with suppress(TimeoutError):
            async with asyncio.timeout(_MORE_SECONDS):
                end = self._send(_ANSWER, b"")
                while (packet := await self._receive()).id != end:
                    rest += packet.body if packet.id == asked else b""
        return rest

    def _send(self, packet_type: int, body: bytes) -> int:
        assert self._streams
        self._last_id = self._last_id % (2**31 - 1) + 1
        head = struct.pack("<iii", len(body) + _OVERHEAD, self._last_id, packet_type)
        self._streams[1].write(head + body + b"\0\0")
        return self._last_id

    async def _receive(self) -> _Packet:
        assert self._streams
        reader = self._streams[0]
        (size,) = struct.unpack("<i", await reader.readexactly(4))
        if not _OVERHEAD <= size <= _MAX_PACKET:
            raise _NotRcon
        content = await reader.readexactly(size)
        packet_id, packet_type = struct.unpack("<ii", content[:8])
        return _Packet(packet_id, packet_type, content[8:-2])


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"nothing came for {_SECONDS:g} s"
    if isinstance(error, EOFError | ConnectionResetError | BrokenPipeError):
        return "it closed the connection"
    if isinstance(error, _NotRcon):
        return "it does not speak RCON"
    if isinstance(error, socket.gaierror):
        return "the host name cannot be resolved"
    return failure(error)
