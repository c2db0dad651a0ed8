"""The cost of a webhook delivery, compared with django-webhook on Celery and with BullMQ, and how the queue behaves.

`make bench BENCH=webhooks` installs the peers. Ends with status 1 when a target is missed.

How it stays fair: each subject delivers the same data to the same ten webhooks of the same cheap receiver, from
the same core, in rounds that turn the order around. Counted is all CPU time from "the events are recorded" to
"every delivery is recorded as made": the worker's processes, PostgreSQL, and Redis where it is the queue; not the
receiver, and no start-up. So making deliveries out of events counts for all: in our worker, in BullMQ's, and for
django-webhook in the process that saves, as that package does it there. After a round the rows must be there. The
peers' files show how they are set up for the least CPU.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import uvloop
from redis import Redis
from rich.console import Console
from rich.table import Table

from bench import receiving, subjects
from bench.receiving import Receiver, Run, connected
from bench.subjects import LOAD_CORES, LOOTKEEP, ROOT, cpu_seconds, database, environment, run_command, server
from lootkeep import wiring
from lootkeep.kernel.clock import SystemClock
from lootkeep.services import webhooks

# How many times the deliveries per CPU second of each peer.
TARGETS = {"django-webhook + Celery": 20.0, "BullMQ + undici": 4.0}
CLAIM_MS, FIRST_ATTEMPT_MS, GROWTH_MB = 10.0, 50.0, 16.0
TOKEN = [LOOTKEEP, "token", "create", "--name", "bench", "--all-scopes", "--quiet"]
PARTS = ("cost", "claims", "first", "backlog")
ENGINES = ("sqlite", "postgresql")
WEBHOOKS = 10
# With what is around it, a kilobyte is sent.
DATA = json.dumps({"id": 1, "status": "paid", "note": "x" * 850})
# What a worker still writes after its last request belongs to the round.
SETTLE_SECONDS = 0.3
PATIENCE_SECONDS = 30.0

_EVENTS = """WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
    INSERT INTO events (type, data, created_at, fanned_out_at)
    SELECT 'order.paid', '{data}', {now}, {fanned_out} FROM numbers"""
_RECORDED = """SELECT count(*) FROM deliveries d JOIN attempts a ON a.delivery_id = d.id
    WHERE d.status = 'delivered' AND a.outcome = 'delivered' AND a.finished_at IS NOT NULL"""
_DJANGO = [str(ROOT / ".venv-bench/bin/python"), "-W", "ignore", "-m", "bench.peers.django_webhook"]
# The command of each, and how many deliveries it has recorded.
PEERS = {
    "django-webhook + Celery": (_DJANGO, "SELECT count(*) FROM django_webhook_webhookevent WHERE status = 'SUCCESS'"),
    "BullMQ + undici": (["node", str(ROOT / "bench/peers/bullmq/worker.js")], _RECORDED),
}

Held: TypeAlias = tuple[int | None, Callable[[], Awaitable[object]]]


@dataclass(frozen=True)
class Sender:
    """A running sender. `held` records this many events, releases them when asked, and names its process."""

    name: str
    pid: int
    servers: tuple[int | None, ...]
    deliveries: int
    run: Run
    recorded: str
    held: Callable[[int], AbstractAsyncContextManager[Held]]


@dataclass(frozen=True)
class Round:
    """CPU milliseconds for one delivery: the worker's, then PostgreSQL's and Redis's; and deliveries in a second."""

    worker: float
    servers: list[float]
    pace: float

    @property
    def cpu_ms(self) -> float:
        return self.worker + sum(self.servers)


def main() -> int:
    options = parse_options()
    if LOAD_CORES:
        os.sched_setaffinity(0, LOAD_CORES)
    with receiving.receiver(LOAD_CORES) as target:
        figures = uvloop.run(measure(target, options))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return int(any(figure["missed"] for figure in figures))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.webhooks")
    parser.add_argument("--quick", action="store_true", help="a short run, less exact")
    parser.add_argument("--only", action="append", choices=PARTS, help="only this part")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures to this file")
    options = parser.parse_args()
    names = ("rounds", "fast", "slow", "parked", "claims", "first", "backlog")
    sizes = (3, 1000, 80, 100_000, 100, 20, 5_000) if options.quick else (5, 4000, 320, 1_000_000, 500, 60, 100_000)
    vars(options).update(zip(names, sizes, strict=True), only=options.only or PARTS)
    return options


