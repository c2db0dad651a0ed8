"""What becomes of orders that come faster than they can be placed, and of probes and webhooks meanwhile.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.overload` first measures what one process of `serve` can
place with 16 clients that wait for their answers. Then it offers 0.5, 1, 2 and 4 times as much in an open loop: orders
are sent by the clock, whether or not the ones before were answered, each by a client that gives up after two seconds.
Good is an order that was placed and acknowledged in time. The server has a core of its own, this process another.
Ends with status 1 when goodput at twice the capacity is below 80 % of the peak.
"""

import argparse
import asyncio
import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import cast

import uvloop
from rich.console import Console
from rich.table import Table

from bench import load, receiving
from bench.receiving import Receiver, receiver, spread
from bench.subjects import LOAD_CORES, LOOTKEEP, Subject, cpu_seconds, database, ready, run_command, server

STORE = "/api/store/v1"
CUSTOMERS = 300
CLIENTS = 16
LOADS = (0.5, 1.0, 2.0, 4.0)
SHARE_OF_PEAK = 0.8
GIVE_UP_SECONDS = 2.0
PROBE_SECONDS = 0.05
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
TOKEN = [LOOTKEEP, "token", "create", "--name", "bench", "--all-scopes", "--quiet"]


@dataclass
class Phase:
    """What came of one load."""

    offered: float
    seconds: float
    statuses: Counter[str] = field(default_factory=Counter)
    accepted_ms: list[float] = field(default_factory=list)
    health_ms: list[float] = field(default_factory=list)
    delivered: float = 0.0
    late_ms: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def good(self) -> float:
        return self.statuses["201"] / self.seconds

    def cells(self, name: str, peak: float) -> list[str]:
        sent = self.statuses.total()
        shares = [self.statuses["503"] / sent, 1 - (self.statuses["201"] + self.statuses["503"]) / sent]
        spreads = [spread(times) if len(times) > 1 else None for times in (self.accepted_ms, self.health_ms)]
        times = [
            f"{value:.0f}" if figures else "-"
            for figures in spreads
            for value in (figures and figures.p50, figures and figures.p99)
        ]
        return [
            name,
            f"{self.offered:.0f}",
            f"{self.good:.0f}",
            f"{self.good / peak:.0%}",
            f"{self.statuses['201'] / self.cpu_seconds:.0f}",
            *(f"{share:.0%}" for share in shares),
            *times,
            f"{self.delivered:.0f}",
            f"{self.late_ms:.0f}",
        ]


class LoadClient(asyncio.Protocol):
    """One keep-alive connection with at most one request under way, which is given up on after a while."""

    def __init__(self, done: Callable[["LoadClient", str, float], None]) -> None:
        self._done = done
        self.is_open = True
        self._buffer = b""
        self._sent_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def send(self, request: bytes) -> None:
        self._sent_at = time.perf_counter()
        self._timer = asyncio.get_running_loop().call_later(GIVE_UP_SECONDS, self._transport.abort)
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, end, body = self._buffer.partition(load.HEAD_END)
        if end and len(body) >= int(head.lower().partition(load.LENGTH)[2].partition(b"\r\n")[0]):
            self._buffer = b""
            self._finish(head[9:12].decode())

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        self._finish("gone")

    def _finish(self, status: str) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
            self._done(self, status, (time.perf_counter() - self._sent_at) * 1000)


async def offer(port: int, orders: Iterator[bytes], phase: Phase, target: Receiver) -> None:
    """Sends by the clock; a free connection is used again, and without one another is opened."""
    free: list[LoadClient] = []
    opening: set[asyncio.Task[None]] = set()

    def done(client: LoadClient, status: str, milliseconds: float) -> None:
        phase.statuses[status] += 1
        if status == "201":
            phase.accepted_ms.append(milliseconds)
        if status != "gone":
            free.append(client)

    async def open_and_send(order: bytes) -> None:
        try:
            (await connected(port, done)).send(order)
        except OSError:
            phase.statuses["refused"] += 1

    before, probing = target.arrivals().count, asyncio.create_task(probe(port, phase))
    started = time.perf_counter()
    for number in range(int(phase.offered * phase.seconds)):
        if (ahead := started + number / phase.offered - time.perf_counter()) > 0:
            await asyncio.sleep(ahead)
        phase.late_ms = max(phase.late_ms, -ahead * 1000)
        if client := next_open(free):
            client.send(next(orders))
        else:
            opening.add(task := asyncio.create_task(open_and_send(next(orders))))
            task.add_done_callback(opening.discard)
    phase.delivered = (target.arrivals().count - before) / (time.perf_counter() - started)
    await asyncio.sleep(GIVE_UP_SECONDS)
    probing.cancel()
    for client in free:
        client._transport.close()


