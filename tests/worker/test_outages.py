"""Database outages and wake-ups of the worker: nothing is lost and nothing waits."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.errors import Unavailable
from lootkeep.worker.deliveries import DeliveryWorker
from tests.receiver import PATIENCE_SECONDS, Receiver, holding
from tests.worker.delivering import log, only_postgresql, record, running, subscribe, work
from tests.worker.resting import FOR_GOOD, OnlyWoken
from tests.world import World


@only_postgresql
async def test_an_event_committed_while_the_worker_begins_to_listen_does_not_wait(insecure_world: World) -> None:
    """What is committed between the last look and LISTEN is not announced: after listening again, look at once."""
    await record(insecure_world)
    wakeup = Wakeup()
    insecure_world.db.on_change(wakeup.wake)
    async with insecure_world.db.listening(), asyncio.timeout(PATIENCE_SECONDS):
        await wakeup.wait(FOR_GOOD)


@only_postgresql
async def test_deliveries_sent_during_a_database_outage_are_settled_when_it_is_over(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, postgres_admin_url: str, postgres_url: str
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await record(insecure_world, 3)
    await worker.run_once()
    await receiver.wait_for(3)
    async with outage(postgres_admin_url, postgres_url):
        gate.set()
        for _ in range(3):
            with pytest.raises(Unavailable):
                await worker.drain()
    await worker.drain()
    await work(worker)
    states = [(delivery["status"], delivery["attempts_count"]) for delivery in await log(insecure_world, webhook)]
    assert (states, len(receiver.received)) == ([("delivered", 1)] * 3, 3)


@only_postgresql
async def test_a_running_worker_survives_a_database_outage(
    insecure_world: World, receiver: Receiver, postgres_admin_url: str, postgres_url: str
) -> None:
    wakeup = Wakeup()
    insecure_world.db.on_change(wakeup.wake)
    await subscribe(insecure_world, receiver, "product.created")
    async with insecure_world.db.listening(), running(DeliveryWorker(insecure_world.deps, wakeup), wakeup):
        await record(insecure_world)
        await receiver.wait_for(1)
        async with outage(postgres_admin_url, postgres_url):
            wakeup.wake()
            with pytest.raises(Unavailable):
                await record(insecure_world)
        await record(insecure_world)
        await receiver.wait_for(2)


class outage:  # noqa: N801  reads as what it does
    """PostgreSQL without this database inside the block: connections are cut and new ones refused."""

    def __init__(self, admin_url: str, url: str) -> None:
        self._admin_url = admin_url
        self._name = url.rsplit("/", 1)[1]

    async def __aenter__(self) -> None:
        await self._admin(f'ALTER DATABASE "{self._name}" ALLOW_CONNECTIONS false')
        await self._admin(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self._name}'")

    async def __aexit__(self, *_: object) -> None:
        await self._admin(f'ALTER DATABASE "{self._name}" ALLOW_CONNECTIONS true')

    async def _admin(self, statement: str) -> None:
        admin = await asyncpg.connect(self._admin_url)
        await admin.execute(statement)
        await admin.close()


async def test_a_redelivery_wakes_the_worker(insecure_world: World, receiver: Receiver) -> None:
    wakeup = Wakeup()
    insecure_world.db.on_change(wakeup.wake)
    await subscribe(insecure_world, receiver, "product.created")
    resting = OnlyWoken(wakeup)
    async with running(DeliveryWorker(insecure_world.deps, resting), wakeup):
        await record(insecure_world)
        (request, *_) = await receiver.wait_for(1)
        path = f"/webhooks/deliveries/{request.json['id']}"
        status = ""
        while status != "delivered" or not resting.is_resting:
            resting.began.clear()
            status = (await insecure_world.get(path)).json()["data"]["delivery"]["status"]
            if status != "delivered" or not resting.is_resting:
                await resting.began.wait()
        await insecure_world.post(f"{path}/redeliver")
        await receiver.wait_for(2)
