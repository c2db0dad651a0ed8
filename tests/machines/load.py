"""A shop that never stops ordering and remembers what was acknowledged, and the receiver of its webhooks."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

import httpx
import msgspec

from tests.builders import STORE
from tests.world import EXTERNAL

# A client gives up sooner than the service does: it does not know whether its order was placed, and asks again.
CLIENT_SECONDS = 4.0
# A lease of a dead worker ends sooner; only reached when something is wrong.
PATIENCE_SECONDS = 180.0
WRITERS = 4
PAUSE_SECONDS = 0.05


@dataclass
class Shop:
    """Orders with an idempotency key until each is acknowledged, then reads it with the same token."""

    base_url: str
    token: str
    customers: Sequence[int]
    product: int
    # By the shop's own number: the id of the order, and when it was acknowledged.
    acknowledged: dict[str, int] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    # Orders that a read after the acknowledgement did not find.
    unseen: list[str] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    is_open: bool = True
    _numbers: count[int] = field(default_factory=count)

    async def run(self) -> None:
        await asyncio.gather(*(self._order_until_closed() for _ in range(WRITERS)))

    async def _order_until_closed(self) -> None:
        async with httpx.AsyncClient(base_url=self.base_url, timeout=CLIENT_SECONDS) as client:
            client.headers["Authorization"] = f"Bearer {self.token}"
            while self.is_open:
                await self._order(client, next(self._numbers))
                await asyncio.sleep(PAUSE_SECONDS)

    async def _order(self, client: httpx.AsyncClient, number: int) -> None:
        name = f"shop-{number}"
        body = {
            "customer_id": self.customers[number % len(self.customers)],
            "items": [{"product_id": self.product, "quantity": 1}],
            # No `external_id`: nothing but the key keeps a repeated order from being placed twice.
            "metadata": {"shop": name},
            "ip_address": "192.0.2.1",
        }
        while (answer := await self._send(client, "POST", f"{STORE}/orders", name, body)) is None:
            await asyncio.sleep(PAUSE_SECONDS)
        order = answer["data"]["order"]["id"]
        self.acknowledged[name] = order
        self.times.append(time.monotonic())
        stored = await self._send(client, "GET", f"{EXTERNAL}/orders/{order}", name)
        if stored == {}:
            self.unseen.append(name)

    async def _send(
        self, client: httpx.AsyncClient, method: str, path: str, key: str, body: object = None
    ) -> dict[str, dict[str, dict[str, int]]] | None:
        """The answer; empty for what was not found, None for what can be tried again."""
        try:
            answer = await client.request(method, path, json=body, headers={"Idempotency-Key": key})
        except httpx.HTTPError as error:
            self.answers[type(error).__name__] += 1
            return None
        self.answers[str(answer.status_code)] += 1
        if answer.status_code == 404:
            return {}
        # A key that is in use belongs to a request whose answer was lost on the way.
        assert answer.status_code in {200, 201, 409, 502, 503, 504}, answer.text
        return answer.json() if answer.is_success else None


@dataclass
class Receiver:
    """Remembers under which delivery ids each order arrived."""

    arrived: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(int(_header(head, b"Content-Length")))
                order: int = msgspec.json.decode(body)["data"]["order_id"]
                self.arrived[order].append(_header(head, b"X-Webhook-ID").decode())
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # Not politely: what a dead machine was sent is never read.
            writer.transport.abort()


async def count_allowed(base_url: str, token: str, requests: int) -> int:
    """How many of these requests, sent at once, are within the limit of the token."""
    async with httpx.AsyncClient(base_url=base_url, timeout=PATIENCE_SECONDS) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        slots = asyncio.Semaphore(8)

        async def send() -> int:
            async with slots:
                return (await client.get(f"{EXTERNAL}/referrals/tiers")).status_code

        statuses = await asyncio.gather(*(send() for _ in range(requests)))
    assert set(statuses) <= {200, 429}, statuses
    return statuses.count(200)


def _header(head: bytes, name: bytes) -> bytes:
    return head.partition(b"\r\n" + name + b": ")[2].partition(b"\r\n")[0]
