"""What an order costs on PostgreSQL when one process serves, and when two do, with the server's CPU included.

`python -m bench.processes` under `tests.servers` places the same orders in both, in alternating
rounds, and counts the transactions of the database: those beyond one per order are what workers look up and write.
It is not the order of the section `api` of the benchmark: it has one line instead of two, of a buyer who returns,
without device and browser; fraud detection is off; and of the server only the processes of connections count.
"""

import argparse
import asyncio
import itertools
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from statistics import median

import asyncpg
import uvloop
from rich.console import Console
from rich.table import Table

from bench import load, receiving
from bench.overload import CLIENTS, TOKEN, seed
from bench.receiving import Receiver, receiver
from bench.report import ratio
from bench.subjects import LOAD_CORES, LOOTKEEP, Subject, cpu_seconds, database, own_seconds, ready, run_command, server

PROCESSES = (1, 2)
# Orders in a round.
ROUND = 600
_COUNT = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
BACKENDS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@dataclass
class Side:
    """A store served by some processes, and what each round cost per order."""

    subject: Subject
    url: str
    orders: Iterator[bytes]
    service_ms: list[float] = field(default_factory=list)
    server_ms: list[float] = field(default_factory=list)
    transactions: list[float] = field(default_factory=list)

    @property
    def both_ms(self) -> list[float]:
        return [service + server for service, server in zip(self.service_ms, self.server_ms, strict=True)]

    async def run(self, target: Receiver, *, is_measured: bool) -> None:
        before, arrived = await self._spent(), target.arrivals().count
        await load.run(self.subject.port, itertools.islice(self.orders, ROUND), 201, CLIENTS)
        target.wait_for(arrived + ROUND)
        after = await self._spent()
        if is_measured:
            spent = [(end - start) / ROUND for start, end in zip(before, after, strict=True)]
            for figures, per_order in zip((self.service_ms, self.server_ms, self.transactions), spent, strict=True):
                figures.append(per_order)

    async def _spent(self) -> tuple[float, float, int]:
        """Milliseconds of the service and of its database server, and transactions, so far."""
        # Backends report what they did when they rest, once a second at most.
        await asyncio.sleep(1.5)
        admin = await asyncpg.connect(self.url)
        backends = [row[0] for row in await admin.fetch(BACKENDS)]
        transactions = await admin.fetchval(_COUNT)
        await admin.close()
        return cpu_seconds(self.subject.pid) * 1000, sum(map(own_seconds, backends)) * 1000, transactions


async def compare(rounds: int, target: Receiver) -> dict[int, Side]:
    async with AsyncExitStack() as stack:
        sides = {}
        for count in PROCESSES:
            db = await stack.enter_async_context(database("postgresql"))
            settings = receiving.settings_for(db.url)
            run_command([LOOTKEEP, "migrate"], settings)
            token = run_command(TOKEN, settings).strip()
            process = stack.enter_context(server([LOOTKEEP, "serve", "--workers", str(count)], settings))
            subject = ready(Subject("Lootkeep", process.pid, int(settings["LOOTKEEP_PORT"]), token), process)
            sides[count] = Side(subject, db.url, seed(subject, target, 1))
        # The first round is for warming up.
        for number in range(rounds + 1):
            for count in PROCESSES if number % 2 else reversed(PROCESSES):
                await sides[count].run(target, is_measured=number > 0)
        return sides


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.processes")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with receiver(LOAD_CORES) as target:
        sides = uvloop.run(compare(options.rounds, target))
    table = Table(title="One order with its webhook, per order", caption="medians; ms of CPU")
    for name in ("processes", "service", "database server", "both", "transactions", "times one", "half in"):
        table.add_column(name, justify="right")
    for count, side in sides.items():
        figures = (side.service_ms, side.server_ms, side.both_ms, side.transactions)
        times = ratio(side.both_ms, sides[1].both_ms)
        half = f"{times.low:.2f} to {times.high:.2f}"
        table.add_row(str(count), *(f"{median(each):.2f}" for each in figures), f"{times.median:.2f}", half)
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
