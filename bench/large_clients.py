"""Connections to a service over a large store, and how long each of their answers took."""

import asyncio
import json
import time
from collections.abc import Iterable
from typing import Any

from bench import load
from bench.api import BROWSER
from bench.subjects import Subject

STORE = "/api/store/v1"


class _Client:
    """One connection."""

    def __init__(self, subject: Subject, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._subject, self._reader, self._writer = subject, reader, writer

    @classmethod
    async def connected(cls, subject: Subject) -> "_Client":
        return cls(subject, *await asyncio.open_connection("127.0.0.1", subject.port))

    async def call(self, method: str, path: str, body: dict[str, Any] | None, times: list[float]) -> Any:
        """The data of the answer, which must be a good one; its milliseconds are added to `times`."""
        started = time.perf_counter()
        self._writer.write(load.request(method, path, self._subject.token, body))
        head = (await self._reader.readuntil(load.HEAD_END)).lower()
        answer = await self._reader.readexactly(int(head.partition(load.LENGTH)[2].partition(b"\r\n")[0]))
        times.append((time.perf_counter() - started) * 1000)
        if head[9:11] != b"20":
            raise SystemExit(f"{path} was answered with {answer!r}")
        return json.loads(answer)["data"]

    def close(self) -> None:
        self._writer.close()


async def place_and_pay(subject: Subject, buyers: Iterable[int], times: dict[str, list[float]]) -> None:
    """One connection: each of these customers places an order and pays it."""
    client = await _Client.connected(subject)
    for number in buyers:
        items = [{"product_id": product, "quantity": 1} for product in (number % 40 + 6, number % 40 + 7)]
        who = {"device_id": f"d{number}", "ip_address": f"16.200.{number // 256 % 256}.{number % 256}"}
        body = {"customer_id": number, "items": items, "billing_country": "DE", "user_agent": BROWSER} | who
        placed = await client.call("POST", f"{STORE}/orders", body, times["placed"])
        order = placed["order"]["id"]
        payment = {"payment_method": "card", "transaction_id": f"b{order}"}
        await client.call("POST", f"{STORE}/orders/{order}/pay", payment, times["paid"])
    client.close()


async def read_lists(subject: Subject, how_often: int, path: str, times: list[float]) -> None:
    """One connection, which reads the same page again and again."""
    client = await _Client.connected(subject)
    for _ in range(how_often):
        await client.call("GET", path, None, times)
    client.close()
