"""Mishaps a delivery can meet: races, outages, dead workers, changed minds. Nothing is lost, doubled or untrue."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace

from lootkeep.domain.addresses import is_public
from lootkeep.domain.deliveries import LEASE
from lootkeep.domain.webhooks import LOOPBACK
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.engines.wakeup.postgres import PostgresWakeup
from lootkeep.kernel.clock import DAY, HOUR, SECOND
from lootkeep.kernel.errors import Unavailable
from lootkeep.services import retention
from lootkeep.storage import delivery_log, outbox
from lootkeep.storage import webhooks as webhook_storage
from lootkeep.worker.dispatch import Dispatcher, step_replays
from tests.receiver import Receiver, hanging, holding
from tests.worker.delivering import (
    Something,
    attempts,
    claim_and_die,
    fan_out,
    log,
    only_postgresql,
    record,
    running,
)
from tests.worker.test_dispatch import subscribe, work
from tests.world import World

HOOK = {"url": "https://shop.example/hooks", "events": ["order.paid"]}


# 2
@only_postgresql
async def test_an_event_committed_while_the_worker_begins_to_listen_does_not_wait(
    insecure_world: World, address: str
) -> None:
    """What is committed between the last look and LISTEN is not told: after listening anew, look again at once."""
    wakeup = PostgresWakeup(address)
    await record(insecure_world)
    started = time.monotonic()
    await wakeup.wait(3)
    await wakeup.close()
    assert time.monotonic() - started < 2


# 3
@only_postgresql
async def test_what_was_sent_while_the_database_was_gone_is_settled_when_it_is_back(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher, postgres_admin_url: str, postgres_url: str
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await record(insecure_world, 3)
    await dispatcher.turn()
    await receiver.wait_for(3)
    async with outage(postgres_admin_url, postgres_url):
        gate.set()
        for _ in range(3):
            with pytest.raises(Unavailable):
                await dispatcher.drain()
    await dispatcher.drain()
    await work(dispatcher)
    found = [(delivery["status"], delivery["attempts_count"]) for delivery in await log(insecure_world, webhook)]
    assert (found, len(receiver.received)) == ([("delivered", 1)] * 3, 3)


@only_postgresql
async def test_a_running_worker_outlives_an_outage_of_the_database(
    insecure_world: World, receiver: Receiver, postgres_admin_url: str, postgres_url: str
) -> None:
    wakeup = PostgresWakeup(postgres_url)
    await wakeup.wait(0.01)
    await subscribe(insecure_world, receiver, "product.created")
    async with running(Dispatcher(insecure_world.deps, wakeup), wakeup):
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


# 4
async def test_a_bad_type_in_a_replay_is_told_under_its_own_name(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    body = {"since": "2026-11-15T00:00:00Z", "event_types": ["order.lost"]}
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)
    assert answer.json()["errors"] == {
        "event_types": ["The event types field holds an unknown event type at position 0."]
    }


# 6
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_nul_in_the_path_is_not_found(world: World, method: str) -> None:
    path = "/webhooks/deliveries/%00" + ("/redeliver" if method == "POST" else "")
    assert (await world.call(method, path)).status_code == 404


# 7
async def test_a_refused_connection_is_told_in_words() -> None:
    outbound = Outbound(LOOPBACK)
    result = await outbound.post("http://127.0.0.1:1/", b"{}", {})
    await outbound.close()
    assert result.reason == "connection refused"


async def test_an_address_that_is_not_public_is_told_in_words() -> None:
    outbound = Outbound()
    results = [await outbound.post(url, b"{}", {}) for url in ("http://127.0.0.1:1/", "http://localhost:1/")]
    await outbound.close()
    assert [result.reason for result in results] == ["the address is not public"] * 2


# 8
async def test_the_deadline_is_ten_seconds_and_not_the_next_whole_one(receiver: Receiver) -> None:
    """aiohttp rounds a timeout of more than 5 s up to a whole second of the loop's clock."""
    receiver.behaviour = hanging
    outbound = Outbound(LOOPBACK)
    results = []
    for offset in (0.0, 0.3):
        now = asyncio.get_running_loop().time()
        await asyncio.sleep((1.05 + offset - now % 1) % 1)
        results.append(outbound.post(receiver.url, b"{}", {}))
    took = [result.latency_ms for result in await asyncio.gather(*results)]
    await outbound.close()
    assert max(took) < 10_300, took


