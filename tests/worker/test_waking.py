"""Workers that are woken, rest, are stopped and are counted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Set
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import cast

import pytest
from prometheus_client import CollectorRegistry

from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.engines.wakeup.postgres import PostgresWakeup
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.worker.deliveries import DeliveryWorker, step_replays
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


async def test_a_replayed_delivery_does_not_wait_for_the_next_poll(
    insecure_world: World, receiver: Receiver, db_location: Path | str
) -> None:
    wakeup = wakeup_of(insecure_world, db_location, DeliveryWorker.wakes_for)
    # It listens from its first wait on, and looks once then.
    await wakeup.wait(PATIENCE_SECONDS if isinstance(wakeup, PostgresWakeup) else 0)
    resting = OnlyWoken(wakeup)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await work(DeliveryWorker(insecure_world.deps, MemoryWakeup()))
    await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    async with running(DeliveryWorker(insecure_world.deps, resting), wakeup):
        await resting.began.wait()
        await step_replays(insecure_world.deps)
        await receiver.wait_for(2)


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


@only_postgresql
async def test_another_process_wakes_a_worker_after_its_commits_and_once_for_many(db_location: str) -> None:
    """A process is not woken by its own notifications: it was when it committed."""
    wakes: list[Set[str] | None] = []
    async with opened(db_location) as ours, opened(db_location) as theirs:
        wakeup = RecordingWakeup(wakes, db_location, own=ours.sender)
        await wakeup.wait(PATIENCE_SECONDS)
        assert wakes == [None]
        for database in (ours, theirs):
            for table in ("events", "mails") * 20:
                async with database.write() as tx:
                    tx.wake(table)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(wakes) < 2:
                await wakeup.wait(FOR_GOOD)
        await wakeup.close()
    assert wakes[1:] == [{"events", "mails"}]


@only_postgresql
async def test_what_a_command_has_committed_is_announced_before_it_ends(db_location: str) -> None:
    wakes: list[Set[str] | None] = []
    wakeup = RecordingWakeup(wakes, db_location)
    await wakeup.wait(PATIENCE_SECONDS)
    async with opened(db_location) as database, database.write() as tx:
        tx.wake("mails")
    async with asyncio.timeout(PATIENCE_SECONDS):
        await wakeup.wait(FOR_GOOD)
    assert wakes == [None, {"mails"}]
    await wakeup.close()


async def test_an_operation_that_is_rolled_back_wakes_nobody(insecure_world: World) -> None:
    wakes: list[Set[str]] = []
    insecure_world.db.on_commit(wakes.append)
    with suppress(LookupError):
        async with insecure_world.db.write() as tx:
            tx.wake("events")
            raise LookupError
    await record(insecure_world)
    assert wakes == [{"events"}]


class RecordingWakeup(PostgresWakeup):
    """A wake-up that records what it was woken for."""

    def __init__(self, wakes: list[Set[str] | None], url: str, own: str = "") -> None:
        super().__init__(url, own=own)
        self._wakes = wakes

    def wake(self, changed: Set[str] | None = None) -> None:
        self._wakes.append(changed)
        super().wake(changed)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresDatabase]:
    database = await PostgresDatabase.open(url, 2)
    try:
        yield database
    finally:
        await database.close()


def wakeup_of(world: World, db_location: Path | str, tables: Collection[str] = ()) -> MemoryWakeup:
    """The wake-up that wiring chooses."""
    wakeup = MemoryWakeup(tables)
    if isinstance(db_location, str):
        wakeup = PostgresWakeup(db_location, tables, cast(PostgresDatabase, world.db).sender)
    world.db.on_commit(wakeup.wake)
    return wakeup
