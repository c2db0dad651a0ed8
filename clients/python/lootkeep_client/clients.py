"""The two clients: `Client` waits for its answers, `AsyncClient` is awaited."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Self

import httpx

from lootkeep_client import asynchronous, synchronous
from lootkeep_client.cores import AsyncCore, AsyncSleep, Core, Sleep
from lootkeep_client.retrying import Retry
from lootkeep_client.server import Server

# Longer than the slowest call, which is the test of a webhook.
TIMEOUT_SECONDS = 30.0


class Client(synchronous.Api):
    """Every endpoint as a method: `client.referrals.tiers.create(...)`, `client.store.orders.create(...)`.

    What is not given is read from the environment: `LOOTKEEP_URL` and `LOOTKEEP_TOKEN`.
    """

    def __init__(
        self,
        base_url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = TIMEOUT_SECONDS,
        retry: Retry | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._server = Server.given(base_url, token)
        self._core = Core(self._server, timeout, retry or Retry(), transport, sleep)
        super().__init__(self._core)

    def __repr__(self) -> str:
        return f"Client({self._server.url!r})"

    def close(self) -> None:
        self._core.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient(asynchronous.Api):
    """The same for asyncio: `await client.referrals.tiers.create(...)`, `async for` over lists."""

    def __init__(
        self,
        base_url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = TIMEOUT_SECONDS,
        retry: Retry | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: AsyncSleep = asyncio.sleep,
    ) -> None:
        self._server = Server.given(base_url, token)
        self._core = AsyncCore(self._server, timeout, retry or Retry(), transport, sleep)
        super().__init__(self._core)

    def __repr__(self) -> str:
        return f"AsyncClient({self._server.url!r})"

    async def aclose(self) -> None:
        await self._core.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