# 9
async def test_a_worker_that_is_late_for_its_own_lease_does_not_settle_the_next_attempt(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    """The lease is the worker's for its whole life: it does not tell one claim from the next."""
    webhook = await subscribe(insecure_world, receiver, "product.created")
    first, second = asyncio.Event(), asyncio.Event()
    receiver.behaviour = holding(first, 500)
    await record(insecure_world)
    await dispatcher.turn()
    await receiver.wait_for(1)
    insecure_world.clock.advance(LEASE)  # the machine slept, or its clock was set
    receiver.behaviour = holding(second, 200)
    await dispatcher.turn()
    await receiver.wait_for(2)
    first.set()
    while not await dispatcher.turn():
        await asyncio.sleep(0.01)
    (delivery,) = await log(insecure_world, webhook)
    held = delivery["next_attempt_at"], await attempts(insecure_world, delivery["id"])
    second.set()
    await dispatcher.drain()
    (delivery,) = await log(insecure_world, webhook)
    assert held == ("2026-11-15T12:01:00Z", [(1, "interrupted"), (2, "open")])
    assert delivery["status"] == "delivered"


async def test_a_redelivery_of_what_is_under_way_keeps_both_answers(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    first, second = asyncio.Event(), asyncio.Event()
    receiver.behaviour = holding(first, 500)
    await record(insecure_world)
    await dispatcher.turn()
    (request,) = await receiver.wait_for(1)
    await insecure_world.post(f"/webhooks/deliveries/{request.json['id']}/redeliver")
    receiver.behaviour = holding(second, 200)
    await dispatcher.turn()
    await receiver.wait_for(2)
    first.set()
    while not await dispatcher.turn():
        await asyncio.sleep(0.01)
    second.set()
    await dispatcher.drain()
    (delivery,) = await log(insecure_world, webhook)
    assert delivery["status"] == "delivered"


# 10
async def test_a_delivery_that_is_cancelled_unsent_has_no_attempt(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await fan_out(insecure_world)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"events": ["order.paid"]})
    await work(dispatcher)
    (delivery,) = await log(insecure_world, webhook)
    assert (delivery["status"], delivery["attempts_count"]) == ("cancelled", 0)
    assert await attempts(insecure_world, delivery["id"]) == []


# 11
@pytest.mark.parametrize("is_deleted", [True, False])
async def test_what_a_dead_worker_held_for_a_webhook_that_is_off_comes_to_an_end(
    insecure_world: World, receiver: Receiver, is_deleted: bool
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await claim_and_die(insecure_world)
    (delivery,) = await log(insecure_world, webhook)
    if is_deleted:
        await insecure_world.delete(f"/webhooks/{webhook['id']}")
    else:
        await insecure_world.put(f"/webhooks/{webhook['id']}", {"is_active": False})
    insecure_world.clock.advance(LEASE + HOUR)
    await retention.cancel_deliveries(insecure_world.deps)
    detail = (await insecure_world.get(f"/webhooks/deliveries/{delivery['id']}")).json()["data"]
    assert detail["delivery"]["status"] == "cancelled"
    assert [attempt["outcome"] for attempt in detail["attempts"]] == ["interrupted"]


async def test_what_a_dead_worker_held_of_a_type_that_was_dropped_comes_to_an_end(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await claim_and_die(insecure_world)
    (delivery,) = await log(insecure_world, webhook)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"events": ["order.paid"]})
    insecure_world.clock.advance(LEASE)
    await work(dispatcher)
    detail = (await insecure_world.get(f"/webhooks/deliveries/{delivery['id']}")).json()["data"]
    assert detail["delivery"]["status"] == "cancelled"
    assert [attempt["outcome"] for attempt in detail["attempts"]] == ["interrupted"]


# 12
@only_postgresql
async def test_retention_does_not_remove_what_is_being_sent_again(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await work(dispatcher)
    (delivery,) = await log(insecure_world, webhook)
    insecure_world.clock.advance(31 * DAY)
    async with insecure_world.db.write() as tx:
        found = await delivery_log.for_change(tx, delivery["id"])
        assert found
        await delivery_log.send_again(tx, found.id, insecure_world.clock.now())
        purging = asyncio.create_task(retention.purge_events(insecure_world.deps, 30))
        await asyncio.sleep(0.5)  # it has found the row by now and waits for it
    await purging
    await work(dispatcher)
    assert len(receiver.received) == 2


# 13
@only_postgresql
async def test_the_feed_shows_an_event_whose_deed_committed_late(insecure_world: World) -> None:
    """Ids are taken in one order and committed in another: a cursor passes what is not there yet."""
    now = insecure_world.clock.now()
    seen: list[int] = []
    async with insecure_world.db.write() as slow:
        await outbox.append(slow, "product.created", Something(1), now)
        async with insecure_world.db.write() as quick:
            await outbox.append(quick, "product.created", Something(2), now)
        data = (await insecure_world.get("/events")).json()["data"]
        seen += [event["data"]["number"] for event in data["events"]]
    data = (await insecure_world.get(f"/events?after={data['next_cursor']}")).json()["data"]
    seen += [event["data"]["number"] for event in data["events"]]
    assert sorted(seen) == [1, 2]


# 14
@pytest.mark.filterwarnings("ignore")
async def test_a_secret_that_cannot_be_opened_fails_the_attempt_in_words_and_frees_its_place(
    insecure_world: World, receiver: Receiver
) -> None:
    dispatcher = Dispatcher(insecure_world.deps, MemoryWakeup(), concurrency=1)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    async with insecure_world.db.write() as tx:
        stored = await webhook_storage.get(tx, webhook["id"])
        assert stored
        await webhook_storage.save(tx, replace(stored, secret="AAAA" * 20), insecure_world.clock.now())
    await record(insecure_world)
    await work(dispatcher)
    (delivery,) = await log(insecure_world, webhook)
    found = await attempts(insecure_world, delivery["id"])
    async with insecure_world.db.write() as tx:
        await webhook_storage.save(tx, stored, insecure_world.clock.now())
    insecure_world.clock.advance(HOUR)
    await work(dispatcher)
    assert found == [(1, "failed")]
    assert len(receiver.received) == 1


# 15
async def test_an_unknown_event_type_as_a_filter_is_refused(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    answer = await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries?event_type=order.lost")
    assert answer.status_code == 422


# 16
@pytest.mark.parametrize("address", ["100:0:0:1::1", "2620:4f:8000::1", "200::1", "::ffff:0:7f00:1", "4000::1"])
def test_the_rest_of_the_registry_and_what_is_not_allocated_is_not_public(address: str) -> None:
    assert not is_public(address)


# 17
async def test_a_replay_of_types_that_are_not_subscribed_is_refused_rather_than_done_without_sending(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "order.paid")
    await record(insecure_world, 2)
    body = {"since": "2026-11-15T00:00:00Z", "event_types": ["product.created"]}
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)
    await step_replays(insecure_world.deps)
    await work(dispatcher)
    assert answer.status_code == 422 or len(receiver.received) == 2


async def test_a_redelivery_of_a_type_that_is_not_subscribed_is_refused_rather_than_cancelled(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await work(dispatcher)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"events": ["order.paid"]})
    answer = await insecure_world.post(f"/webhooks/deliveries/{receiver.received[0].json['id']}/redeliver")
    await work(dispatcher)
    assert answer.status_code == 409 or len(receiver.received) == 2


# 18
class DeletingAfterTheLook:
    """The world's database, in which someone deletes the webhook right after the worker looked which are due."""

    def __init__(self, world: World, webhook_id: int) -> None:
        self._world, self._id = world, webhook_id
        self.name = world.db.name
        self._looked = False

    def read(self, *, slow: bool = False) -> Any:
        self._looked = True
        return self._world.db.read(slow=slow)

    def write(self, *, single: bool = False) -> Any:
        return self._after_deletion() if self._looked else self._world.db.write(single=single)

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
    await work(Dispatcher(deps, MemoryWakeup()))
    assert receiver.received == []


# 19
async def test_what_is_cancelled_as_unsubscribed_does_not_hold_up_what_is_subscribed(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    """A turn that only cancels says that there was nothing to do: the worker rests for 5 s after every ten of them."""
    webhook = await subscribe(insecure_world, receiver, "product.created", "order.paid")
    await record(insecure_world, 30)
    await fan_out(insecure_world)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"events": ["order.paid"]})
    insecure_world.clock.advance(SECOND)
    await record(insecure_world, 1, "order.paid")
    await work(dispatcher)
    assert [request.json["event_type"] for request in receiver.received] == ["order.paid"]


# 20
@only_postgresql
async def test_a_redelivery_on_postgresql_wakes_the_worker(
    insecure_world: World, receiver: Receiver, address: str
) -> None:
    wakeup = PostgresWakeup(address)
    await wakeup.wait(0.01)
    await subscribe(insecure_world, receiver, "product.created")
    async with running(Dispatcher(insecure_world.deps, wakeup), wakeup):
        await record(insecure_world)
        (request, *_) = await receiver.wait_for(1)
        path = f"/webhooks/deliveries/{request.json['id']}"
        while (await insecure_world.get(path)).json()["data"]["delivery"]["status"] != "delivered":
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.3)
        await insecure_world.post(f"{path}/redeliver")
        async with asyncio.timeout(2):
            await receiver.wait_for(2)
