"""The whole service in this process: the application as a server runs it, with its worker, on an embedded database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from lootkeep import wiring
from lootkeep.domain.access import SCOPES
from lootkeep.services import access as access_service
from lootkeep.settings import Settings
from lootkeep.wiring import serving
from tests.world import KEY

BASE = "http://127.0.0.1:8000"


@asynccontextmanager
async def service(folder: Path, **settings: Any) -> AsyncIterator[tuple[httpx.AsyncClient, str]]:
    """A client of a new store, and the first token. To start the command takes longer than most tests."""
    config = Settings(
        _env_file=None,
        database_url=f"sqlite:///{folder}/lootkeep.db",
        data_dir=folder / "lootkeep-data",
        secret_key=KEY,
        **settings,
    )
    async with wiring.opened(config) as deps:
        await access_service.ensure_owner(deps)
        token, _ = await access_service.create_token(deps, name="first", scopes=list(SCOPES))
    app = serving.Application(config)
    async with _living(app), httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE) as http:
        yield http, token


@asynccontextmanager
async def _living(app: serving.Application) -> AsyncIterator[None]:
    """The lifespan protocol of ASGI: startup before the block, shutdown after it."""
    to_app, from_app = asyncio.Queue[MutableMapping[str, Any]](), asyncio.Queue[MutableMapping[str, Any]]()
    async with asyncio.TaskGroup() as group:
        group.create_task(app({"type": "lifespan", "state": {}}, to_app.get, from_app.put))
        to_app.put_nowait({"type": "lifespan.startup"})
        await from_app.get()
        yield
        to_app.put_nowait({"type": "lifespan.shutdown"})
