"""Senders of webhooks that take turns: Lootkeep on both engines, django-webhook on Celery, and BullMQ with undici.

How it stays fair: each subject delivers the same data to the same ten webhooks of the same cheap receiver, from
the same core, in rounds that turn the order around. Counted is all CPU time from "the events are recorded" to
"every delivery is recorded as made": the worker's processes, PostgreSQL, and Redis where it is the queue; not the
receiver, and no start-up. So making deliveries out of events counts for all: in our worker, in BullMQ's, and for
django-webhook in the process that saves, as that package does it there. After a round the rows must be there. The
peers' files show how they are set up for the least CPU.
"""

import asyncio
import json
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from redis import Redis

from bench import receiving, subjects
from bench.options import ENGINES, progress
from bench.receiving import Receiver, Run, connected
from bench.subjects import LOOTKEEP, ROOT, cpu_seconds, database, environment, run_command, server
from lootkeep import wiring
from lootkeep.kernel.clock import SystemClock
from lootkeep.services import webhooks as webhooks_service

WEBHOOKS = 10
# With what is around it, a kilobyte is sent.
DATA = json.dumps({"id": 1, "status": "paid", "note": "x" * 850})
# What a worker still writes after its last request belongs to the round.
SETTLE_SECONDS = 0.3
PATIENCE_SECONDS = 180.0

EVENTS = """WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
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
class SenderSizes:
    """Deliveries in a round, of those that are fast and of those that are slow."""

    fast: int
    slow: int


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


async def compare(target: Receiver, sizes: SenderSizes, rounds: int) -> dict[str, list[Round]]:
    deliveries = dict(zip(PEERS, (sizes.slow, sizes.fast), strict=True))
    async with AsyncExitStack() as stack:
        entered = [ours(engine, target, sizes.fast) for engine in ENGINES]
        entered += [peer(name, index, target, size) for index, (name, size) in enumerate(deliveries.items(), 1)]
        senders = [await stack.enter_async_context(context) for context in entered]
        laps: dict[str, list[Round]] = {sender.name: [] for sender in senders}
        for sender in senders:
            # A stopped process does not receive the signal to end.
            stack.callback(os.kill, sender.pid, signal.SIGCONT)
            await one_round(sender, target, sender.deliveries // 4)
            if sender.servers[0]:  # what autovacuum does within a minute: plans for empty tables are made again
                await sender.run("ANALYZE")
        for _ in range(rounds):
            for sender in senders:
                laps[sender.name].append(await one_round(sender, target, sender.deliveries))
            # The subject that was last is first in the next round, so that nobody always follows the same one.
            senders.reverse()
        return laps


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
    progress(f"{sender.name}: {count:,} deliveries in {seconds:.1f} s")
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
            await run(EVENTS.format(count=events, data=DATA, now=SystemClock().now(), fanned_out="NULL"))
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
            "PEER_WEBHOOKS": " ".join(target.url(index) for index in range(WEBHOOKS)),
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
async def service(
    engine: str, target: Receiver, count: int, *cores: int
) -> AsyncIterator[tuple[dict[str, str], Run, int | None]]:
    """A Lootkeep database with webhooks: the settings to work on it, a way to run SQL, the process behind it."""
    async with database(engine, *cores) as db:
        settings = receiving.settings_for(db.url)
        run_command([LOOTKEEP, "migrate"], settings)
        async with wiring.opened(receiving.as_read(settings)) as deps:
            for index in range(count):
                await webhooks_service.create(deps, target.url(index), ["order.paid"])
        async with connected(db.url) as run:
            yield settings, run, db.postmaster
