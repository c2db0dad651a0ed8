"""Workers that die or are late: their deliveries are resent, and they overwrite nothing."""

from __future__ import annotations

import asyncio

import pytest

from lootkeep.domain.deliveries import LEASE, RETRY_SECONDS
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import SECOND
from lootkeep.worker.deliveries import DeliveryWorker
from tests.receiver import Receiver, holding
from tests.worker.delivering import attempts, claim_and_die, log, record, subscribe, work
from tests.world import World


async def test_an_attempt_is_recorded_before_the_request_is_sent(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await record(insecure_world)
    await worker.run_once()
    (request,) = await receiver.wait_for(1)
    assert await attempts(insecure_world, request.json["id"]) == [(1, "open")]
    assert (await log(insecure_world, webhook))[0]["status"] == "pending"
    gate.set()
    await worker.drain()
    assert await attempts(insecure_world, request.json["id"]) == [(1, "delivered")]


async def test_a_killed_workers_delivery_is_resent_only_after_its_lease_expires(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await claim_and_die(insecure_world)
    insecure_world.clock.advance(LEASE - 1)
    await work(worker)
    assert receiver.received == []
    insecure_world.clock.advance(1)
    await work(worker)
    assert len(receiver.received) == 1


async def test_an_expired_lease_closes_the_attempt_as_interrupted_and_the_next_has_the_next_number(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    for _ in range(2):
        await claim_and_die(insecure_world)
        insecure_world.clock.advance(LEASE)
    await work(worker)
    (request,) = receiver.received
    detail = (await insecure_world.get(f"/webhooks/deliveries/{request.json['id']}")).json()["data"]
    listed = [(attempt["number"], attempt["outcome"], attempt["reason"]) for attempt in detail["attempts"]]
    why = "the worker stopped before it could record the response"
    assert listed == [(1, "interrupted", why), (2, "interrupted", why), (3, "delivered", None)]
    assert (detail["delivery"]["status"], detail["delivery"]["attempts_count"]) == ("delivered", 3)


async def test_an_interruption_does_not_count_as_a_receiver_failure(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await claim_and_die(insecure_world)
    insecure_world.clock.advance(LEASE)
    receiver.answers = [500] * 6
    for delay in (0, *RETRY_SECONDS):
        insecure_world.clock.advance(delay * SECOND * 11 // 10)
        await work(worker)
    assert len(receiver.received) == 6
    assert (await log(insecure_world, webhook))[0]["status"] == "failed"


@pytest.mark.parametrize("late_status", [200, 500])
async def test_a_late_worker_cannot_overwrite_its_successors_result(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, late_status: int
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate, late_status)
    await record(insecure_world)
    await worker.run_once()
    await receiver.wait_for(1)
    insecure_world.clock.advance(LEASE)
    receiver.behaviour = None
    receiver.answers = [200 if late_status == 500 else 500]
    await work(DeliveryWorker(insecure_world.deps, Wakeup()))
    (before,) = await log(insecure_world, webhook)
    gate.set()
    await worker.drain()
    assert await log(insecure_world, webhook) == [before]
    successor = "delivered" if late_status == 500 else "failed"
    assert await attempts(insecure_world, before["id"]) == [(1, "interrupted"), (2, successor)]


async def test_a_late_worker_cannot_settle_a_delivery_its_successor_still_holds(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    late, present = asyncio.Event(), asyncio.Event()
    receiver.behaviour = holding(late, 500)
    await record(insecure_world)
    await worker.run_once()
    await receiver.wait_for(1)
    insecure_world.clock.advance(LEASE)
    receiver.behaviour = holding(present)
    successor = DeliveryWorker(insecure_world.deps, Wakeup())
    await successor.run_once()
    await receiver.wait_for(2)
    late.set()
    await worker.drain()
    (delivery,) = await log(insecure_world, webhook)
    assert (delivery["status"], await attempts(insecure_world, delivery["id"])) == (
        "pending",
        [(1, "interrupted"), (2, "open")],
    )
    present.set()
    await successor.drain()
    (delivery,) = await log(insecure_world, webhook)
    assert (delivery["status"], await attempts(insecure_world, delivery["id"])) == (
        "delivered",
        [(1, "interrupted"), (2, "delivered")],
    )
