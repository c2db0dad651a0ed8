"""Workers that die, are late, share and are cut off: nothing is lost, nothing overwritten, nobody starved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from prometheus_client import CollectorRegistry

from lootkeep.domain.deliveries import LEASE, RETRY_SECONDS, Claimed
from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.engines.wakeup.postgres import PostgresWakeup
from lootkeep.kernel.clock import DAY, HOUR, SECOND
from lootkeep.services import retention
from lootkeep.storage import deliveries as storage
from lootkeep.storage import fan_out as fan_out_storage
from lootkeep.storage import outbox
from lootkeep.storage.database import Transaction
from lootkeep.storage.postgres import PostgresDatabase
from lootkeep.storage.sqlite import SqliteDatabase
from lootkeep.worker.dispatch import Dispatcher
from lootkeep.worker.metrics import DeliveryMetrics
from tests.receiver import Receiver, holding
from tests.worker.test_dispatch import subscribe, work
from tests.world import World

only_sqlite = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
only_postgresql = pytest.mark.parametrize("address", ["postgresql"], indirect=True)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as receiver:
        yield receiver


@pytest.fixture
async def other_receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as receiver:
        yield receiver


@pytest.fixture
def dispatcher(insecure_world: World) -> Dispatcher:
    return Dispatcher(insecure_world.deps, MemoryWakeup())


class Something(msgspec.Struct):
    number: int


async def record(world: World, count: int = 1, event_type: str = "product.created") -> None:
    async with world.db.write() as tx:
        for number in range(count):
            await outbox.append(tx, event_type, Something(number), world.clock.now())


async def fan_out(world: World) -> None:
    async with world.db.write() as tx:
        await fan_out_storage.fan_out(tx, world.deps.ids.delivery_id, world.clock.now())


async def claim(world: World, tx: Transaction, lease: str) -> list[Claimed]:
    now = world.clock.now()
    turns = await storage.hold(tx, [(due, 10) for due in await storage.webhooks_due(tx, now)])
    claimed, _ = await storage.claim(tx, turns, lease, now)
    return claimed


async def claim_and_die(world: World) -> None:
    """What is left of a worker that was killed right after it had claimed."""
    await fan_out(world)
    async with world.db.write() as tx:
        assert await claim(world, tx, "dead")


async def log(world: World, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await world.get(f"/webhooks/{webhook['id']}/deliveries?per_page=100")).json()["data"]
    return found


async def attempts(world: World, delivery_id: str) -> list[tuple[int, str]]:
    detail = (await world.get(f"/webhooks/deliveries/{delivery_id}")).json()["data"]
    return [(attempt["number"], attempt["outcome"]) for attempt in detail["attempts"]]


# Leases


async def test_the_attempt_is_written_down_before_the_request_goes_out(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await record(insecure_world)
    await dispatcher.turn()
    (request,) = await receiver.wait_for(1)
    assert await attempts(insecure_world, request.json["id"]) == [(1, "open")]
    assert (await log(insecure_world, webhook))[0]["status"] == "pending"
    gate.set()
    await dispatcher.drain()
    assert await attempts(insecure_world, request.json["id"]) == [(1, "delivered")]


async def test_what_a_killed_worker_held_is_sent_again_only_when_its_lease_is_over(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await claim_and_die(insecure_world)
    insecure_world.clock.advance(LEASE - 1)
    await work(dispatcher)
    assert receiver.received == []
    insecure_world.clock.advance(1)
    await work(dispatcher)
    assert len(receiver.received) == 1


async def test_an_expired_lease_closes_the_attempt_as_interrupted_and_the_next_has_the_next_number(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    for _ in range(2):
        await claim_and_die(insecure_world)
        insecure_world.clock.advance(LEASE)
    await work(dispatcher)
    (request,) = receiver.received
    detail = (await insecure_world.get(f"/webhooks/deliveries/{request.json['id']}")).json()["data"]
    found = [(attempt["number"], attempt["outcome"], attempt["reason"]) for attempt in detail["attempts"]]
    why = "the worker stopped before it could record the answer"
    assert found == [(1, "interrupted", why), (2, "interrupted", why), (3, "delivered", None)]
    assert (detail["delivery"]["status"], detail["delivery"]["attempts_count"]) == ("delivered", 3)


async def test_an_interruption_is_not_a_failure_of_the_receiver(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await claim_and_die(insecure_world)
    insecure_world.clock.advance(LEASE)
    receiver.answers = [500] * 6
    for delay in (0, *RETRY_SECONDS):
        insecure_world.clock.advance(delay * SECOND * 11 // 10)
        await work(dispatcher)
    assert len(receiver.received) == 6
    assert (await log(insecure_world, webhook))[0]["status"] == "failed"


@pytest.mark.parametrize("late_status", [200, 500])
async def test_a_late_worker_cannot_overwrite_what_its_successor_found(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher, late_status: int
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate, late_status)
    await record(insecure_world)
    await dispatcher.turn()
    await receiver.wait_for(1)
    insecure_world.clock.advance(LEASE)
    receiver.behaviour = None
    receiver.answers = [200 if late_status == 500 else 500]
    await work(Dispatcher(insecure_world.deps, MemoryWakeup()))
    (before,) = await log(insecure_world, webhook)
    gate.set()
    await dispatcher.drain()
    assert await log(insecure_world, webhook) == [before]
    successor = "delivered" if late_status == 500 else "failed"
    assert await attempts(insecure_world, before["id"]) == [(1, "interrupted"), (2, successor)]


async def test_a_late_worker_cannot_settle_what_its_successor_still_holds(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    late, present = asyncio.Event(), asyncio.Event()
    receiver.behaviour = holding(late, 500)
    await record(insecure_world)
    await dispatcher.turn()
    await receiver.wait_for(1)
    insecure_world.clock.advance(LEASE)
    receiver.behaviour = holding(present)
    successor = Dispatcher(insecure_world.deps, MemoryWakeup())
    await successor.turn()
    await receiver.wait_for(2)
    late.set()
    await dispatcher.drain()
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


# Sharing


async def test_several_workers_share_the_work_without_sending_anything_twice(
    insecure_world: World, receiver: Receiver
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 90)
    workers = [Dispatcher(insecure_world.deps, MemoryWakeup()) for _ in range(4)]
    await asyncio.gather(*(work(worker) for worker in workers))
    # One may have stopped looking while another still fanned out.
    await work(workers[0])
    assert len(receiver.received) == 90
    assert len({request.json["id"] for request in receiver.received}) == 90
    assert {delivery["attempts_count"] for delivery in await log(insecure_world, webhook)} == {1}


@only_postgresql
async def test_workers_in_processes_of_their_own_do_not_wait_for_each_other(
    insecure_world: World, receiver: Receiver, postgres_url: str
) -> None:
    """What one transaction is claiming is passed over by another, not waited for."""
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 15)
    await fan_out(insecure_world)
    elsewhere = await PostgresDatabase.open(postgres_url, 1)
    async with insecure_world.db.write() as one, elsewhere.write() as other, asyncio.timeout(5):
        first = await claim(insecure_world, one, "first")
        second = await claim(insecure_world, other, "second")
    await elsewhere.close()
    assert (len(first), len(second)) == (10, 5)
    assert not {claimed.id for claimed in first} & {claimed.id for claimed in second}


# Fairness


async def test_one_hanging_webhook_with_a_backlog_does_not_delay_another(
    insecure_world: World, receiver: Receiver, other_receiver: Receiver, dispatcher: Dispatcher
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 40)
    await fan_out(insecure_world)
    await subscribe(insecure_world, other_receiver, "order.paid")
    await record(insecure_world, 25, "order.paid")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await receiver_gets(dispatcher, other_receiver, 25)
    assert len(receiver.received) == 10
    gate.set()
    receiver.behaviour = None
    await dispatcher.drain()
    await work(dispatcher)
    assert (len(receiver.received), len(other_receiver.received)) == (40, 25)


async def receiver_gets(dispatcher: Dispatcher, receiver: Receiver, count: int) -> None:
    """Turns, without waiting for what hangs, until so many have arrived."""
    async with asyncio.timeout(10):
        while len(receiver.received) < count:
            if not await dispatcher.turn():
                await asyncio.sleep(0)


@pytest.mark.parametrize("cap", [1, 3])
async def test_a_webhook_never_has_more_requests_under_way_than_its_cap(
    insecure_world: World, receiver: Receiver, cap: int
) -> None:
    dispatcher = Dispatcher(insecure_world.deps, MemoryWakeup(), concurrency=cap)
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
    await work(dispatcher)
    assert (len(receiver.received), most <= cap) == (9, True)


async def test_retries_wait_behind_first_attempts(insecure_world: World, receiver: Receiver) -> None:
    dispatcher = Dispatcher(insecure_world.deps, MemoryWakeup(), concurrency=1)
    await subscribe(insecure_world, receiver, "product.created", "order.paid")
    receiver.answers = [500, 500, 500]
    await record(insecure_world, 3)
    await work(dispatcher)
    insecure_world.clock.advance(HOUR)
    await record(insecure_world, 3, "order.paid")
    await work(dispatcher)
    types = [request.json["event_type"] for request in receiver.received[3:]]
    assert types == ["order.paid"] * 3 + ["product.created"] * 3


@only_sqlite
async def test_what_has_finished_meanwhile_is_settled_in_one_transaction(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    assert isinstance(insecure_world.db, SqliteDatabase)
    commits: list[None] = []
    await subscribe(insecure_world, receiver, "product.created")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await record(insecure_world, 10)
    await dispatcher.turn()
    await receiver.wait_for(10)
    insecure_world.db.on_commit(lambda: commits.append(None))
    gate.set()
    await dispatcher.drain()
    assert len(commits) == 1


@only_sqlite
async def test_a_running_worker_turns_once_for_all_that_is_under_way(insecure_world: World, receiver: Receiver) -> None:
    assert isinstance(insecure_world.db, SqliteDatabase)
    commits: list[None] = []
    wakeup = MemoryWakeup()
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 100)
    insecure_world.db.on_commit(lambda: commits.append(None))
    async with running(Dispatcher(insecure_world.deps, wakeup), wakeup):
        await receiver.wait_for(100)
    # Ten at a time are claimed and settled; a machine under load may be late for a few of them.
    assert len(commits) < 50


async def test_a_running_worker_does_not_wait_for_whoever_hangs(
    insecure_world: World, receiver: Receiver, other_receiver: Receiver
) -> None:
    wakeup = MemoryWakeup()
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await subscribe(insecure_world, receiver, "product.created")
    await subscribe(insecure_world, other_receiver, "product.created")
    await record(insecure_world, 100)
    async with running(Dispatcher(insecure_world.deps, wakeup), wakeup):
        async with asyncio.timeout(5):
            await other_receiver.wait_for(100)
        assert len(receiver.received) == 10
        gate.set()
        receiver.behaviour = None
        await receiver.wait_for(100)


# What must not be sent


async def test_a_deed_that_is_rolled_back_sends_nothing(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    await subscribe(insecure_world, receiver, "product.created")

    async def deed_that_fails() -> None:
        async with insecure_world.db.write() as tx:
            await outbox.append(tx, "product.created", Something(1), insecure_world.clock.now())
            raise ValueError("the deed fails after its event")

    with pytest.raises(ValueError, match="the deed fails"):
        await deed_that_fails()
    await work(dispatcher)
    assert receiver.received == []
    assert (await insecure_world.get("/events")).json()["data"]["events"] == []


@pytest.mark.parametrize("is_fanned_out", [False, True])
@pytest.mark.parametrize("change", ["deleted", "deactivated", "unsubscribed"])
async def test_nothing_is_sent_after_a_webhook_was(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher, change: str, is_fanned_out: bool
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 3)
    if is_fanned_out:
        await fan_out(insecure_world)
    await end(insecure_world, webhook, change)
    await work(dispatcher)
    await retention.cancel_deliveries(insecure_world.deps)
    insecure_world.clock.advance(DAY)
    await work(dispatcher)
    assert receiver.received == []


@pytest.mark.parametrize("change", ["deleted", "deactivated", "unsubscribed"])
async def test_deliveries_that_nobody_waits_for_end_as_cancelled_with_the_reason(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher, change: str
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500]
    await record(insecure_world)
    await work(dispatcher)
    await end(insecure_world, webhook, change)
    insecure_world.clock.advance(HOUR)
    await work(dispatcher)
    await retention.cancel_deliveries(insecure_world.deps)
    detail = (await insecure_world.get(f"/webhooks/deliveries/{receiver.received[0].json['id']}")).json()["data"]
    why = {"unsubscribed": "the webhook is not subscribed to this event type any more"}
    assert detail["delivery"]["status"] == "cancelled"
    assert detail["delivery"]["reason"] == why.get(change, "the webhook was switched off or deleted")
    assert detail["delivery"]["finished_at"] == "2026-11-15T13:00:00Z"


async def test_a_webhook_gets_no_event_from_before_it_was_made_or_while_it_was_off(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    await record(insecure_world)
    await work(dispatcher)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"is_active": False})
    await record(insecure_world)
    await work(dispatcher)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"is_active": True})
    await record(insecure_world)
    await work(dispatcher)
    events = (await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries")).json()["data"]
    assert ([delivery["event_id"] for delivery in events], len(receiver.received)) == ([3], 1)


async def end(world: World, webhook: dict[str, Any], change: str) -> None:
    path = f"/webhooks/{webhook['id']}"
    if change == "deleted":
        assert (await world.delete(path)).status_code == 200
    else:
        body: dict[str, Any] = {"is_active": False} if change == "deactivated" else {"events": ["order.paid"]}
        assert (await world.put(path, body)).status_code == 200


# Retention


async def test_old_events_and_deliveries_go_but_never_an_open_delivery(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 2)
    await work(dispatcher)
    await record(insecure_world)
    receiver.answers = [500]
    await work(dispatcher)
    await record(insecure_world, 1, "order.paid")
    await work(dispatcher)
    insecure_world.clock.advance(31 * DAY)
    await record(insecure_world)
    await fan_out(insecure_world)
    await retention.purge_events(insecure_world.deps, 30)
    kept = [event["id"] for event in (await insecure_world.get("/events")).json()["data"]["events"]]
    assert kept == [3, 5]
    assert [delivery["event_id"] for delivery in await log(insecure_world, webhook)] == [5, 3]
    receiver.received.clear()
    await work(dispatcher)
    assert len(receiver.received) == 2


async def test_what_is_exactly_as_old_as_is_kept_stays(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await work(dispatcher)
    insecure_world.clock.advance(30 * DAY)
    await retention.purge_events(insecure_world.deps, 30)
    assert len(await log(insecure_world, webhook)) == 1
    insecure_world.clock.advance(1)
    await retention.purge_events(insecure_world.deps, 30)
    assert await log(insecure_world, webhook) == []


@only_sqlite
async def test_retention_works_in_bounded_batches(insecure_world: World) -> None:
    assert isinstance(insecure_world.db, SqliteDatabase)
    await record(insecure_world, 1001)
    for _ in range(11):
        await fan_out(insecure_world)
    insecure_world.clock.advance(31 * DAY)
    commits: list[None] = []
    insecure_world.db.on_commit(lambda: commits.append(None))
    await retention.purge_events(insecure_world.deps, 30)
    # One look for deliveries, then 500, 500 and 1 events, and one look that finds no more.
    assert len(commits) == 5
    assert (await insecure_world.get("/events")).json()["data"]["events"] == []


# Waking and stopping


async def test_a_first_attempt_does_not_wait_for_the_next_look(
    insecure_world: World, receiver: Receiver, address: Path | str
) -> None:
    wakeup = wakeup_of(insecure_world, address)
    # It listens from its first wait on.
    await wakeup.wait(0.01)
    await subscribe(insecure_world, receiver, "product.created")
    async with running(Dispatcher(insecure_world.deps, wakeup), wakeup):
        await record(insecure_world)
        await receiver.wait_for(1)
        # A worker that nobody wakes sleeps for five seconds.
        for count in (2, 3, 4):
            async with asyncio.timeout(3):
                await record(insecure_world)
                await receiver.wait_for(count)


class Resting(MemoryWakeup):
    """A wake-up that counts how often the worker lay down to rest."""

    def __init__(self) -> None:
        super().__init__()
        self.rests = 0

    async def wait(self, seconds: float) -> None:
        self.rests += 1
        await super().wait(seconds)


@only_sqlite
async def test_an_idle_worker_does_not_wake_itself(insecure_world: World) -> None:
    assert isinstance(insecure_world.db, SqliteDatabase)
    wakeup = Resting()
    insecure_world.db.on_commit(wakeup.wake)
    async with running(Dispatcher(insecure_world.deps, wakeup), wakeup):
        await asyncio.sleep(0.5)
        assert wakeup.rests == 1


async def test_a_worker_whose_webhooks_are_all_full_rests_until_one_has_room(
    insecure_world: World, receiver: Receiver
) -> None:
    wakeup = Resting()
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 12)
    async with running(Dispatcher(insecure_world.deps, wakeup), wakeup):
        await receiver.wait_for(10)
        before = wakeup.rests
        await asyncio.sleep(0.5)
        assert wakeup.rests - before <= 1
        gate.set()
        receiver.behaviour = None
        async with asyncio.timeout(3):
            await receiver.wait_for(12)


async def test_a_worker_that_is_stopped_ends_what_is_under_way(insecure_world: World, receiver: Receiver) -> None:
    wakeup = MemoryWakeup()
    webhook = await subscribe(insecure_world, receiver, "product.created")
    gate, stopping = asyncio.Event(), asyncio.Event()
    receiver.behaviour = holding(gate)
    await record(insecure_world)
    running = asyncio.create_task(Dispatcher(insecure_world.deps, wakeup).run(stopping))
    await receiver.wait_for(1)
    stopping.set()
    wakeup.wake()
    gate.set()
    async with asyncio.timeout(5):
        await running
    assert (await log(insecure_world, webhook))[0]["status"] == "delivered"


async def test_attempts_are_counted_by_outcome(insecure_world: World, receiver: Receiver) -> None:
    registry = CollectorRegistry()
    dispatcher = Dispatcher(insecure_world.deps, MemoryWakeup(), metrics=DeliveryMetrics(registry))
    await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500, 200, 404]
    await record(insecure_world, 3)
    await work(dispatcher)
    counted = [
        registry.get_sample_value("lootkeep_webhook_attempts_total", {"outcome": outcome})
        for outcome in ("delivered", "failed")
    ]
    assert (counted, registry.get_sample_value("lootkeep_webhook_seconds_count")) == ([1, 2], 3)


def wakeup_of(world: World, address: Path | str) -> MemoryWakeup:
    """As wiring chooses it."""
    if isinstance(address, str):
        return PostgresWakeup(address)
    assert isinstance(world.db, SqliteDatabase)
    wakeup = MemoryWakeup()
    world.db.on_commit(wakeup.wake)
    return wakeup


class running:  # noqa: N801  reads as what it does
    """The dispatcher at work inside the block."""

    def __init__(self, dispatcher: Dispatcher, wakeup: MemoryWakeup) -> None:
        self._dispatcher = dispatcher
        self._wakeup = wakeup
        self._stopping = asyncio.Event()

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._dispatcher.run(self._stopping))

    async def __aexit__(self, *_: object) -> None:
        self._stopping.set()
        self._wakeup.wake()
        await self._task
        await self._wakeup.close()
