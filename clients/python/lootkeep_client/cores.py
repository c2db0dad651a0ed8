"""Sends requests and tries again: once for sync, once for async."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any

import httpx

from lootkeep_client.errors import ConnectionFailed
from lootkeep_client.pages import AsyncPages, Page, Pages, Record, Rows, read_page
from lootkeep_client.requests import Request, headers, parse, prepare
from lootkeep_client.retrying import Retry
from lootkeep_client.server import Server

Sleep = Callable[[float], None]
AsyncSleep = Callable[[float], Awaitable[None]]

_LOG = logging.getLogger("lootkeep_client")


def _log_wait(request: Request, attempt: int, wait: float) -> None:
    """A program that seems to hang is often one that waits."""
    _LOG.info("%s %s: attempt %d failed, trying again in %.1f s", request.method, request.path, attempt, wait)


def _no_answer(error: httpx.TransportError) -> ConnectionFailed:
    return ConnectionFailed(f"The service did not answer: {error or type(error).__name__}")


class Core:
    """The calls behind the methods of a client."""

    def __init__(
        self,
        server: Server,
        timeout: float,
        retry: Retry,
        transport: httpx.BaseTransport | None,
        sleep: Sleep = time.sleep,
    ) -> None:
        self.http = httpx.Client(
            base_url=server.url, headers=headers(server.token), timeout=timeout, transport=transport
        )
        self._retry = retry
        self._sleep = sleep

    def data(self, method: str, path: str, *ids: int | str, **parts: Any) -> Any:
        return self._send(prepare(method, path, ids, **parts)).get("data")

    def one(self, record: type[Record], method: str, path: str, *ids: int | str, **parts: Any) -> Record:
        data: Record = self.data(method, path, *ids, **parts)
        return data

    def many(self, record: type[Record], method: str, path: str, *ids: int | str, **parts: Any) -> Rows[Record]:
        rows: Rows[Record] = self.data(method, path, *ids, **parts)
        return rows

    def message(self, method: str, path: str, *ids: int | str, **parts: Any) -> str:
        return str(self._send(prepare(method, path, ids, **parts))["message"])

    def pages(
        self, record: type[Record], method: str, path: str, *ids: int | str, query: Mapping[str, Any]
    ) -> Pages[Record]:
        def fetch(number: int | None) -> Page[Record]:
            return read_page(record, self._send(prepare(method, path, ids, query={**query, "page": number})))

        return Pages(fetch, query.get("page"))

    def _send(self, request: Request) -> dict[str, Any]:
        for attempt in count(1):
            wait, answer = self._try(request, attempt)
            if answer is not None:
                return parse(answer)
            _log_wait(request, attempt, wait)
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
        server: Server,
        timeout: float,
        retry: Retry,
        transport: httpx.AsyncBaseTransport | None,
        sleep: AsyncSleep = asyncio.sleep,
    ) -> None:
        self.http = httpx.AsyncClient(
            base_url=server.url, headers=headers(server.token), timeout=timeout, transport=transport
        )
        self._retry = retry
        self._sleep = sleep

    async def data(self, method: str, path: str, *ids: int | str, **parts: Any) -> Any:
        return (await self._send(prepare(method, path, ids, **parts))).get("data")

    async def one(self, record: type[Record], method: str, path: str, *ids: int | str, **parts: Any) -> Record:
        data: Record = await self.data(method, path, *ids, **parts)
        return data

    async def many(self, record: type[Record], method: str, path: str, *ids: int | str, **parts: Any) -> Rows[Record]:
        rows: Rows[Record] = await self.data(method, path, *ids, **parts)
        return rows

    async def message(self, method: str, path: str, *ids: int | str, **parts: Any) -> str:
        return str((await self._send(prepare(method, path, ids, **parts)))["message"])

    def pages(
        self, record: type[Record], method: str, path: str, *ids: int | str, query: Mapping[str, Any]
    ) -> AsyncPages[Record]:
        async def fetch(number: int | None) -> Page[Record]:
            return read_page(record, await self._send(prepare(method, path, ids, query={**query, "page": number})))

        return AsyncPages(fetch, query.get("page"))

    async def _send(self, request: Request) -> dict[str, Any]:
        for attempt in count(1):
            wait, answer = await self._try(request, attempt)
            if answer is not None:
                return parse(answer)
            _log_wait(request, attempt, wait)
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
