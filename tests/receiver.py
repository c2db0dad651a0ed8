"""A real receiver of webhooks on loopback: it records what arrives and answers as requested."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

# Only an error takes this long; a busy machine must not fail a test.
PATIENCE_SECONDS = 300


class Received(NamedTuple):
    """One request as it came over the wire."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.body)
        return value


Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Receiver:
    """Answers 200 unless `answers` holds other statuses, in turn; `behaviour` replaces the answer altogether."""

    def __init__(self, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> None:
        self.received: list[Received] = []
        self.answers: list[int] = []
        self.behaviour: Behaviour | None = None
        self.connects = 0
        self._tls = tls
        self._host = host
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[Any]] = set()
        self._arrived = asyncio.Event()

    async def __aenter__(self) -> Receiver:
        self._server = await asyncio.start_server(self._serve, self._host, 0, ssl=self._tls)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    @property
    def port(self) -> int:
        assert self._server
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def url(self) -> str:
        scheme = "https" if self._tls else "http"
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{scheme}://{host}:{self.port}/hook"

    async def wait_for(self, count: int) -> list[Received]:
        """Returns when this many requests have arrived."""
        while len(self.received) < count:
            self._arrived.clear()
            # For each again: a busy machine is slow, but goes on.
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._arrived.wait()
        return self.received

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._serving.add(task)
        self.connects += 1
        try:
            while request := await read(reader):
                self.received.append(request)
                self._arrived.set()
                if self.behaviour:
                    await self.behaviour(reader, writer)
                    break
                await answer(writer, self.answers.pop(0) if self.answers else 200)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._serving.discard(task)
            writer.close()


def holding(gate: asyncio.Event, status: int = 200) -> Behaviour:
    """Answers only when the gate is opened."""

    async def hold(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await gate.wait()
        await answer(writer, status)

    return hold


def saying(*pieces: bytes) -> Behaviour:
    """Sends these raw bytes and closes."""

    async def say(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return say


def repeating(opening: bytes, piece: bytes, seconds: float = 0) -> Behaviour:
    """Repeats the piece for ever, with an optional pause in between."""

    async def repeat(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(opening)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(seconds)

    return repeat


async def hanging(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Never answers."""
    await asyncio.Event().wait()


async def resetting(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Aborts the connection: the other side sees a reset rather than an end."""
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def answer(writer: asyncio.StreamWriter, status: int) -> None:
    text = "" if status == 204 else f"asked to answer {status}"
    length = "" if status == 204 else f"Content-Length: {len(text)}\r\n"
    writer.write(f"HTTP/1.1 {status} Whatever\r\n{length}\r\n{text}".encode())
    await writer.drain()


async def read(reader: asyncio.StreamReader) -> Received | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = dict(line.split(": ", 1) for line in head[1:] if line)
    body = await reader.readexactly(int(headers.get("Content-Length", "0")))
    return Received(head[0].split(" ")[1], headers, body)
