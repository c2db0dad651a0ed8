"""Workers that share the work and webhooks that share a worker: nothing is sent twice or starved."""

from __future__ import annotations

import asyncio

import pytest

from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import HOUR
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.worker.deliveries import DeliveryWorker
from tests.receiver import PATIENCE_SECONDS, Receiver, holding
from tests.worker.delivering import claim, fan_out, log, only_postgresql, record, running, subscribe, work
from tests.worker.transactions import counted
from tests.world import World

# Sharing


async def test_several_workers_share_the_work_without_sending_anything_twice(
    insecure_world: World, receiver: Receiver
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 90)
    workers = [DeliveryWorker(insecure_world.deps, Wakeup()) for _ in range(4)]
    await asyncio.gather(*(work(worker) for worker in workers))
    # One may have stopped looking while another still fanned out.
    await work(workers[0])
    assert len(receiver.received) == 90
    assert len({request.json["id"] for request in receiver.received}) == 90
    assert {delivery["attempts_count"] for delivery in await log(insecure_world, webhook)} == {1}


@only_postgresql
async def test_workers_in_separate_processes_do_not_wait_for_each_other(
    insecure_world: World, receiver: Receiver, postgres_url: str
) -> None:
    """What one transaction is claiming is passed over by another, not waited for."""
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 15)
    await fan_out(insecure_world)
    elsewhere = await PostgresDatabase.open(postgres_url, 1)
    async with insecure_world.db.write() as own_tx, elsewhere.write() as foreign_tx, asyncio.timeout(PATIENCE_SECONDS):
        first = await claim(insecure_world, own_tx, "first")
        second = await claim(insecure_world, foreign_tx, "second")
    await elsewhere.close()
    assert (len(first), len(second)) == (10, 5)
    assert not {claimed.id for claimed in first} & {claimed.id for claimed in second}


# Fairness


async def test_one_hanging_webhook_with_a_backlog_does_not_delay_another(
    insecure_world: World, receiver: Receiver, other_receiver: Receiver, worker: DeliveryWorker
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 40)
    await fan_out(insecure_world)
    await subscribe(insecure_world, other_receiver, "order.paid")
    await record(insecure_world, 25, "order.paid")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await receiver_gets(worker, other_receiver, 25)
    assert len(receiver.received) == 10
    gate.set()
    receiver.behaviour = None
    await worker.drain()
    await work(worker)
    assert (len(receiver.received), len(other_receiver.received)) == (40, 25)


async def receiver_gets(worker: DeliveryWorker, receiver: Receiver, count: int) -> None:
    """Runs, without waiting for hanging requests, until this many have arrived."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(receiver.received) < count:
            if not await worker.run_once():
                await asyncio.sleep(0)


@pytest.mark.parametrize("cap", [1, 3])
async def test_a_webhook_never_has_more_requests_in_flight_than_its_cap(
    insecure_world: World, receiver: Receiver, cap: int
) -> None:
    worker = DeliveryWorker(insecure_world.deps, Wakeup(), concurrency=cap)
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 9)
    under_way = most = 0

    async def count(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    receiver.behaviour = count
    await work(worker)
    assert (len(receiver.received), most <= cap) == (9, True)


async def test_retries_wait_behind_first_attempts(insecure_world: World, receiver: Receiver) -> None:
    worker = DeliveryWorker(insecure_world.deps, Wakeup(), concurrency=1)
    await subscribe(insecure_world, receiver, "product.created", "order.paid")
    receiver.answers = [500, 500, 500]
    await record(insecure_world, 3)
    await work(worker)
    insecure_world.clock.advance(HOUR)
    await record(insecure_world, 3, "order.paid")
    await work(worker)
    types = [request.json["event_type"] for request in receiver.received[3:]]
    assert types == ["order.paid"] * 3 + ["product.created"] * 3


async def test_finished_deliveries_are_settled_in_one_transaction(insecure_world: World, receiver: Receiver) -> None:
    deps, writes = counted(insecure_world.deps)
    worker = DeliveryWorker(deps, Wakeup())
    await subscribe(insecure_world, receiver, "product.created")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await record(insecure_world, 10)
    await worker.run_once()
    await receiver.wait_for(10)
    before = writes.count
    gate.set()
    await worker.drain()
    assert writes.count - before == 1


async def test_a_running_worker_runs_once_for_all_deliveries_in_flight(
    insecure_world: World, receiver: Receiver
) -> None:
    deps, writes = counted(insecure_world.deps)
    wakeup = Wakeup()
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 100)
    async with running(DeliveryWorker(deps, wakeup), wakeup):
        await receiver.wait_for(100)
    # Ten at a time are claimed and settled; a machine under load may be late for a few of them.
    assert writes.count < 50


async def test_a_running_worker_does_not_wait_for_a_hanging_receiver(
    insecure_world: World, receiver: Receiver, other_receiver: Receiver
) -> None:
    wakeup = Wakeup()
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await subscribe(insecure_world, receiver, "product.created")
    await subscribe(insecure_world, other_receiver, "product.created")
    await record(insecure_world, 100)
    async with running(DeliveryWorker(insecure_world.deps, wakeup), wakeup):
        await other_receiver.wait_for(100)
        assert len(receiver.received) == 10
        gate.set()
        receiver.behaviour = None
        await receiver.wait_for(100)


async def test_a_worker_is_behind_only_while_more_waits_than_it_sends_at_a_time(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 25)
    behind = []
    while await worker.run_once():
        behind.append(await worker.has_more())
        await worker.drain()
    assert (behind, len(receiver.received)) == ([True, True, False], 25)