def next_open(free: list[LoadClient]) -> LoadClient | None:
    """The server closes what is idle for too long."""
    while free:
        if (client := free.pop()).is_open:
            return client
    return None


async def connected(port: int, done: Callable[[LoadClient, str, float], None]) -> LoadClient:
    _, client = await asyncio.get_running_loop().create_connection(lambda: LoadClient(done), "127.0.0.1", port)
    return client


async def probe(port: int, phase: Phase) -> None:
    """Asks for health on new connections, as an orchestrator does."""
    while True:
        started = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEALTH)
        await reader.readuntil(load.HEAD_END)
        phase.health_ms.append((time.perf_counter() - started) * 1000)
        writer.close()
        await asyncio.sleep(PROBE_SECONDS)


def seed(subject: Subject, target: Receiver, lines: int) -> Iterator[bytes]:
    """A shop that judges nothing, with a webhook for every order; gives the orders, by many buyers in turn."""
    subject.call("PUT", {"fraud_detection_enabled": False}, "/api/external/v1/fraud/settings")
    subject.call("POST", {"url": target.url(0), "events": ["order.created"]}, "/api/external/v1/webhooks")
    product = {"name": "Sword", "price": "19.99"}
    products = [subject.call("POST", product, f"{STORE}/products")["data"]["id"] for _ in range(lines)]
    items = [{"product_id": product, "quantity": 1} for product in products]
    requests = []
    for number in range(CUSTOMERS):
        person = {"email": f"buyer{number}@example.com", "name": "Jun Park"}
        customer = subject.call("POST", person, f"{STORE}/customers")["data"]["customer"]["id"]
        body = {"customer_id": customer, "items": items, "ip_address": "203.0.113.9"}
        requests.append(load.request("POST", f"{STORE}/orders", subject.token, body))
    return itertools.cycle(requests)


async def measure(engine: str, seconds: float, lines: int, target: Receiver) -> list[tuple[str, Phase]]:
    async with database(engine) as db:
        settings = receiving.settings_for(db.url)
        run_command([LOOTKEEP, "migrate"], settings)
        token = run_command(TOKEN, settings).strip()
        with server([LOOTKEEP, "serve"], settings) as process:
            subject = ready(Subject("Lootkeep", process.pid, int(settings["LOOTKEEP_PORT"]), token), process)
            orders = seed(subject, target, lines)
            await load.run(subject.port, itertools.islice(orders, 500), 201, CLIENTS)
            count = 1000
            capacity = count / (await load.run(subject.port, itertools.islice(orders, count), 201, CLIENTS)).seconds
            phases = []
            for share in LOADS:
                phase = Phase(capacity * share, seconds)
                before = cpu_seconds(subject.pid)
                await offer(subject.port, orders, phase, target)
                phase.cpu_seconds = cpu_seconds(subject.pid) - before
                phases.append((f"{engine} {share:g}x", phase))
            return phases


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.overload")
    parser.add_argument("--engine", action="append", choices=["sqlite", "postgresql"], help="only this one")
    parser.add_argument("--seconds", type=float, default=10, help="of each load")
    parser.add_argument(
        "--lines", type=int, default=1, help="of each order: with few, the client may be the bottleneck"
    )
    options = parser.parse_args()
    if LOAD_CORES:
        os.sched_setaffinity(0, LOAD_CORES)
    table = Table(title="One process of serve with its worker", caption="ms: p50 and p99; events: delivered a second")
    columns = (
        "load",
        "offered/s",
        "good/s",
        "of peak",
        "good/CPU s",
        "503",
        "lost",
        "ok p50",
        "p99",
        "health p50",
        "p99",
        "events/s",
        "late",
    )
    for name in columns:
        table.add_column(name, justify="left" if name == "load" else "right", no_wrap=True)
    is_missed = False
    with receiver(LOAD_CORES) as target:
        for engine in options.engine or ["sqlite", "postgresql"]:
            phases = uvloop.run(measure(engine, options.seconds, options.lines, target))
            peak = max(phase.good for _, phase in phases)
            is_missed |= phases[LOADS.index(2.0)][1].good < SHARE_OF_PEAK * peak
            for name, phase in phases:
                table.add_row(*phase.cells(name, peak), end_section=name.endswith("4x"))
    Console(width=140).print(table)
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
