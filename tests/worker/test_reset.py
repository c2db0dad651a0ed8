"""A sandbox reset during a delivery: the delivery in flight is forgotten, and later ones arrive."""

from __future__ import annotations

import asyncio

from lootkeep.services import sandbox as sandbox_service
from lootkeep.worker.deliveries import DeliveryWorker
from tests.receiver import Receiver, holding
from tests.worker.delivering import log, record, subscribe, work
from tests.world import World


async def test_a_delivery_in_flight_does_not_block_a_reset(
    insecure_world: World, worker: DeliveryWorker, receiver: Receiver
) -> None:
    answered = asyncio.Event()
    receiver.behaviour = holding(answered)
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await worker.run_once()
    await worker.run_once()
    await receiver.wait_for(1)
    await sandbox_service.reset(insecure_world.deps)
    answered.set()
    await worker.drain()
    receiver.behaviour = None
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await work(worker)
    assert [delivery["status"] for delivery in await log(insecure_world, webhook)] == ["delivered"]
