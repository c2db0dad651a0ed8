"""Helpers for the tests of deliveries: record events, run or kill a worker, and read the log."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import msgspec
import pytest

from lootkeep.domain.deliveries import RETRY_SECONDS, AttemptResult, ClaimedDelivery, settle
from lootkeep.engines.wakeup import Wakeup
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.queue import MAX_COUNTED
from lootkeep.storage.webhooks import deliveries as deliveries_db, fan_out as fan_out_db
from lootkeep.storage.webhooks.deliveries import FIRST_ATTEMPT, ClaimSlot
from lootkeep.worker.deliveries import DeliveryWorker
from tests.receiver import Receiver
from tests.world import World

only_sqlite = pytest.mark.parametrize("db_location", ["sqlite"], indirect=True)
only_postgresql = pytest.mark.parametrize("db_location", ["postgresql"], indirect=True)


class SampleData(msgspec.Struct):
    number: int


async def subscribe(world: World, receiver: Receiver, *events: str) -> dict[str, Any]:
    answer = await world.post("/webhooks", {"url": receiver.url, "events": list(events) or ["order.paid"]})
    assert answer.status_code == 201, answer.text
    webhook: dict[str, Any] = answer.json()["data"]
    return webhook


async def work(worker: DeliveryWorker) -> None:
    """Runs the worker until nothing is left to do at this moment."""
    while await worker.run_once():
        await worker.drain()


async def record(world: World, count: int = 1, event_type: str = "product.created") -> None:
    async with world.db.write() as tx:
        for number in range(count):
            await outbox_db.append(tx, event_type, SampleData(number), world.clock.now())


async def fan_out(world: World) -> None:
    async with world.db.write() as tx:
        await fan_out_db.fan_out(tx, world.deps.ids.delivery_id, world.clock.now())


async def claim(world: World, tx: Transaction, lease: str) -> list[ClaimedDelivery]:
    now = world.clock.now()
    slots = [ClaimSlot(*due, 10) for due in (await deliveries_db.due(tx, now)).webhooks]
    claimed, _ = await deliveries_db.claim(tx, slots, lease, now)
    return [delivery for _, delivery in claimed]


async def claim_and_die(world: World) -> None:
    """Leaves the state of a worker that was killed right after it had claimed."""
    await fan_out(world)
    async with world.db.write() as tx:
        assert await claim(world, tx, "dead")


async def fail_all(world: World) -> None:
    """Records a failed first attempt of every new event, as if receivers had answered."""
    now, answer = world.clock.now(), AttemptResult(False, 500, 1, "answered 500", None)
    async with world.db.write() as tx:
        while await fan_out_db.fan_out(tx, world.deps.ids.delivery_id, now):
            pass
        slots = [
            ClaimSlot(webhook, [FIRST_ATTEMPT], MAX_COUNTED)
            for webhook, _ in (await deliveries_db.due(tx, now)).webhooks
        ]
        claimed, _ = await deliveries_db.claim(tx, slots, "worker", now)
        settled = [(item, answer, settle(answer, item.failures, now, RETRY_SECONDS, 1)) for _, item in claimed]
        await deliveries_db.settle(tx, "worker", settled, now)


async def log(world: World, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    deliveries: list[dict[str, Any]] = (await world.get(f"/webhooks/{webhook['id']}/deliveries?per_page=100")).json()[
        "data"
    ]
    return deliveries


async def attempts(world: World, delivery_id: str) -> list[tuple[int, str]]:
    detail = (await world.get(f"/webhooks/deliveries/{delivery_id}")).json()["data"]
    return [(attempt["number"], attempt["outcome"]) for attempt in detail["attempts"]]


async def waits_for_a_lock(url: str, task: asyncio.Task[Any], sessions: int = 1) -> None:
    """Returns when that number of sessions of the database wait for locks, or when the task has ended without that."""
    connection = await asyncpg.connect(url)
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    while not task.done() and await connection.fetchval(waiting) < sessions:
        await asyncio.sleep(0.02)
    await connection.close()


class running:  # noqa: N801  reads as what it does
    """Runs the worker inside the block."""

    def __init__(self, worker: DeliveryWorker, wakeup: Wakeup) -> None:
        self._worker = worker
        self._wakeup = wakeup
        self._stopping = asyncio.Event()

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._worker.run(self._stopping))

    async def __aexit__(self, *_: object) -> None:
        self._stopping.set()
        self._wakeup.wake()
        await self._task
