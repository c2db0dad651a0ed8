"""Sends requests and tries again: once for sync, once for async."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any

import httpx

from lootkeep_client.errors import ConnectionFailed
from lootkeep_client.pages import AsyncPages, Data, Page, Pages, Rows, read_page
from lootkeep_client.requests import Request, headers, parse, prepare
from lootkeep_client.retrying import Retry

Sleep = Callable[[float], None]
AsyncSleep = Callable[[float], Awaitable[None]]


def _no_answer(error: httpx.TransportError) -> ConnectionFailed:
    return ConnectionFailed(f"The service did not answer: {error or type(error).__name__}")


class Core:
    """The calls behind the methods of a client."""

    def __init__(
        self,
        base_url: str,
        token: str,
        timeout: float,
        retry: Retry,
        transport: httpx.BaseTransport | None,
        sleep: Sleep = time.sleep,
    ) -> None:
        self.http = httpx.Client(base_url=base_url, headers=headers(token), timeout=timeout, transport=transport)
        self._retry = retry
        self._sleep = sleep

    def data(self, method: str, path: str, *ids: int | str, **parts: Any) -> Any:
        return self._send(prepare(method, path, ids, **parts)).get("data")

    def one(self, method: str, path: str, *ids: int | str, **parts: Any) -> Data:
        found: Data = self.data(method, path, *ids, **parts)
        return found

    def many(self, method: str, path: str, *ids: int | str, **parts: Any) -> Rows:
        found: Rows = self.data(method, path, *ids, **parts)
        return found

    def message(self, method: str, path: str, *ids: int | str, **parts: Any) -> str:
        return str(self._send(prepare(method, path, ids, **parts))["message"])

    def pages(self, method: str, path: str, *ids: int | str, query: Mapping[str, Any]) -> Pages:
        def fetch(number: int | None) -> Page:
            return read_page(self._send(prepare(method, path, ids, query={**query, "page": number})))

        return Pages(fetch, query.get("page"))

    def _send(self, request: Request) -> Data:
        for attempt in count(1):
            wait, answer = self._try(request, attempt)
            if answer is not None:
                return parse(answer)
            self._sleep(wait)
        raise AssertionError

    def _try(self, request: Request, attempt: int) -> tuple[float, httpx.Response | None]:
        try:
            response = self.http.request(
                request.method, request.path, params=request.query, json=request.body, headers=request.headers
            )
        except httpx.TransportError as error:
            wait = self._retry.after_failure(attempt)
            if wait is None:
                raise _no_answer(error) from error
            return wait, None
        wait = self._retry.after_answer(attempt, response)
        return (0.0, response) if wait is None else (wait, None)


class AsyncCore:
    """The same for asyncio."""

    def __init__(
        self,
        base_url: str,
        token: str,
        timeout: float,
        retry: Retry,
        transport: httpx.AsyncBaseTransport | None,
        sleep: AsyncSleep = asyncio.sleep,
    ) -> None:
        self.http = httpx.AsyncClient(base_url=base_url, headers=headers(token), timeout=timeout, transport=transport)
        self._retry = retry
        self._sleep = sleep

    async def data(self, method: str, path: str, *ids: int | str, **parts: Any) -> Any:
        return (await self._send(prepare(method, path, ids, **parts))).get("data")

    async def one(self, method: str, path: str, *ids: int | str, **parts: Any) -> Data:
        found: Data = await self.data(method, path, *ids, **parts)
        return found

    async def many(self, method: str, path: str, *ids: int | str, **parts: Any) -> Rows:
        found: Rows = await self.data(method, path, *ids, **parts)
        return found

    async def message(self, method: str, path: str, *ids: int | str, **parts: Any) -> str:
        return str((await self._send(prepare(method, path, ids, **parts)))["message"])

    def pages(self, method: str, path: str, *ids: int | str, query: Mapping[str, Any]) -> AsyncPages:
        async def fetch(number: int | None) -> Page:
            return read_page(await self._send(prepare(method, path, ids, query={**query, "page": number})))

        return AsyncPages(fetch, query.get("page"))

    async def _send(self, request: Request) -> Data:
        for attempt in count(1):
            wait, answer = await self._try(request, attempt)
            if answer is not None:
                return parse(answer)
            await self._sleep(wait)
        raise AssertionError

    async def _try(self, request: Request, attempt: int) -> tuple[float, httpx.Response | None]:
        try:
            response = await self.http.request(
                request.method, request.path, params=request.query, json=request.body, headers=request.headers
            )
        except httpx.TransportError as error:
            wait = self._retry.after_failure(attempt)
            if wait is None:
                raise _no_answer(error) from error
            return wait, None
        wait = self._retry.after_answer(attempt, response)
        return (0.0, response) if wait is None else (wait, None)
