"""Workers that are woken, rest, are stopped and are counted."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Set
from pathlib import Path
from typing import cast

import asyncpg
import pytest
from prometheus_client import CollectorRegistry

from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.engines.wakeup.postgres import PostgresWakeup
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_transaction import PostgresTransaction
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.worker.deliveries import DeliveryWorker
from lootkeep.worker.metrics import WorkerMetrics
from tests.receiver import PATIENCE_SECONDS, Receiver, holding
from tests.worker.delivering import log, only_postgresql, only_sqlite, record, running, subscribe, work
from tests.worker.resting import FOR_GOOD, OnlyWoken
from tests.world import World


async def test_a_first_attempt_does_not_wait_for_the_next_poll(
    insecure_world: World, receiver: Receiver, db_location: Path | str
) -> None:
    wakeup = wakeup_of(insecure_world, db_location)
    # It listens from its first wait on.
    await wakeup.wait(0.01)
    await subscribe(insecure_world, receiver, "product.created")
    async with running(DeliveryWorker(insecure_world.deps, OnlyWoken(wakeup)), wakeup):
        for count in (1, 2, 3, 4):
            await record(insecure_world)
            await receiver.wait_for(count)


@only_sqlite
async def test_an_idle_worker_does_not_wake_itself(insecure_world: World) -> None:
    assert isinstance(insecure_world.db, SqliteDatabase)
    wakeup = MemoryWakeup()
    resting = OnlyWoken(wakeup)
    insecure_world.db.on_commit(wakeup.wake)
    async with running(DeliveryWorker(insecure_world.deps, resting), wakeup):
        await resting.began.wait()
        await asyncio.sleep(0.5)
        assert resting.rests == 1


async def test_a_worker_whose_webhooks_are_all_busy_rests_until_one_is_free(
    insecure_world: World, receiver: Receiver
) -> None:
    wakeup = MemoryWakeup()
    resting = OnlyWoken(wakeup)
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 12)
    async with running(DeliveryWorker(insecure_world.deps, resting), wakeup):
        await receiver.wait_for(10)
        before = resting.rests
        await asyncio.sleep(0.5)
        assert resting.rests - before <= 1
        gate.set()
        receiver.behaviour = None
        await receiver.wait_for(12)


async def test_a_stopped_worker_finishes_the_deliveries_in_flight(insecure_world: World, receiver: Receiver) -> None:
    wakeup = MemoryWakeup()
    webhook = await subscribe(insecure_world, receiver, "product.created")
    gate, stopping = asyncio.Event(), asyncio.Event()
    receiver.behaviour = holding(gate)
    await record(insecure_world)
    running = asyncio.create_task(DeliveryWorker(insecure_world.deps, wakeup).run(stopping))
    await receiver.wait_for(1)
    stopping.set()
    wakeup.wake()
    gate.set()
    await running
    assert (await log(insecure_world, webhook))[0]["status"] == "delivered"


async def test_attempts_are_counted_by_outcome(insecure_world: World, receiver: Receiver) -> None:
    registry = CollectorRegistry()
    worker = DeliveryWorker(insecure_world.deps, MemoryWakeup(), metrics=WorkerMetrics(registry))
    await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500, 200, 404]
    await record(insecure_world, 3)
    await work(worker)
    counted = [
        registry.get_sample_value("lootkeep_webhook_attempts_total", {"outcome": outcome})
        for outcome in ("delivered", "failed")
    ]
    assert (counted, registry.get_sample_value("lootkeep_webhook_seconds_count")) == ([1, 2], 3)


async def test_only_the_loop_whose_tables_changed_is_woken(insecure_world: World, db_location: Path | str) -> None:
    wakeup = wakeup_of(insecure_world, db_location, {"events"})
    emails = wakeup.follower({"mails"})
    # It listens from its first wait on, and looks once then.
    await wakeup.wait(PATIENCE_SECONDS if isinstance(wakeup, PostgresWakeup) else 0)
    await emails.wait(0.01)
    await record(insecure_world)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await wakeup.wait(FOR_GOOD)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await emails.wait(FOR_GOOD)
    await wakeup.close()


class CountedWakeup(PostgresWakeup):
    """A wake-up that counts how often it wakes its loops."""

    wakes = 0

    def wake(self, changed: Set[str] | None = None) -> None:
        self.wakes += 1
        super().wake(changed)


@only_postgresql
async def test_commits_of_other_processes_wake_a_worker_once_for_many_notifications(db_location: str) -> None:
    wakeup = CountedWakeup(db_location, is_own=lambda _backend: False)
    await wakeup.wait(PATIENCE_SECONDS)
    before = wakeup.wakes
    stranger = await asyncpg.connect(db_location)
    # In one transaction, so that all arrive together; the same text twice would be sent once.
    await stranger.execute("SELECT pg_notify('lootkeep_work', 'table ' || n) FROM generate_series(1, 20) AS n")
    async with asyncio.timeout(PATIENCE_SECONDS):
        await wakeup.wait(FOR_GOOD)
    assert wakeup.wakes - before == 1
    await stranger.close()
    await wakeup.close()


@only_postgresql
async def test_a_database_knows_the_backends_of_its_own_connections(insecure_world: World, db_location: str) -> None:
    database = cast(PostgresDatabase, insecure_world.db)
    async with database.read() as tx:
        ((own,),) = await cast(PostgresTransaction, tx).fetch("SELECT pg_backend_pid()", [])
    stranger = await asyncpg.connect(db_location)
    assert (database.uses(own), database.uses(stranger.get_server_pid())) == (True, False)
    await stranger.close()


def wakeup_of(world: World, db_location: Path | str, tables: Collection[str] = ()) -> MemoryWakeup:
    """The wake-up that wiring chooses."""
    if isinstance(db_location, str):
        return PostgresWakeup(db_location, tables, cast(PostgresDatabase, world.db).uses)
    assert isinstance(world.db, SqliteDatabase)
    wakeup = MemoryWakeup(tables)
    world.db.on_commit(wakeup.wake)
    return wakeup
