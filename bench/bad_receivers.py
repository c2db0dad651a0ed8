"""Hundreds of receivers that hang, drip, never end, talk nonsense or hang up, next to a few that are healthy.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.bad_receivers`. Every webhook gets the same event
every second. Counted is how long an event takes from just before the call that causes it to a healthy receiver, how
long the longest attempt at a bad one took, and what the process grew by.
Ends with status 1 when a target is missed.
"""

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import receiving
from bench.options import ENGINES
from bench.receiving import Run, connected, resident_mb, spread
from bench.subjects import LOOTKEEP, Subject, database, ready, run_command, server
from bench.webhooks import TOKEN
from lootkeep import wiring
from lootkeep.domain.webhooks import SECRET_PURPOSE, new
from lootkeep.storage.webhooks import endpoints as endpoints_db
from tests.receiver import Behaviour, Receiver, answer, hanging, read, repeating, resetting, saying

# Seconds of an attempt, milliseconds to a healthy receiver, megabytes more.
MAX_ATTEMPT, HEALTHY_P99, GROWTH_MB = 10.5, 1000.0, 200.0
PRODUCTS = "/api/store/v1/products"
EVENTS = '["product.created"]'
EVENTS_A_SECOND = 1
# After the last event, whatever hangs has run into its deadline by then.
REST_SECONDS = 12.0

_OK = b"HTTP/1.1 200 OK\r\n"
KINDS: dict[str, Behaviour] = {
    "never answers": hanging,
    "drips": repeating(_OK + b"Content-Length: 100000\r\n\r\n", b"x", 0.5),
    "never ends": repeating(_OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1000\r\n" + b"x" * 4096 + b"\r\n"),
    "talks nonsense": saying(b"\x00\xff\xfe nonsense \r\n\r\n" * 50),
    "hangs up": resetting,
}
_TRIED = "SELECT count(*), max(latency_ms) FROM attempts WHERE outcome <> 'open'"


@dataclass
class Healthy:
    """Answers at once, and notes how many milliseconds each event took."""

    caused: dict[str, float] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.CancelledError):
            while request := await read(reader):
                self.waits.append((time.monotonic() - self.caused[request.json["data"]["product_name"]]) * 1000)
                await answer(writer, 200)
        writer.close()


def main() -> int:
    if sys.argv[1:] == ["be-bad"]:
        asyncio.run(be_bad())
        return 0
    parser = argparse.ArgumentParser(prog="bench.bad_receivers")
    for name, size in (("bad", 500), ("healthy", 20), ("events", 60)):
        parser.add_argument(f"--{name}", type=int, default=size, help=f"[default: {size}]")
    parser.add_argument("--only", choices=ENGINES, help="only this engine")
    options = parser.parse_args()
    rows = [asyncio.run(measure(engine, options)) for engine in ENGINES if engine in (options.only or ENGINES)]
    table = Table(
        *(name for name in rows[0] if name != "missed"), title=f"{options.events} events", title_justify="left"
    )
    for row in rows:
        cells = [f"{cell:,.1f}" if isinstance(cell, float) else str(cell) for cell in row.values()]
        table.add_row(*cells[:-1], style="red" if row["missed"] else None)
    Console(width=120).print(table)
    return int(any(row["missed"] for row in rows))


async def be_bad() -> None:
    """The bad receivers, in a process of their own: one port for each kind."""
    receivers = [await Receiver().__aenter__() for _ in KINDS]
    for receiver, behaviour in zip(receivers, KINDS.values(), strict=True):
        receiver.behaviour = behaviour
    print(*(receiver.port for receiver in receivers), flush=True)
    await asyncio.Event().wait()


@contextmanager
def bad_ports() -> Iterator[list[int]]:
    command = [sys.executable, "-m", "bench.bad_receivers", "be-bad"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        try:
            yield [int(port) for port in process.stdout.readline().split()]
        finally:
            process.kill()


async def measure(engine: str, options: argparse.Namespace) -> dict[str, Any]:
    healthy = Healthy()
    async with store(engine, healthy, options) as (subject, run):
        growth = await pour(subject, healthy, options)
        ((tried, longest),) = await run(_TRIED)
    times = spread(healthy.waits)
    is_late = longest / 1000 > MAX_ATTEMPT or times.p99 > HEALTHY_P99
    return {
        "engine": engine,
        "bad": options.bad,
        "healthy": options.healthy,
        "events": options.events,
        "attempts": tried,
        "longest, s": longest / 1000,
        "healthy p50, ms": times.p50,
        "p99, ms": times.p99,
        "slowest, ms": max(healthy.waits),
        "growth, MB": growth,
        "missed": is_late or growth > GROWTH_MB or len(healthy.waits) < options.healthy * options.events,
    }


@asynccontextmanager
async def store(engine: str, healthy: Healthy, options: argparse.Namespace) -> AsyncIterator[tuple[Subject, Run]]:
    """A running service whose webhooks are all of them, and a way to look into its database."""
    receivers = await asyncio.start_server(healthy.serve, "127.0.0.1", 0)
    async with database(engine) as db, receivers:
        settings = receiving.settings_for(db.url)
        run_command([LOOTKEEP, "migrate"], settings)
        token = run_command(TOKEN, settings).strip()
        with bad_ports() as bad:
            ports = [bad[number % len(bad)] for number in range(options.bad)]
            ports += [receivers.sockets[0].getsockname()[1]] * options.healthy
            async with wiring.opened(receiving.as_read(settings)) as deps, deps.db.write() as tx:
                sealed = deps.vault.seal(deps.ids.webhook_secret(), SECRET_PURPOSE)
                for number, port in enumerate(ports):
                    # Past the service, which allows a store a hundred.
                    url = f"http://127.0.0.1:{port}/{number}"
                    await endpoints_db.add(tx, new(url, EVENTS, sealed, deps.clock.now()))
            with server([LOOTKEEP, "serve"], settings) as process:
                subject = Subject("Lootkeep", process.pid, int(settings["LOOTKEEP_PORT"]), token)
                await asyncio.to_thread(ready, subject, process)
                async with connected(db.url) as run:
                    yield subject, run


async def pour(subject: Subject, healthy: Healthy, options: argparse.Namespace) -> float:
    """Causes events at a steady pace until what hangs has run into its deadline; returns the megabytes it took."""
    before = peak = resident_mb(subject.pid)
    for number in range(options.events):
        name = f"p{number}"
        healthy.caused[name] = time.monotonic()
        await asyncio.to_thread(subject.call, "POST", {"name": name, "price": "1"}, PRODUCTS)
        await asyncio.sleep(1 / EVENTS_A_SECOND)
        peak = max(peak, resident_mb(subject.pid))
    end = time.monotonic() + REST_SECONDS
    while time.monotonic() < end:
        await asyncio.sleep(0.1)
        peak = max(peak, resident_mb(subject.pid))
    return peak - before


if __name__ == "__main__":
    sys.exit(main())
