"""What an overloaded server answers, and a server with an admission of the test's choice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from uvicorn import Config
from uvicorn.server import ServerState

from lootkeep.api.http.admission import ADMISSION, Admission
from lootkeep.api.http.server import Protocol
from tests.api.server.serving import PATIENCE_SECONDS

OVERLOADED = {
    "success": False,
    "error": "Service Unavailable",
    "code": "overloaded",
    "message": "The service is busy and has not started this request. Please try again shortly.",
}


@asynccontextmanager
async def listening(app: Any, admission: Admission) -> AsyncIterator[httpx.AsyncClient]:
    config = Config(app, http=Protocol, lifespan="off", log_config=None)
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Protocol(config, state, {ADMISSION: admission}), "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    async with httpx.AsyncClient(base_url=f"http://{host}:{port}", timeout=PATIENCE_SECONDS) as client:
        yield client
    server.close()
