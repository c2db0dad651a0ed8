"""Races for one delivery or event: nothing is lost, duplicated or recorded wrongly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from sqlalchemy import insert

from lootkeep.domain.deliveries import LEASE
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import DAY
from lootkeep.services import retention as retention_service
from lootkeep.storage.engine.query import Query
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.schema import events
from lootkeep.storage.webhooks import log as log_db
from lootkeep.worker.deliveries import DeliveryWorker
from tests.receiver import PATIENCE_SECONDS, Receiver, holding
from tests.worker.delivering import (
    SampleData,
    attempts,
    fan_out,
    log,
    only_postgresql,
    record,
    subscribe,
    waits_for_a_lock,
    work,
)
from tests.world import World


async def test_a_worker_whose_lease_expired_does_not_settle_the_next_attempt(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, wakeup: Wakeup
) -> None:
    """The lease is the worker's for its whole life: it does not distinguish one claim from the next."""
    webhook = await subscribe(insecure_world, receiver, "product.created")
    first, second = asyncio.Event(), asyncio.Event()
    receiver.behaviour = holding(first, 500)
    await record(insecure_world)
    await worker.run_once()
    await receiver.wait_for(1)
    insecure_world.clock.advance(LEASE)  # the machine slept, or its clock was set
    receiver.behaviour = holding(second, 200)
    await worker.run_once()
    await receiver.wait_for(2)
    first.set()
    while not await worker.run_once():
        await wakeup.wait(PATIENCE_SECONDS)
    (delivery,) = await log(insecure_world, webhook)
    before = delivery["next_attempt_at"], await attempts(insecure_world, delivery["id"])
    second.set()
    await worker.drain()
    (delivery,) = await log(insecure_world, webhook)
    assert before == ("2026-11-15T12:01:00Z", [(1, "interrupted"), (2, "open")])
    assert delivery["status"] == "delivered"


async def test_redelivering_a_delivery_in_flight_keeps_both_answers(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, wakeup: Wakeup
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    first, second = asyncio.Event(), asyncio.Event()
    receiver.behaviour = holding(first, 500)
    await record(insecure_world)
    await worker.run_once()
    (request,) = await receiver.wait_for(1)
    await insecure_world.post(f"/webhooks/deliveries/{request.json['id']}/redeliver")
    receiver.behaviour = holding(second, 200)
    await worker.run_once()
    await receiver.wait_for(2)
    first.set()
    while not await worker.run_once():
        await wakeup.wait(PATIENCE_SECONDS)
    second.set()
    await worker.drain()
    (delivery,) = await log(insecure_world, webhook)
    assert delivery["status"] == "delivered"


@only_postgresql
async def test_retention_does_not_remove_a_delivery_that_is_being_resent(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, db_location: str
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await work(worker)
    (delivery,) = await log(insecure_world, webhook)
    insecure_world.clock.advance(31 * DAY)
    async with insecure_world.db.write() as tx:
        locked = await log_db.ROWS.lock_one(tx, public_id=delivery["id"])
        assert locked
        await log_db.send_again(tx, locked.id, insecure_world.clock.now())
        purging = asyncio.create_task(retention_service.purge(insecure_world.deps, insecure_world.clock.now(), 30, 30))
        await waits_for_a_lock(db_location, purging)
    await purging
    await work(worker)
    assert len(receiver.received) == 2


@only_postgresql
async def test_the_feed_shows_an_event_whose_operation_committed_late(insecure_world: World) -> None:
    """Ids are taken in one order and committed in another: a cursor passes what is not there yet."""
    now = insecure_world.clock.now()
    seen: list[int] = []
    async with insecure_world.db.write() as slow:
        await outbox_db.append(slow, "product.created", SampleData(1), now)
        async with insecure_world.db.write() as quick:
            await outbox_db.append(quick, "product.created", SampleData(2), now)
        data = (await insecure_world.get("/events")).json()["data"]
        seen += [event["data"]["number"] for event in data["events"]]
    data = (await insecure_world.get(f"/events?after={data['next_cursor']}")).json()["data"]
    seen += [event["data"]["number"] for event in data["events"]]
    assert sorted(seen) == [1, 2]


async def test_an_event_that_cannot_be_fanned_out_does_not_hold_back_what_was_sent(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, wakeup: Wakeup
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await worker.run_once()
    await wakeup.wait(PATIENCE_SECONDS)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"filter": "amount > 0"})
    async with insecure_world.db.write() as tx:
        values = {"type": "product.created", "data": "no JSON", "created_at": insecure_world.clock.now()}
        await tx.run(Query(insert(events).values(**values)))
    with pytest.raises(msgspec.DecodeError):
        await worker.run_once()
    assert [delivery["status"] for delivery in await log(insecure_world, webhook)] == ["delivered"]


class DeletingAfterTheLook:
    """The world's database, in which someone deletes the webhook right after the worker looked which are due."""

    def __init__(self, world: World, webhook_id: int) -> None:
        self._world, self._id = world, webhook_id
        self.name = world.db.name
        self._looked = False

    def read(self, *, slow: bool = False) -> Any:
        self._looked = True
        return self._world.db.read(slow=slow)

    def write(self, *, single: bool = False, is_long: bool = False) -> Any:
        return self._after_deletion() if self._looked else self._world.db.write(single=single)

    def write_tokens(self) -> Any:
        return self._world.db.write_tokens()

    def _after_deletion(self) -> Any:
        from contextlib import asynccontextmanager

        @asynccontextmanager
        async def writing() -> AsyncIterator[Any]:
            await self._world.delete(f"/webhooks/{self._id}")
            async with self._world.db.write() as tx:
                yield tx

        return writing()


async def test_nothing_is_sent_to_a_webhook_that_was_deleted_before_the_claim(
    insecure_world: World, receiver: Receiver
) -> None:
    import dataclasses

    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await fan_out(insecure_world)
    deps = dataclasses.replace(insecure_world.deps, db=DeletingAfterTheLook(insecure_world, webhook["id"]))
    await work(DeliveryWorker(deps, Wakeup()))
    assert receiver.received == []
