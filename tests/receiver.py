"""A real receiver of webhooks on loopback: it records what arrives and answers as it is told."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple


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

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.received: list[Received] = []
        self.answers: list[int] = []
        self.behaviour: Behaviour | None = None
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._arrived = asyncio.Event()

    async def __aenter__(self) -> Receiver:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._server.close()
        self._server.close_clients() if hasattr(self._server, "close_clients") else None

    @property
    def url(self) -> str:
        assert self._server
        scheme = "https" if self._tls else "http"
        return f"{scheme}://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/hook"

    async def wait_for(self, count: int) -> list[Received]:
        """Returns when so many requests have arrived."""
        async with asyncio.timeout(10):
            while len(self.received) < count:
                self._arrived.clear()
                await self._arrived.wait()
        return self.received

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await _read(reader):
                self.received.append(request)
                self._arrived.set()
                if self.behaviour:
                    await self.behaviour(reader, writer)
                    break
                await _answer(writer, self.answers.pop(0) if self.answers else 200)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Received | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = dict(line.split(": ", 1) for line in head[1:] if line)
    body = await reader.readexactly(int(headers.get("Content-Length", "0")))
    return Received(head[0].split(" ")[1], headers, body)


async def _answer(writer: asyncio.StreamWriter, status: int) -> None:
    text = "" if status == 204 else f"told to answer {status}"
    length = "" if status == 204 else f"Content-Length: {len(text)}\r\n"
    writer.write(f"HTTP/1.1 {status} Whatever\r\n{length}\r\n{text}".encode())
    await writer.drain()
