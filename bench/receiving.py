"""A receiver of webhooks that costs next to nothing, and how soon and how steadily a queue comes to it.

`receiver()` starts one in a process of its own (`python -m bench.receiving`), on a core that no subject uses. It keeps
connections alive, answers 200 to every POST and only counts. A GET returns how many came and when the last one did,
and of those whose body holds `event-N.` when each came.
"""

import asyncio
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from statistics import quantiles
from typing import Any, cast

import apsw
import asyncpg
import uvloop

from bench.subjects import free_port
from lootkeep.settings import PREFIX, Settings

PATIENCE_SECONDS = 900.0
IDLE_SECONDS = 0.25
Run = Callable[[str], Awaitable[list[Any]]]

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
HEAD_END = b"\r\n\r\n"
LENGTH = b"content-length:"
NUMBER = b"event-"


@dataclass(frozen=True)
class Arrivals:
    """How many requests have arrived and when the last one did, by the clock that all processes share."""

    count: int
    last: float


class Receiver:
    """The bench's end of a running receiver."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = HTTPConnection("127.0.0.1", port, timeout=10)

    def url(self, name: object) -> str:
        return f"http://127.0.0.1:{self._port}/hooks/{name}"

    def arrivals(self) -> Arrivals:
        return Arrivals(*self._get("/"))

    def numbered(self) -> dict[int, float]:
        """When each event that has a number arrived first, since this was asked last."""
        return {int(number): moment for number, moment in self._get("/numbered").items()}

    def _get(self, path: str) -> Any:
        self._connection.request("GET", path)
        return json.loads(self._connection.getresponse().read())

    def wait_for(self, count: int, every: float = 0.05) -> Arrivals:
        """Returns when this many have arrived in total."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (arrivals := self.arrivals()).count < count:
            if time.monotonic() > deadline:
                raise SystemExit(
                    f"{arrivals.count:,} of {count:,} requests came within {PATIENCE_SECONDS:.0f} seconds."
                )
            time.sleep(every)
        return arrivals


@contextmanager
def receiver(cores: list[int]) -> Iterator[Receiver]:
    pinned = ["taskset", "-c", ",".join(map(str, cores))] if cores else []
    process = subprocess.Popen([*pinned, sys.executable, "-m", "bench.receiving"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield Receiver(int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()


def settings_for(database_url: str) -> dict[str, str]:
    """Of a Lootkeep service that may send to the receiver."""
    return {
        "LOOTKEEP_DATABASE_URL": database_url,
        "LOOTKEEP_PORT": str(free_port()),
        "LOOTKEEP_SECRET_KEY": secrets.token_urlsafe(32),
        "LOOTKEEP_RATE_LIMIT_PER_MINUTE": "0",
        "LOOTKEEP_WEBHOOK_ALLOW_INSECURE": "true",
        "LOOTKEEP_LOG_LEVEL": "error",
    }


def as_read(settings: dict[str, str]) -> Settings:
    """What a process with these in its environment reads."""
    return Settings(**{name.removeprefix(PREFIX).lower(): value for name, value in settings.items()})  # type: ignore[arg-type]


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Run]:
    """A way to run SQL in a database of either engine."""
    if url.startswith("sqlite"):
        file = apsw.Connection(url.removeprefix("sqlite:///"))
        file.set_busy_timeout(10_000)

        async def run(sql: str) -> list[Any]:
            return file.execute(sql).fetchall()

        yield run
        file.close()
    else:
        connection = await asyncpg.connect(url)
        yield connection.fetch
        await connection.close()


@dataclass(frozen=True)
class Spread:
    """Milliseconds that something took, over many times."""

    times: int
    p50: float
    p99: float


def spread(milliseconds: list[float]) -> Spread:
    cuts = quantiles(milliseconds, n=100, method="inclusive")
    return Spread(len(milliseconds), cuts[49], cuts[98])


def first_attempts(service: int, token: str, target: Receiver, count: int) -> Spread:
    """From sending "this order is paid" to an idle service until the webhook arrives: never less than from the commit.

    The webhook is subscribed to `order.paid` alone, so that the order's own creation leaves the service idle.
    """
    connection = HTTPConnection("127.0.0.1", service, timeout=10)

    def call(path: str, **body: object) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request("POST", f"/api/store/v1/{path}", json.dumps(body), headers)
        answer = json.loads(connection.getresponse().read())
        return answer.get("data") or sys.exit(f"{path}: {answer}")

    product = call("products", name="Dragon Sword", price="19.99")["id"]
    waits: list[float] = []
    # The first is not counted: what a process does once, such as preparing its statements, is done then.
    for number in range(count + 1):
        items = [{"product_id": product, "quantity": 1}]
        # Everyone buys once: who orders again and again would be stopped.
        customer = call("customers", email=f"jun{number}@example.com", name="Jun Park")["customer"]["id"]
        order = call("orders", customer_id=customer, items=items, ip_address=f"203.0.113.{number}")["order"]["id"]
        time.sleep(IDLE_SECONDS)
        arrived, started = target.arrivals().count, time.monotonic()
        call(f"orders/{order}/pay", transaction_id=f"pi_{number}")
        waits.append((target.wait_for(arrived + 1, every=0.002).last - started) * 1000)
    return spread(waits[1:])


@dataclass(frozen=True)
class DrainMemory:
    """How long the deliveries took to drain, and resident megabytes of the process meanwhile."""

    seconds: float
    before: float
    peak: float


def drained(pid: int, target: Receiver, deliveries: int) -> DrainMemory:
    """Looks on until the deliveries have arrived."""
    arrived, before, started = target.arrivals().count, resident_mb(pid), time.monotonic()
    peak = before
    while target.arrivals().count < arrived + deliveries:
        peak = max(peak, resident_mb(pid))
        time.sleep(0.1)
    return DrainMemory(target.arrivals().last - started, before, peak)


def resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class _Count:
    count = 0
    last = 0.0

    def __init__(self) -> None:
        self.numbered: dict[str, float] = {}


class _Protocol(asyncio.Protocol):
    """One connection: it only looks for the length, and for where a request ends."""

    def __init__(self, arrived: _Count) -> None:
        self._arrived = arrived
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(HEAD_END)) >= 0:
            head = self._buffer[:end].lower()
            if head.startswith(b"get"):
                self._buffer = b""
                self._tell(is_numbered=head.startswith(b"get /numbered"))
                return
            length = int(head.partition(LENGTH)[2].partition(b"\r\n")[0])
            whole = end + len(HEAD_END) + length
            if len(self._buffer) < whole:
                return
            body, self._buffer = self._buffer[end:whole], self._buffer[whole:]
            self._arrived.count += 1
            self._arrived.last = time.monotonic()
            if (start := body.find(NUMBER)) >= 0:
                number = body[start + len(NUMBER) :].partition(b".")[0].decode()
                self._arrived.numbered.setdefault(number, self._arrived.last)
            self._transport.write(ANSWER)

    def _tell(self, *, is_numbered: bool) -> None:
        answer: Any = [self._arrived.count, self._arrived.last]
        if is_numbered:
            answer, self._arrived.numbered = self._arrived.numbered, {}
        text = json.dumps(answer).encode()
        self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text))


async def _serve() -> None:
    arrived = _Count()
    server = await asyncio.get_running_loop().create_server(lambda: _Protocol(arrived), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve())
