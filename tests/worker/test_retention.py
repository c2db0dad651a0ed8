"""Old events and deliveries are removed in batches, but never open ones."""

from __future__ import annotations

from lootkeep.domain.fraud.facts import DEVICE_MEMORY
from lootkeep.kernel.clock import DAY
from lootkeep.services import retention as retention_service
from lootkeep.storage.schema import payment_event_names, payment_events, sightings
from lootkeep.worker.deliveries import DeliveryWorker
from tests.api import providers
from tests.builders import new_customer, new_order, new_product
from tests.receiver import Receiver
from tests.recount import rows, sent
from tests.worker.delivering import fan_out, log, record, subscribe, work
from tests.worker.transactions import counted
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


async def test_retention_works_in_bounded_batches(insecure_world: World) -> None:
    await record(insecure_world, 1001)
    for _ in range(11):
        await fan_out(insecure_world)
    insecure_world.clock.advance(31 * DAY)
    deps, writes = counted(insecure_world.deps)
    await retention_service.purge(deps, insecure_world.clock.now(), 30, 30)
    # 500, 500 and 1 events, and one look for each of ten kinds that finds no more.
    assert writes.count == 13
    assert (await insecure_world.get("/events")).json()["data"]["events"] == []


async def test_settled_payment_events_are_removed_and_those_that_need_someone_stay(insecure_world: World) -> None:
    world = insecure_world
    await providers.an_order(world)
    other = providers.event("charge.succeeded", providers.charge(amount=1500, id="ch_2", payment_intent="pi_2"), 2)
    await providers.apply(world, providers.PAID, other, providers.event("customer.updated", {}, 3))
    world.clock.advance(31 * DAY)
    await retention_service.purge(world.deps, world.clock.now(), 30, 30)
    assert [row["provider_event_id"] for row in await rows(world.db, payment_events)] == ["evt_2"]
    assert {row["event_id"] for row in await rows(world.db, payment_event_names)} == {2}
    # One that comes once more after that changes nothing.
    source = await providers.new_source(world)
    await providers.send(world, source, providers.PAID)
    await providers.work(world)
    assert (await sent(world.db)).count("order.paid") == 1
    assert (await providers.results(world))[-1] == ("applied", "already_recorded")


async def test_a_sighting_is_removed_once_no_signal_counts_it_but_a_mailbox_stays(insecure_world: World) -> None:
    world = insecure_world
    product, customer = (await new_product(world))["id"], (await new_customer(world))["customer"]["id"]
    await new_order(world, customer, (product, 1), device_id="old")
    world.clock.advance(DEVICE_MEMORY)
    await retention_service.purge(world.deps, world.clock.now(), 30, 30)
    assert "old" in [row["value"] for row in await rows(world.db, sightings)]
    await new_order(world, customer, (product, 1), device_id="new")
    world.clock.advance(1)
    await retention_service.purge(world.deps, world.clock.now(), 30, 30)
    left = await rows(world.db, sightings)
    assert {row["value"] for row in left if row["kind"] == "device"} == {"new"}
    assert [row["customer_id"] for row in left if row["kind"] == "mailbox"] == [customer]
