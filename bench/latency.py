"""How long a webhook takes from the request that causes it to its arrival, at a steady rate of events."""

import asyncio
import time
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import count

from bench import load
from bench.receiving import Receiver, spread
from bench.report import Cell
from bench.subjects import Subject, cpu_seconds

# Changed in turn, so that requests do not wait for the row of another.
PRODUCTS = 64
# As many requests as the service works on at a time: more would only wait.
CONNECTIONS = 8
# Before a rate counts.
WARM_UP_SECONDS = 1.0
PATIENCE_SECONDS = 180.0
STORE = "/api/store/v1"


@dataclass(frozen=True)
class SteadyLoad:
    """A service with a webhook for changed products, and its database server."""

    subject: Subject
    postmaster: int | None
    target: Receiver
    numbers: Iterator[int]

    async def at(self, rate: int, seconds: float) -> list[Cell]:
        """Events asked for and delivered a second, p50, p99 and the slowest in ms, and CPU ms of an event.

        The CPU is that of the service, and that of the database server.
        """
        await self._send(rate, min(seconds, WARM_UP_SECONDS))
        before, started = self._cpu(), time.monotonic()
        sent = await self._send(rate, seconds)
        arrived = await self._arrived(sent.keys())
        service, server = ((end - begin) * 1000 / len(sent) for begin, end in zip(before, self._cpu(), strict=True))
        waits = [(arrived[number] - moment) * 1000 for number, moment in sent.items()]
        pace = len(sent) / (max(arrived.values()) - started)
        times = spread(waits)
        return [rate, pace, times.p50, times.p99, max(waits), service, server]

    async def _send(self, rate: int, seconds: float) -> dict[int, float]:
        """When each request was due: one that has to wait for a connection waits on the service's bill."""
        self.target.numbered()
        due: dict[int, float] = {}

        def requests(start: float) -> Iterator[tuple[float, bytes]]:
            for index in range(int(rate * seconds)):
                number = next(self.numbers)
                due[number] = start + index / rate
                path = f"{STORE}/products/{number % PRODUCTS + 1}"
                yield due[number], load.request("PUT", path, self.subject.token, {"name": f"event-{number}."})

        pending = requests(time.monotonic())
        await asyncio.gather(*(self._sender(pending) for _ in range(CONNECTIONS)))
        return due

    async def _sender(self, pending: Iterator[tuple[float, bytes]]) -> None:
        """One connection: it takes the next request, waits until it is due, and for its answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.subject.port)
        for moment, request in pending:
            await asyncio.sleep(max(0.0, moment - time.monotonic()))
            writer.write(request)
            head = (await reader.readuntil(load.HEAD_END)).lower()
            answer = await reader.readexactly(int(head.partition(load.LENGTH)[2].partition(b"\r\n")[0]))
            if head[9:12] != b"200":
                raise SystemExit(f"A product could not be changed: {answer!r}")
        writer.close()

    async def _arrived(self, numbers: Set[int]) -> dict[int, float]:
        """When each of these arrived; late ones of the rate before do not count."""
        arrived: dict[int, float] = {}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(arrived) < len(numbers):
            arrived |= {number: moment for number, moment in self.target.numbered().items() if number in numbers}
            if time.monotonic() > deadline:
                raise SystemExit(f"{len(arrived):,} of {len(numbers):,} events arrived.")
            await asyncio.sleep(0.05)
        return arrived

    def _cpu(self) -> tuple[float, float]:
        return cpu_seconds(self.subject.pid), cpu_seconds(self.postmaster)


def steady_load(subject: Subject, postmaster: int | None, target: Receiver) -> SteadyLoad:
    """With the webhook and the products it needs."""
    webhook = {"url": target.url(0), "events": ["product.updated"]}
    subject.call("POST", webhook, "/api/external/v1/webhooks")
    for number in range(PRODUCTS):
        subject.call("POST", {"name": f"Product {number}", "price": "1.00"}, f"{STORE}/products")
    return SteadyLoad(subject, postmaster, target, count())
