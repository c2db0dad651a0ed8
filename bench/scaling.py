"""How many orders and lists one process serves in a second, and how many two do, with all cores for everyone.

`python -m bench.scaling` under `tests.servers`: PostgreSQL, the load generator and the receiver of the webhooks share
the machine. The CPU of each says what limits: when they need as much as there are cores, only more cores help.
"""

import argparse
import itertools
import os
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from statistics import median

import asyncpg
import uvloop
from rich.console import Console
from rich.table import Table

from bench import load, receiving
from bench.overload import TOKEN, seed
from bench.processes import BACKENDS, PROCESSES
from bench.receiving import Receiver, receiver
from bench.subjects import LOAD_CORES, LOOTKEEP, Subject, cpu_seconds, database, own_seconds, ready, run_command, server

# Requests in a round.
ROUND = 600
# Few, so that a busy machine refuses none of them.
CLIENTS = 6
LIST = "/api/external/v1/orders?per_page=15"
CORES = sorted(os.sched_getaffinity(0))


@dataclass
class Work:
    """One kind of request, sent to a store that some processes serve."""

    name: str
    processes: int
    subject: Subject
    url: str
    requests: Iterator[bytes]
    status: int
    per_second: list[float] = field(default_factory=list)
    # Milliseconds of CPU for each request: of the service, the database server and the load generator.
    parts: list[tuple[float, float, float]] = field(default_factory=list)

    async def run(self) -> None:
        before = await self._spent()
        result = await load.run(self.subject.port, itertools.islice(self.requests, ROUND), self.status, CLIENTS)
        after = await self._spent()
        self.per_second.append(result.requests / result.seconds)
        service, server, own = ((end - start) * 1000 / ROUND for start, end in zip(before, after, strict=True))
        self.parts.append((service, server, own))

    async def _spent(self) -> tuple[float, float, float]:
        admin = await asyncpg.connect(self.url)
        backends = [row[0] for row in await admin.fetch(BACKENDS)]
        await admin.close()
        return cpu_seconds(self.subject.pid), sum(map(own_seconds, backends)), time.process_time()


async def compare(rounds: int, target: Receiver) -> list[Work]:
    works = []
    async with AsyncExitStack() as stack:
        for count in PROCESSES:
            db = await stack.enter_async_context(database("postgresql"))
            settings = receiving.settings_for(db.url)
            run_command([LOOTKEEP, "migrate"], settings)
            token = run_command(TOKEN, settings).strip()
            on_all = ["taskset", "-c", ",".join(map(str, CORES))]
            process = stack.enter_context(server([*on_all, LOOTKEEP, "serve", "--workers", str(count)], settings))
            subject = ready(Subject("Lootkeep", process.pid, int(settings["LOOTKEEP_PORT"]), token), process)
            works.append(Work("order", count, subject, db.url, seed(subject, target, 1), 201))
            lists = itertools.repeat(load.request("GET", LIST, token))
            works.append(Work("list of 15 orders", count, subject, db.url, lists, 200))
        # The first round is for warming up.
        for number in range(rounds + 1):
            for work in works if number % 2 else reversed(works):
                await work.run()
    return works


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.scaling")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with receiver(LOAD_CORES) as target:
        works = uvloop.run(compare(options.rounds, target))
    load_average = os.getloadavg()[0]
    caption = f"medians of {options.rounds} rounds, {len(CORES)} cores, load {load_average:.0f}"
    table = Table(title="Requests a second, and ms of CPU for each", caption=caption)
    for name in ("request", "processes", "a second", "service", "database server", "load", "cores in use"):
        table.add_column(name, justify="right")
    for work in sorted(works, key=lambda work: work.name):
        parts = [median(part) for part in zip(*work.parts[1:], strict=True)]
        rate = median(work.per_second[1:])
        figures = (*(f"{part:.2f}" for part in parts), f"{rate * sum(parts) / 1000:.2f}")
        table.add_row(work.name, str(work.processes), f"{rate:.0f}", *figures)
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
