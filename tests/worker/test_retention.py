"""Old events and deliveries are removed in batches, but never open ones."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY
from lootkeep.services import retention as retention_service
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.worker.deliveries import DeliveryWorker
from tests.receiver import Receiver
from tests.worker.delivering import fan_out, log, only_sqlite, record, subscribe, work
from tests.world import World


async def test_old_events_and_deliveries_are_removed_but_never_an_open_delivery(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 2)
    await work(worker)
    await record(insecure_world)
    receiver.answers = [500]
    await work(worker)
    await record(insecure_world, 1, "order.paid")
    await work(worker)
    insecure_world.clock.advance(31 * DAY)
    await record(insecure_world)
    await fan_out(insecure_world)
    await retention_service.purge(insecure_world.deps, insecure_world.clock.now(), 30, 30)
    ids = [event["id"] for event in (await insecure_world.get("/events")).json()["data"]["events"]]
    assert ids == [3, 5]
    assert [delivery["event_id"] for delivery in await log(insecure_world, webhook)] == [5, 3]
    receiver.received.clear()
    await work(worker)
    assert len(receiver.received) == 2


async def test_rows_exactly_as_old_as_the_retention_period_stay(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await work(worker)
    insecure_world.clock.advance(30 * DAY)
    await retention_service.purge(insecure_world.deps, insecure_world.clock.now(), 30, 30)
    assert len(await log(insecure_world, webhook)) == 1
    insecure_world.clock.advance(1)
    await retention_service.purge(insecure_world.deps, insecure_world.clock.now(), 30, 30)
    assert await log(insecure_world, webhook) == []


@only_sqlite
async def test_retention_works_in_bounded_batches(insecure_world: World) -> None:
    assert isinstance(insecure_world.db, SqliteDatabase)
    await record(insecure_world, 1001)
    for _ in range(11):
        await fan_out(insecure_world)
    insecure_world.clock.advance(31 * DAY)
    commits: list[None] = []
    insecure_world.db.on_commit(lambda _changed: commits.append(None))
    await retention_service.purge(insecure_world.deps, insecure_world.clock.now(), 30, 30)
    # 500, 500 and 1 events, and one look for each of seven kinds that finds no more.
    assert len(commits) == 10
    assert (await insecure_world.get("/events")).json()["data"]["events"] == []
