"""How many orders and lists one process serves in a second, and how many two do, with all cores for everyone.

`python -m bench.scaling` under `tests.servers`: PostgreSQL, the load generator and the receiver of the webhooks share
the machine. The CPU of each says what limits: when they need as much as there are cores, only more cores help. What
processes cost, times the cost of one, is that of service and database server; two may cost a tenth more.
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
from bench.report import ratio
from bench.subjects import (
    ALL_CORES,
    LOAD_CORES,
    LOOTKEEP,
    ON_ALL_CORES,
    Subject,
    cpu_seconds,
    database,
    own_seconds,
    ready,
    run_command,
    server,
)

# Requests in a round.
ROUND = 600
# Few, so that a busy machine refuses none of them.
CLIENTS = 6
PARTS = "service", "database server", "load"
LIST = "/api/external/v1/orders?per_page=15"


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

    @property
    def costs(self) -> list[float]:
        """Of service and database server together, without the first round, which is for warming up."""
        return [service + server for service, server, _ in self.parts[1:]]

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
    databases = []
    async with AsyncExitStack() as stack:
        for count in PROCESSES:
            db = await stack.enter_async_context(database("postgresql", *ALL_CORES))
            databases.append(db)
            settings = receiving.settings_for(db.url)
            run_command([LOOTKEEP, "migrate"], settings)
            token = run_command(TOKEN, settings).strip()
            process = stack.enter_context(server([*ON_ALL_CORES, LOOTKEEP, "serve", "--workers", str(count)], settings))
            subject = ready(Subject("Lootkeep", process.pid, int(settings["LOOTKEEP_PORT"]), token), process)
            works.append(Work("order", count, subject, db.url, seed(subject, target, 1), 201))
            lists = itertools.repeat(load.request("GET", LIST, token))
            works.append(Work("list of 15 orders", count, subject, db.url, lists, 200))
        for number in range(rounds + 1):
            for work in works if number % 2 else reversed(works):
                await work.run()
            if not number:
                # As autovacuum does within a minute.
                for db in databases:
                    await db.analyze()
    return works


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.scaling")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with receiver(LOAD_CORES) as target:
        works = uvloop.run(compare(options.rounds, target))
    load_average = os.getloadavg()[0]
    caption = f"medians of {options.rounds} rounds, {len(ALL_CORES)} cores, load {load_average:.0f}"
    table = Table(title="Requests a second, and ms of CPU for each", caption=caption)
    for name in ("request", "processes", "a second", *PARTS, "cores in use", "times one", "half in"):
        table.add_column(name, justify="right")
    for work in sorted(works, key=lambda work: work.name):
        parts = [median(part) for part in zip(*work.parts[1:], strict=True)]
        rate = median(work.per_second[1:])
        alone = next(other for other in works if other.name == work.name and other.processes == 1)
        times = ratio(work.costs, alone.costs)
        figures = [f"{figure:.2f}" for figure in (*parts, rate * sum(parts) / 1000, times.median)]
        figures.append(f"{times.low:.2f} to {times.high:.2f}")
        table.add_row(work.name, str(work.processes), f"{rate:.0f}", *figures)
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
