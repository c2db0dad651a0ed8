"""How fast webhooks are delivered while the API of the same process is saturated, and how fast when it is idle.

`.venv/bin/python -m bench.sharing` runs one `serve` with an embedded database. In each round 16 clients place orders as
fast as they are answered, each of which has ten deliveries, more than the process makes, and arrivals at the receiver
are counted. Then they pause, and the deliveries that are still waiting are counted the same way. Both are measured in
turn, so whatever else the machine does affects both: the ratio counts.
"""

import argparse
import asyncio
import os
import time
from collections import Counter
from collections.abc import Iterator
from statistics import median

import uvloop

from bench import receiving
from bench.overload import TOKEN, LoadClient, connected, seed
from bench.receiving import Receiver, receiver
from bench.subjects import LOAD_CORES, LOOTKEEP, Subject, database, ready, run_command, server

CLIENTS = 16
WEBHOOKS = 10


async def saturated(port: int, orders: Iterator[bytes], target: Receiver, seconds: float) -> tuple[Counter[str], float]:
    """The answers by their status, and the deliveries per second."""
    statuses: Counter[str] = Counter()
    before, started = target.arrivals().count, time.perf_counter()

    def done(client: LoadClient, status: str, _: float) -> None:
        statuses[status] += 1
        if client.is_open and time.perf_counter() - started < seconds:
            client.send(next(orders))

    for _ in range(CLIENTS):
        (await connected(port, done)).send(next(orders))
    await asyncio.sleep(seconds)
    return statuses, (target.arrivals().count - before) / (time.perf_counter() - started)


async def alone(target: Receiver, seconds: float) -> float:
    """Deliveries per second of those that wait: far more wait than are delivered in that time."""
    before, started = target.arrivals().count, time.perf_counter()
    await asyncio.sleep(seconds)
    return (target.arrivals().count - before) / (time.perf_counter() - started)


async def measure(target: Receiver, rounds: int, seconds: float) -> None:
    async with database("sqlite") as db:
        settings = receiving.settings_for(db.url)
        run_command([LOOTKEEP, "migrate"], settings)
        token = run_command(TOKEN, settings).strip()
        with server([LOOTKEEP, "serve"], settings) as process:
            subject = ready(Subject("Lootkeep", process.pid, int(settings["LOOTKEEP_PORT"]), token), process)
            orders = seed(subject, target, 1)
            for name in range(1, WEBHOOKS):
                webhook = {"url": target.url(name), "events": ["order.created"]}
                subject.call("POST", webhook, "/api/external/v1/webhooks")
            ratios = []
            for number in range(rounds):
                statuses, shared = await saturated(subject.port, orders, target, seconds)
                by_itself = await alone(target, seconds / 3)
                ratios.append(shared / by_itself)
                print(
                    f"round {number + 1}: {statuses['201'] / seconds:.0f} orders/s, {statuses['503']} rejected, "
                    f"{shared:.0f} deliveries/s; "
                    f"{by_itself:.0f} deliveries/s alone: {shared / by_itself:.0%}",
                    flush=True,
                )
            print(f"median: {median(ratios):.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.sharing")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="of each half of a round")
    options = parser.parse_args()
    if LOAD_CORES:
        os.sched_setaffinity(0, LOAD_CORES)
    with receiver(LOAD_CORES) as target:
        uvloop.run(measure(target, options.rounds, options.seconds))


if __name__ == "__main__":
    main()
