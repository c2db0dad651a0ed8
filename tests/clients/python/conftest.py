"""Fixtures: clients that call the app of the world, on each engine in turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from lootkeep.kernel.clock import SECOND
from lootkeep_client import AsyncClient, Client
from tests.world import World

BASE = "http://store.test"


class Bridge(httpx.BaseTransport):
    """Passes the requests of a sync client, from its own thread, to the app in the event loop of the test."""

    def __init__(self, app: httpx.AsyncBaseTransport, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return asyncio.run_coroutine_threadsafe(self._handle(request), self._loop).result()

    async def _handle(self, request: httpx.Request) -> httpx.Response:
        answer = await self._app.handle_async_request(
            httpx.Request(request.method, request.url, headers=request.headers, content=request.read())
        )
        content = await answer.aread()
        return httpx.Response(answer.status_code, headers=answer.headers, content=content)


class RecordedWaits(list[float]):
    """Instead of sleeping, the world's clock moves; what was waited for is noted."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def __call__(self, seconds: float) -> None:
        self.append(seconds)
        self._world.clock.advance(int(seconds * SECOND))

    async def later(self, seconds: float) -> None:
        self(seconds)


@pytest.fixture
def waits(world: World) -> RecordedWaits:
    return RecordedWaits(world)


@pytest.fixture
async def client(world: World, waits: RecordedWaits) -> AsyncIterator[AsyncClient]:
    transport = httpx.ASGITransport(world.app)
    async with AsyncClient(BASE, world.token, transport=transport, sleep=waits.later) as client:
        yield client


@pytest.fixture
async def sync_client(world: World, waits: RecordedWaits) -> AsyncIterator[Client]:
    """To be used in a thread: `await asyncio.to_thread(...)`."""
    bridge = Bridge(httpx.ASGITransport(world.app), asyncio.get_running_loop())
    with Client(BASE, world.token, transport=bridge, sleep=waits) as client:
        yield client


MakeFlaky = Callable[..., Any]
