"""Workers that are woken, rest, are stopped and are counted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Set
from contextlib import asynccontextmanager, suppress

import pytest
from prometheus_client import CollectorRegistry

from lootkeep.engines.wakeup import Wakeup
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.worker.deliveries import DeliveryWorker, step_replays
from lootkeep.worker.metrics import WorkerMetrics
from tests.receiver import PATIENCE_SECONDS, Receiver, holding
from tests.worker.delivering import log, only_postgresql, only_sqlite, record, running, subscribe, work
from tests.worker.resting import FOR_GOOD, OnlyWoken
from tests.world import World


async def test_a_first_attempt_does_not_wait_for_the_next_poll(insecure_world: World, receiver: Receiver) -> None:
    wakeup = wakeup_of(insecure_world)
    await subscribe(insecure_world, receiver, "product.created")
    async with running(DeliveryWorker(insecure_world.deps, OnlyWoken(wakeup)), wakeup):
        for count in (1, 2, 3, 4):
            await record(insecure_world)
            await receiver.wait_for(count)


async def test_a_replayed_delivery_does_not_wait_for_the_next_poll(insecure_world: World, receiver: Receiver) -> None:
    wakeup = wakeup_of(insecure_world, DeliveryWorker.wakes_for)
    resting = OnlyWoken(wakeup)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await work(DeliveryWorker(insecure_world.deps, Wakeup()))
    await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    async with running(DeliveryWorker(insecure_world.deps, resting), wakeup):
        await resting.began.wait()
        await step_replays(insecure_world.deps)
        await receiver.wait_for(2)


@only_sqlite
async def test_an_idle_worker_does_not_wake_itself(insecure_world: World) -> None:
    assert isinstance(insecure_world.db, SqliteDatabase)
    wakeup = Wakeup()
    resting = OnlyWoken(wakeup)
    insecure_world.db.on_change(wakeup.wake)
    async with running(DeliveryWorker(insecure_world.deps, resting), wakeup):
        await resting.began.wait()
        await asyncio.sleep(0.5)
        assert resting.rests == 1


async def test_a_worker_whose_webhooks_are_all_busy_rests_until_one_is_free(
    insecure_world: World, receiver: Receiver
) -> None:
    wakeup = Wakeup()
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
    wakeup = Wakeup()
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
    worker = DeliveryWorker(insecure_world.deps, Wakeup(), metrics=WorkerMetrics(registry))
    await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500, 200, 404]
    await record(insecure_world, 3)
    await work(worker)
    counted = [
        registry.get_sample_value("lootkeep_webhook_attempts_total", {"outcome": outcome})
        for outcome in ("delivered", "failed")
    ]
    assert (counted, registry.get_sample_value("lootkeep_webhook_seconds_count")) == ([1, 2], 3)


async def test_only_the_loop_whose_tables_changed_is_woken(insecure_world: World) -> None:
    wakeup = wakeup_of(insecure_world, {"events"})
    emails = wakeup.follower({"mails"})
    await record(insecure_world)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await wakeup.wait(FOR_GOOD)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await emails.wait(FOR_GOOD)


@only_postgresql
async def test_another_process_wakes_a_worker_after_its_commits_and_once_for_many(db_location: str) -> None:
    """A process does not hear its own notifications: it was woken when it committed."""
    async with opened(db_location) as ours, opened(db_location) as theirs, hearing(ours) as changes:
        assert await changes.get() is None
        async with ours.write() as tx:
            tx.wake("orders")
        for table in ("events", "mails") * 20:
            async with theirs.write() as tx:
                tx.wake(table)
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert [await changes.get() for _ in range(2)] == [{"orders"}, {"events", "mails"}]
        assert changes.empty()


@only_postgresql
async def test_what_a_command_has_committed_is_announced_before_it_ends(db_location: str) -> None:
    async with opened(db_location) as ours, hearing(ours) as changes:
        assert await changes.get() is None
        async with opened(db_location) as command, command.write() as tx:
            tx.wake("mails")
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await changes.get() == {"mails"}


async def test_an_operation_that_is_rolled_back_wakes_nobody(insecure_world: World) -> None:
    wakes: list[Set[str] | None] = []
    insecure_world.db.on_change(wakes.append)
    with suppress(LookupError):
        async with insecure_world.db.write() as tx:
            tx.wake("events")
            raise LookupError
    await record(insecure_world)
    assert wakes == [{"events"}]


@asynccontextmanager
async def hearing(database: PostgresDatabase) -> AsyncIterator[asyncio.Queue[Set[str] | None]]:
    """What the process hears inside the block; at first, that anything may have changed."""
    changes: asyncio.Queue[Set[str] | None] = asyncio.Queue()
    database.on_change(changes.put_nowait)
    async with database.listening():
        yield changes


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresDatabase]:
    database = await PostgresDatabase.open(url, 2)
    try:
        yield database
    finally:
        await database.close()


def wakeup_of(world: World, tables: Collection[str] = ()) -> Wakeup:
    """Woken by the commits of its process, as wiring does it."""
    wakeup = Wakeup(tables)
    world.db.on_change(wakeup.wake)
    return wakeup
