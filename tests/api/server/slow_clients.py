"""Clients that hold their connection open while a server drains."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from uvicorn import Config
from uvicorn.server import ServerState

from lootkeep.api.http.server import Protocol
from tests.api.server.serving import PATIENCE_SECONDS

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: store\r\n\r\n"


class Patient(Protocol):
    """Waits for data in flight for as long as a test needs."""

    idle_seconds = 3600.0
    rest_seconds = 3600.0


class Connection:
    """The client's end of a connection, in raw bytes."""

    def __init__(self, state: ServerState, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._state = state
        self.reader = reader
        self.writer = writer

    async def ask(self, request: bytes) -> bytes:
        """The head of the answer; its body is left to be read."""
        self.writer.write(request)
        return await self.reader.readuntil(b"\r\n\r\n")

    def stop_server(self) -> None:
        for connection in list(self._state.connections):
            connection.shutdown()

    async def rest(self) -> bytes:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self.reader.read()


@asynccontextmanager
async def connected(app: Any, protocol: type[Protocol], limit: int | None = None) -> AsyncIterator[Connection]:
    config = Config(app, http=protocol, lifespan="off", log_config=None, limit_concurrency=limit)
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: protocol(config, state, {}), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    yield Connection(state, reader, writer)
    writer.close()
    server.close()
