"""What open consoles cost: memory and CPU of the service with none and with 500, idle and with 20 orders a second.

`python -m bench.consoles` under `tests.servers`. Each console shows the list of orders and does what a browser does:
it listens, and fetches the list when it hears of orders, at most once a second. First single orders are placed: how
long until the last console has fetched its list, and what that costs.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import httpx
import uvloop
from rich.console import Console as Terminal
from rich.table import Table

from bench.readings import ENGINES
from bench.receiving import resident_mb
from bench.subjects import own_seconds
from tests.builders import STORE
from tests.cli.terminal import KEY, Serving, environment, served, start
from tests.conftest import drop_postgres_database, new_postgres_database
from tests.console.visits import EMAIL, PASSWORD, token

CONSOLES = 500
ORDERS_A_SECOND = 20
SECONDS = 20
LOOK_SECONDS = 1.0
# Orders that come alone.
SINGLE_ORDERS = 5
CUSTOMERS = 200
# CPU is that of the service in cores; with orders, at how many a second.
COLUMNS = (
    *("engine", "a console", "all", "CPU, none", "CPU, idle", "CPU, orders, none", "CPU, orders"),
    *("lists a second", "each every", "a list, p50 and p99", "one order: CPU and the last console"),
)


class OpenConsole:
    """A browser at the list of orders."""

    def __init__(self, port: int, cookie: str) -> None:
        self._port = port
        self._cookie = cookie
        self._is_due = asyncio.Event()
        self._news = ""
        # Seconds that a list took.
        self.looks: list[float] = []
        self.has_looked = asyncio.Event()

    async def listen(self, is_open: asyncio.Event) -> None:
        reader, writer = await self._get("/console/live", "")
        looking = asyncio.create_task(self._look())
        try:
            while line := await reader.readline():
                is_open.set()
                if line.startswith(b"id: "):
                    self._news = line[4:].decode().strip()
                if line.startswith(b"data: ") and b"orders" in line:
                    self._is_due.set()
        finally:
            looking.cancel()
            writer.close()

    async def _look(self) -> None:
        while True:
            await self._is_due.wait()
            self._is_due.clear()
            began = time.monotonic()
            reader, writer = await self._get("/console/orders", f"x-live: {self._news}\r\nconnection: close\r\n")
            assert b" 200 " in await reader.readline()
            await reader.read()
            writer.close()
            self.looks.append(time.monotonic() - began)
            self.has_looked.set()
            await asyncio.sleep(LOOK_SECONDS)

    async def _get(self, path: str, headers: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1:{self._port}\r\n{self._cookie}\r\n{headers}\r\n".encode())
        return reader, writer


class Window(NamedTuple):
    """What happened in a period."""

    seconds: float
    # Cores of the service in use.
    cores: float
    # Orders that were answered within it, a second.
    orders: float
    # Orders that got a 503.
    refused: int


async def order(server: Serving, seconds: float, refused: list[int]) -> int:
    """Begins each order at its time, however long those before it take; returns how many were answered in time."""
    headers = {"Authorization": f"Bearer {server.token}"}
    began, answered = time.monotonic(), 0

    async def place(number: int) -> None:
        nonlocal answered
        await asyncio.sleep(number / ORDERS_A_SECOND)
        customer = number % CUSTOMERS + 1
        body = {"customer_id": customer, "items": [{"product_id": 1, "quantity": 1}]}
        body |= {"ip_address": f"198.51.{customer}.{number % 250}"}
        answer = await shop.post(f"{STORE}/orders", json=body)
        if answer.status_code == 503:
            refused.append(number)
            return
        answer.raise_for_status()
        answered += 1

    async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=60) as shop:
        placing = [asyncio.create_task(place(number)) for number in range(int(seconds * ORDERS_A_SECOND))]
        await asyncio.sleep(began + seconds - time.monotonic())
        in_time = answered
        await asyncio.gather(*placing)
    return in_time


async def window(server: Serving, seconds: float, *, with_orders: bool) -> Window:
    before, began = own_seconds(server.process.pid), time.monotonic()
    refused: list[int] = []
    ordering = asyncio.create_task(order(server, seconds, refused)) if with_orders else None
    await asyncio.sleep(seconds)
    # Taken when the time is over, not when the last order is answered.
    elapsed, spent = time.monotonic() - began, own_seconds(server.process.pid) - before
    answered = await ordering if ordering else 0
    return Window(elapsed, spent / elapsed, answered / elapsed, len(refused))


async def measure(server: Serving, cookie: str, count: int, seconds: float) -> list[str]:
    quiet, busy = [await window(server, seconds, with_orders=with_orders) for with_orders in (False, True)]
    memory = resident_mb(server.process.pid)
    consoles = [OpenConsole(int(server.url.rpartition(":")[2]), cookie) for _ in range(count)]
    opened = [asyncio.Event() for _ in consoles]
    listening = [asyncio.create_task(it.listen(event)) for it, event in zip(consoles, opened, strict=True)]
    await asyncio.gather(*(event.wait() for event in opened))
    per_console = (resident_mb(server.process.pid) - memory) * 1024 / count
    idle = await window(server, seconds, with_orders=False)
    singles = [await single_order(server, consoles) for _ in range(SINGLE_ORDERS)]
    await asyncio.sleep(2 * LOOK_SECONDS)
    for console in consoles:
        console.looks.clear()
    counting = asyncio.create_task(_looks_after(consoles, seconds))
    notified = await window(server, seconds, with_orders=True)
    looks = await counting
    grown = resident_mb(server.process.pid) - memory
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
    figures = [f"{per_console:.0f} KB", f"{grown:.0f} MB", f"{quiet.cores:.1%}", f"{idle.cores:.1%}"]
    figures += [f"{it.cores:.0%} at {it.orders:.1f}, {it.refused} refused" for it in (busy, notified)]
    figures += [f"{len(looks) / seconds:.0f}", f"{count * seconds / len(looks):.1f} s"]
    figures += [f"{median(looks) * 1000:.0f} ms, {looks[int(len(looks) * 0.99)] * 1000:.0f} ms"]
    return [*figures, ", ".join(f"{cpu:.2f} s {last:.2f} s" for cpu, last in singles)]


async def single_order(server: Serving, consoles: Sequence[OpenConsole]) -> tuple[float, float]:
    """CPU of the service, and seconds from the answer to the order until the last console has its list."""
    # Each has looked, and may look again at once.
    await asyncio.sleep(3 * LOOK_SECONDS)
    for console in consoles:
        console.has_looked.clear()
    before = own_seconds(server.process.pid)
    # The orders of a time in which there is one; a busy machine may refuse it.
    refused = [0]
    while refused:
        refused.clear()
        await order(server, 1 / ORDERS_A_SECOND, refused)
    began = time.monotonic()
    await asyncio.gather(*(console.has_looked.wait() for console in consoles))
    return own_seconds(server.process.pid) - before, time.monotonic() - began


async def _looks_after(consoles: Sequence[OpenConsole], seconds: float) -> list[float]:
    """Those that ended within the time."""
    await asyncio.sleep(seconds)
    return sorted(took for console in consoles for took in console.looks)


@contextmanager
def store(engine: str) -> Iterator[tuple[Serving, str]]:
    """A server with customers and a product, and the cookie of its owner."""
    settings = {"log_level": "error", "rate_limit_per_minute": "0"}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if engine == "postgresql":
            admin = os.environ["LOOTKEEP_TEST_POSTGRES_URL"]
            settings |= {"database_url": asyncio.run(new_postgres_database(admin, "consoles")), "secret_key": KEY}
            stack.callback(lambda: asyncio.run(drop_postgres_database(admin, settings["database_url"])))
            with start(folder, environment(settings), "migrate") as migration:
                migration.wait()
        server = stack.enter_context(served(start(folder, environment(settings), "serve", "--port", "0")))
        http = stack.enter_context(httpx.Client(base_url=server.url, timeout=60))
        fields = {"name": "Ada Park", "email": EMAIL, "password": PASSWORD, "repeated": PASSWORD}
        link = {"link": server.console_link.partition("token=")[2], "token": token(http.get(server.console_link))}
        http.post("/console/setup", data=fields | link)
        http.headers["Authorization"] = f"Bearer {server.token}"
        http.post(f"{STORE}/products", json={"name": "VIP rank", "price": "20.00"}).raise_for_status()
        for number in range(1, CUSTOMERS + 1):
            customer = {"email": f"b{number}@mail{number}.example", "name": f"Buyer {number}"}
            http.post(f"{STORE}/customers", json=customer).raise_for_status()
        yield server, f"cookie: lootkeep={http.cookies['lootkeep']}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.consoles")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    parser.add_argument("--consoles", type=int, default=CONSOLES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} at the start")
    table = Table(*COLUMNS)
    for engine in options.engine or ENGINES:
        with store(engine) as (server, cookie):
            table.add_row(engine, *uvloop.run(measure(server, cookie, options.consoles, options.seconds)))
    Terminal(width=200).print(table)


if __name__ == "__main__":
    main()