async def measure(target: Receiver, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Every figure as a row, shown as soon as it is there."""
    figures: list[dict[str, Any]] = []

    def show(title: str, rows: list[dict[str, Any]]) -> None:
        table = Table(*(name for name in rows[0] if name != "missed"), title=title, title_justify="left")
        for row in rows:
            cells = [f"{cell:,.2f}" if isinstance(cell, float) else str(cell) for cell in row.values()]
            table.add_row(*cells[:-1], style="red" if row["missed"] else None)
        Console(width=120).print(table)
        figures.extend({"figure": title, **row} for row in rows)

    if "cost" in options.only:
        costs = await compare(target, options)
        show("CPU ms of one delivery, medians of the rounds", [cost_row(*item) for item in costs.items()])
        pairs = [(ours, theirs) for ours in list(costs)[:2] for theirs in TARGETS]
        show("Deliveries per CPU second, times the peer's", [ratio_row(costs, *pair) for pair in pairs])
    for part, title, operation in (
        ("claims", f"Claiming 100 due deliveries among {options.parked:,} parked, ms", claims),
        ("first", "From paying an order to the webhook's arrival, ms", promptness),
        ("backlog", f"Resident MB while {options.backlog:,} deliveries drain", backlog),
    ):
        if part in options.only:
            show(title, [row for engine in ENGINES for row in await operation(engine, target, options)])
    return figures


async def compare(target: Receiver, options: argparse.Namespace) -> dict[str, list[Round]]:
    sizes = dict(zip(PEERS, (options.slow, options.fast), strict=True))
    async with AsyncExitStack() as stack:
        entered = [ours(engine, target, options.fast) for engine in ENGINES]
        entered += [peer(name, place, target, size) for place, (name, size) in enumerate(sizes.items(), 1)]
        senders = [await stack.enter_async_context(context) for context in entered]
        rounds: dict[str, list[Round]] = {sender.name: [] for sender in senders}
        for sender in senders:
            # A stopped process does not receive the signal to end.
            stack.callback(os.kill, sender.pid, signal.SIGCONT)
            await one_round(sender, target, sender.deliveries // 4)
            if sender.servers[0]:  # what autovacuum does within a minute: plans for empty tables are made again
                await sender.run("ANALYZE")
        for _ in range(options.rounds):
            for sender in senders:
                rounds[sender.name].append(await one_round(sender, target, sender.deliveries))
            # The subject that was last is first in the next round, so that nobody always follows the same one.
            senders.reverse()
        return rounds


async def one_round(sender: Sender, target: Receiver, count: int) -> Round:
    ((recorded,),), arrived = await sender.run(sender.recorded), target.arrivals().count
    # Only who has the turn runs: what the others do while idle is on nobody's bill.
    os.kill(sender.pid, signal.SIGCONT)
    async with sender.held(count // WEBHOOKS) as (holder, release):
        before, started = clocks(sender, holder), time.monotonic()
        await release()
        seconds = target.wait_for(arrived + count).last - started
        total = 0
        while total < count:
            await asyncio.sleep(SETTLE_SECONDS)
            after = clocks(sender, holder)
            total = (await sender.run(sender.recorded))[0][0] - recorded
            if time.monotonic() > started + seconds + PATIENCE_SECONDS:
                raise SystemExit(f"{sender.name} recorded {total:,} of {count:,} deliveries.")
    os.kill(sender.pid, signal.SIGSTOP)
    print(f"{sender.name}: {count:,} deliveries in {seconds:.1f} s", file=sys.stderr)
    worker, *servers = ((late - early) * 1000 / count for early, late in zip(before, after, strict=True))
    return Round(worker, servers, count / seconds)


def clocks(sender: Sender, holder: int | None) -> list[float]:
    return [cpu_seconds(sender.pid) + cpu_seconds(holder), *map(cpu_seconds, sender.servers)]


@asynccontextmanager
async def ours(engine: str, target: Receiver, count: int) -> AsyncIterator[Sender]:
    async with service(engine, target, WEBHOOKS) as (settings, run, postmaster):

        @asynccontextmanager
        async def held(events: int) -> AsyncIterator[Held]:
            await run("BEGIN")
            await run(_EVENTS.format(count=events, data=DATA, now=SystemClock().now(), fanned_out="NULL"))
            yield None, lambda: run("COMMIT")

        with server([LOOTKEEP, "serve" if engine == "sqlite" else "worker"], settings) as process:
            yield Sender(f"Lootkeep, {engine}", process.pid, (postmaster, None), count, run, _RECORDED, held)


@asynccontextmanager
async def peer(name: str, number: int, target: Receiver, count: int) -> AsyncIterator[Sender]:
    redis = urlsplit(os.environ["LOOTKEEP_TEST_REDIS_URL"])
    redis_pid = int(Redis(port=redis.port or 6379).info("server")["process_id"])
    async with database("postgresql") as db, connected(db.url) as run:
        settings = {
            "PEER_DATABASE_URL": db.url,
            "PEER_REDIS_URL": redis._replace(path=f"/{number}").geturl(),
            "PEER_WEBHOOKS": " ".join(target.url(place) for place in range(WEBHOOKS)),
            "PEER_DATA": DATA,
        }

        @asynccontextmanager
        async def held(events: int) -> AsyncIterator[Held]:
            command = ["taskset", "-c", str(subjects.SERVER_CORE), *PEERS[name][0], "events", str(events)]
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            with subprocess.Popen(command, env=environment(settings), text=True, bufsize=1, **pipes) as process:  # noqa: ASYNC220
                assert process.stdin and process.stdout  # noqa: PT018
                if process.stdout.readline() != "ready\n":
                    raise SystemExit(f"{name} could not record its events; see its words above.")
                yield process.pid, partial(asyncio.to_thread, process.stdin.write, "go\n")
                process.stdin.write("leave\n")

        run_command([*PEERS[name][0], "prepare"], settings)
        with server([*PEERS[name][0], "work"], settings) as process:
            yield Sender(name, process.pid, (db.postmaster, redis_pid), count, run, PEERS[name][1], held)


@asynccontextmanager
async def service(engine: str, target: Receiver, count: int) -> AsyncIterator[tuple[dict[str, str], Run, int | None]]:
    """A Lootkeep database with webhooks: the settings to work on it, a way to run SQL, the process behind it."""
    async with database(engine) as db:
        settings = receiving.settings_for(db.url)
        run_command([LOOTKEEP, "migrate"], settings)
        async with wiring.opened(receiving.as_read(settings)) as deps:
            for place in range(count):
                await webhooks.create(deps, target.url(place), ["order.paid"])
        async with connected(db.url) as run:
            yield settings, run, db.postmaster


async def claims(engine: str, target: Receiver, options: argparse.Namespace) -> list[dict[str, Any]]:
    async with service(engine, target, WEBHOOKS) as (settings, run, _):
        now, events = SystemClock().now(), options.parked // WEBHOOKS
        await run(_EVENTS.format(count=events, data=DATA, now=now, fanned_out=now))
        async with wiring.opened(receiving.as_read(settings)) as deps:
            measured = await receiving.claim_times(deps, run, events, options.claims)
    return [row(engine, limit=CLAIM_MS, what=what, **asdict(times)) for what, times in measured.items()]


async def promptness(engine: str, target: Receiver, options: argparse.Namespace) -> list[dict[str, Any]]:
    async with service(engine, target, 1) as (settings, _, _):
        token = run_command(TOKEN, settings).strip()
        with server([LOOTKEEP, "serve"], settings) as process:
            port = int(settings["LOOTKEEP_PORT"])
            subjects.ready(subjects.Subject("Lootkeep", process.pid, port, token), process)
            times = receiving.first_attempts(port, token, target, options.first)
    return [row(engine, limit=FIRST_ATTEMPT_MS, **asdict(times))]


async def backlog(engine: str, target: Receiver, options: argparse.Namespace) -> list[dict[str, Any]]:
    async with ours(engine, target, options.backlog) as sender:
        # What a worker needs at all is there after the first deliveries.
        await one_round(sender, target, 2000)
        os.kill(sender.pid, signal.SIGCONT)
        async with sender.held(options.backlog // WEBHOOKS) as (_, release):
            await release()
            memory = receiving.drained(sender.pid, target, options.backlog)
    missed = memory.peak - memory.before > GROWTH_MB
    return [{"engine": engine, **asdict(memory), "most growth": GROWTH_MB, "missed": missed}]


def row(engine: str, *, limit: float, p99: float, **values: Any) -> dict[str, Any]:
    return {"engine": engine, **values, "p99": p99, "p99 at most": limit, "missed": p99 > limit}


def cost_row(name: str, rounds: list[Round]) -> dict[str, Any]:
    servers = [median(part) for part in zip(*(lap.servers for lap in rounds), strict=True)]
    cost = median(lap.cpu_ms for lap in rounds)
    parts = {"worker": median(lap.worker for lap in rounds), "PostgreSQL": servers[0], "Redis": servers[1], "all": cost}
    pace = {"per CPU s": 1000 / cost, "per s": median(lap.pace for lap in rounds)}
    return {"sender": name, **parts, **pace, "missed": False}


def ratio_row(costs: dict[str, list[Round]], mine: str, theirs: str) -> dict[str, Any]:
    """Round by round: what disturbs the machine mostly disturbs a whole round."""
    ratios = [their.cpu_ms / our.cpu_ms for our, their in zip(costs[mine], costs[theirs], strict=True)]
    ratio = {"ours": mine, "peer": theirs, "times": median(ratios), "lowest": min(ratios), "highest": max(ratios)}
    return {**ratio, "at least": TARGETS[theirs], "missed": median(ratios) < TARGETS[theirs]}


if __name__ == "__main__":
    sys.exit(main())
