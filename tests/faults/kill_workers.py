"""SIGKILL of workers while they deliver: nothing is lost, nothing is sent unrecorded, no number is used twice.

`python -m tests.servers -- python -m tests.faults.kill_workers` runs the long form on both engines and prints a table.
The environment may change it: KILLS, DELIVERIES (of PostgreSQL; the embedded engine takes a fifth), ENGINE and SEED.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from sqlalchemy import func, select, update

from lootkeep import wiring
from lootkeep.deps import Deps
from lootkeep.services import webhooks as webhooks_service
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.query import Query
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.schema import attempts, deliveries, events
from tests.conftest import drop_postgres_database, new_postgres_database
from tests.faults.delivery_report import WEBHOOKS, DeliveryReport, FaultPlan, table
from tests.faults.hooks import Hooks
from tests.faults.processes import KEY, KilledProcesses

PATIENCE_SECONDS = 300.0

_OPEN = Query(select(func.count()).select_from(deliveries).where(deliveries.c.status == "pending"))
_WAITING = Query(select(func.count()).select_from(events).where(events.c.fanned_out_at.is_(None)))
_FORGET_LEASES = Query(update(deliveries).where(deliveries.c.lease.is_not(None)).values(leased_until=0))
_DELIVERIES = Query(select(deliveries.c.public_id, deliveries.c.status, deliveries.c.attempts_count))
_ATTEMPTS = Query(
    select(deliveries.c.public_id, attempts.c.number, attempts.c.outcome).join(
        deliveries, deliveries.c.id == attempts.c.delivery_id
    )
)


class SampleData(msgspec.Struct):
    number: int
    words: str = "a payload of about the size that orders have " * 10


async def run(plan: FaultPlan, url: str, folder: Path) -> DeliveryReport:
    """Runs the plan on an empty database and checks the result."""
    settings = Settings(
        _env_file=None, database_url=url, secret_key=KEY, webhook_allow_insecure=True, database_connections=3
    )
    started = time.monotonic()
    chance = random.Random(plan.seed)
    hooks = Hooks(random.Random(plan.seed + 1))
    report = DeliveryReport(plan)
    await _migrate(settings)
    processes = KilledProcesses(settings, plan.processes, folder)
    async with wiring.opened(settings) as deps, _listening(hooks) as port:
        for number in range(WEBHOOKS):
            await webhooks_service.create(deps, f"http://127.0.0.1:{port}/{number}", ["product.created"])
        try:
            await _rage(plan, deps, processes, hooks, chance, report)
            await _end(deps, processes)
        finally:
            processes.kill_all()
        await _judge(report, deps, hooks)
    report.seconds = time.monotonic() - started
    return report


async def _migrate(settings: Settings) -> None:
    engine: Engine = await wiring.open_database(settings)
    await migrations.upgrade(engine)
    await engine.close()


@asynccontextmanager
async def _listening(hooks: Hooks) -> AsyncIterator[int]:
    server = await asyncio.start_server(hooks.serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def _rage(
    plan: FaultPlan, deps: Deps, processes: KilledProcesses, hooks: Hooks, chance: random.Random, report: DeliveryReport
) -> None:
    """A wave of events for each kill; the kill comes at a random place in the wave, or now and then at the start."""
    for wave in range(plan.kills):
        first, last = plan.events * wave // plan.kills, plan.events * (wave + 1) // plan.kills
        await _record(deps, first, last)
        processes.start()
        if chance.random() < 0.1:
            await asyncio.sleep(chance.random())
        else:
            size = max(1, (last - first) * WEBHOOKS)
            # What is held by the dead may take longer than that; it is not waited for.
            await hooks.wait_for(hooks.total + chance.randint(1, size), seconds=15)
            await asyncio.sleep(chance.random() * 0.02)
        processes.kill(chance)
        report.kills += 1


async def _record(deps: Deps, first: int, last: int) -> None:
    async with deps.db.write() as tx:
        for number in range(first, last):
            await outbox_db.append(tx, "product.created", SampleData(number), deps.clock.now())


async def _end(deps: Deps, processes: KilledProcesses) -> None:
    """Lets the work come to its end. With everyone dead, the leases may as well have run out already."""
    processes.kill_all()
    async with deps.db.write() as tx:
        await tx.run(_FORGET_LEASES)
    processes.start()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        async with deps.db.read() as tx:
            ((waiting,),) = await tx.all(_WAITING)
            ((left,),) = await tx.all(_OPEN)
        if waiting + left == 0:
            return
        await asyncio.sleep(0.1)


async def _judge(report: DeliveryReport, deps: Deps, hooks: Hooks) -> None:
    async with deps.db.read() as tx:
        deliveries = await tx.all(_DELIVERIES)
        attempts = await tx.all(_ATTEMPTS)
    rows = Counter(public_id for public_id, _, _ in attempts)
    delivered = sum(status == "delivered" and hooks.arrived[public_id] > 0 for public_id, status, _ in deliveries)
    report.sends = hooks.total
    report.interrupted = sum(outcome == "interrupted" for _, _, outcome in attempts)
    report.lost = report.plan.events * WEBHOOKS - delivered
    report.without_attempt = sum(max(0, sends - rows[public_id]) for public_id, sends in hooks.arrived.items())
    numbers = {(public_id, number) for public_id, number, _ in attempts}
    counted = sum(rows[public_id] != count for public_id, _, count in deliveries)
    report.numbers_twice = len(attempts) - len(numbers) + counted
    report.left_open = sum(outcome == "open" for _, _, outcome in attempts)


async def on_sqlite(kills: int, count: int, seed: int) -> DeliveryReport:
    with tempfile.TemporaryDirectory(prefix="lootkeep-kill-") as folder:
        url = f"sqlite:///{folder}/store.db"
        return await run(FaultPlan("sqlite", kills, count, seed), url, Path(folder))


async def on_postgresql(kills: int, count: int, seed: int, admin_url: str) -> DeliveryReport:
    with tempfile.TemporaryDirectory(prefix="lootkeep-kill-") as folder:
        url = await new_postgres_database(admin_url, f"lootkeep_kill_{os.getpid()}")
        try:
            return await run(FaultPlan("postgresql", kills, count, seed), url, Path(folder))
        finally:
            await drop_postgres_database(admin_url, url)


async def main() -> int:
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(10**6))
    kills, count = int(os.environ.get("KILLS", "1000")), int(os.environ.get("DELIVERIES", "250000"))
    engine = os.environ.get("ENGINE", "both")
    reports = []
    if engine in {"both", "postgresql"}:
        reports.append(await on_postgresql(kills, count, seed, os.environ["LOOTKEEP_TEST_POSTGRES_URL"]))
    if engine in {"both", "sqlite"}:
        reports.append(await on_sqlite(-(-kills // 5), -(-count // 5), seed))
    print(table(reports), flush=True)
    return 1 if any(report.faults for report in reports) else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
