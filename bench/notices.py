"""How many orders PostgreSQL commits when each transaction notifies, and when processes notify after their commits.

`.venv/bin/python -m bench.notices` serves with two processes over a server whose flush takes 2 ms, and over one
with a synchronous replica, for 16 and 64 clients that wait for their answers. A trigger that notifies inside each
transaction is switched on and off in alternating rounds.
"""

import argparse
import itertools
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from statistics import median

import asyncpg
import uvloop
from rich.console import Console
from rich.table import Table

from bench import load, receiving
from bench.overload import TOKEN, seed
from bench.receiving import Receiver, receiver
from bench.subjects import LOAD_CORES, LOOTKEEP, ON_ALL_CORES, Subject, ready, run_command, server
from tests import replicas, servers

CLIENTS = (16, 64)
ROUND = 600
# A group of commits waits for 2 ms before its flush.
SLOW = replicas.OPTIONS | {"fsync": "on", "commit_delay": "2000", "commit_siblings": "0"}
TRIGGER = (
    "CREATE FUNCTION notify_inside() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN PERFORM pg_notify('lootkeep_bench', TG_TABLE_NAME); RETURN NULL; END $$",
    "CREATE TRIGGER notify_inside AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION notify_inside()",
)
SWITCH = {
    is_on: f"ALTER TABLE events {word} TRIGGER notify_inside" for is_on, word in ((True, "ENABLE"), (False, "DISABLE"))
}
Rates = dict[tuple[int, bool], list[float]]


@contextmanager
def slow_flush() -> Iterator[str]:
    with servers.postgres(SLOW) as url:
        yield url


@contextmanager
def synchronous_replica() -> Iterator[str]:
    options = replicas.OPTIONS | {"synchronous_standby_names": "*", "synchronous_commit": "remote_write"}
    with servers.postgres(options) as url, replicas.replica_of(url, replicas.REPLICA_OPTIONS):
        yield url


DATABASES = {"a flush of 2 ms": slow_flush, "a synchronous replica": synchronous_replica}


async def measure(url: str, rounds: int, target: Receiver) -> Rates:
    # As many connections as there are clients.
    settings = receiving.settings_for(url) | {"LOOTKEEP_DATABASE_CONNECTIONS": str(max(CLIENTS))}
    run_command([LOOTKEEP, "migrate"], settings)
    token = run_command(TOKEN, settings).strip()
    admin = await asyncpg.connect(url)
    for statement in TRIGGER:
        await admin.execute(statement)
    rates: Rates = {(clients, is_inside): [] for clients in CLIENTS for is_inside in SWITCH}
    with server([*ON_ALL_CORES, LOOTKEEP, "serve", "--workers", "2"], settings) as process:
        subject = ready(Subject("Lootkeep", process.pid, int(settings["LOOTKEEP_PORT"]), token), process)
        orders = seed(subject, target, 1)
        # The first round is for warming up.
        for number in range(rounds + 1):
            for clients, is_inside in rates:
                await admin.execute(SWITCH[is_inside])
                result = await load.run(subject.port, itertools.islice(orders, ROUND), 201, clients)
                if number:
                    rates[clients, is_inside].append(ROUND / result.seconds)
    await admin.close()
    return rates


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.notices")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    table = Table(title="Orders a second, two processes", caption="medians")
    for name in ("server with", "clients", "notified inside", "notified after", "times"):
        table.add_column(name, justify="right")
    for name, opened in DATABASES.items():
        with ExitStack() as stack:
            target = stack.enter_context(receiver(LOAD_CORES))
            rates = uvloop.run(measure(stack.enter_context(opened()), options.rounds, target))
        for clients in CLIENTS:
            inside, after = (median(rates[clients, is_inside]) for is_inside in (True, False))
            table.add_row(name, str(clients), f"{inside:.0f}", f"{after:.0f}", f"{after / inside:.2f}")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
