"""A game server that speaks Source RCON on a real socket, and counts every command that it was sent."""

from __future__ import annotations

import asyncio
import struct
from collections import Counter
from contextlib import suppress
from typing import Any

PASSWORD = "hunter2"
# What Minecraft puts into one packet.
PACKET_BYTES = 4096
# Only an error takes this long; a busy machine must not fail a test.
PATIENCE_SECONDS = 300


class RconServer:
    """Answers `Ran: ...` unless `answers` has another text; what is in `unanswered` is run, and the connection ends."""

    def __init__(self, *, sends_empty_answer_first: bool = False) -> None:
        self.ran: Counter[str] = Counter()
        self.answers: dict[str, str] = {}
        self.unanswered: set[str] = set()
        # From this number of commands on nothing is answered.
        self.hold_from: int | None = None
        self.logins = 0
        self.port = 0
        self._sends_empty_answer_first = sends_empty_answer_first
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[Any]] = set()
        self._changed = asyncio.Event()

    async def __aenter__(self) -> RconServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """On the same port as before."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server:
            self._server.close()
        self._server = None
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def until_ran(self, count: int, seconds: float = PATIENCE_SECONDS) -> None:
        while self.ran.total() < count:
            self._changed.clear()
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._serving.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                if await self._log_in(reader, writer):
                    while await self._run(reader, writer):
                        pass
        finally:
            self._serving.discard(task)
            writer.close()

    async def _log_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        packet_id, packet_type, body = await _receive(reader)
        if self._sends_empty_answer_first:
            _send(writer, packet_id, 0, b"")
        is_welcome = packet_type == 3 and body.decode() == PASSWORD
        _send(writer, packet_id if is_welcome else -1, 2, b"")
        self.logins += is_welcome
        return is_welcome

    async def _run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        packet_id, packet_type, body = await _receive(reader)
        if packet_type != 2:
            _send(writer, packet_id, 0, b"Unknown request 0")
            return True
        text = body.decode()
        self.ran[text] += 1
        self._changed.set()
        if text in self.unanswered:
            return False
        if self.hold_from is not None and self.ran.total() >= self.hold_from:
            # The other side ends.
            await reader.read()
            return False
        answer = self.answers.get(text, f"Ran: {text}").encode()
        for start in range(0, max(1, len(answer)), PACKET_BYTES):
            _send(writer, packet_id, 0, answer[start : start + PACKET_BYTES])
        return True


async def _receive(reader: asyncio.StreamReader) -> tuple[int, int, bytes]:
    (size,) = struct.unpack("<i", await reader.readexactly(4))
    content = await reader.readexactly(size)
    packet_id, packet_type = struct.unpack("<ii", content[:8])
    return packet_id, packet_type, content[8:-2]


def _send(writer: asyncio.StreamWriter, packet_id: int, packet_type: int, body: bytes) -> None:
    writer.write(struct.pack("<iii", len(body) + 10, packet_id, packet_type) + body + b"\0\0")
