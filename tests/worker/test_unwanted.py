"""Deliveries that must not be sent: events of failed operations, and those a webhook no longer wants."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY, HOUR
from lootkeep.services import retention as retention_service
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.worker.deliveries import DeliveryWorker, step_replays
from tests.receiver import Receiver
from tests.worker.delivering import SampleData, fan_out, record, subscribe, work
from tests.world import World


async def test_an_operation_that_is_rolled_back_sends_nothing(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await subscribe(insecure_world, receiver, "product.created")

    async def operation_that_fails() -> None:
        async with insecure_world.db.write() as tx:
            await outbox_db.append(tx, "product.created", SampleData(1), insecure_world.clock.now())
            raise ValueError("the operation fails after its event")

    with pytest.raises(ValueError, match="the operation fails"):
        await operation_that_fails()
    await work(worker)
    assert receiver.received == []
    assert (await insecure_world.get("/events")).json()["data"]["events"] == []


@pytest.mark.parametrize("is_fanned_out", [False, True])
@pytest.mark.parametrize("change", ["deleted", "deactivated", "unsubscribed"])
async def test_nothing_is_sent_to_a_webhook_that_was_disabled_unsubscribed_or_deleted(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, change: str, is_fanned_out: bool
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 3)
    if is_fanned_out:
        await fan_out(insecure_world)
    await end(insecure_world, webhook, change)
    await work(worker)
    await retention_service.cancel_deliveries(insecure_world.deps)
    insecure_world.clock.advance(DAY)
    await work(worker)
    assert receiver.received == []


@pytest.mark.parametrize("change", ["deleted", "deactivated", "unsubscribed"])
async def test_unwanted_deliveries_end_as_cancelled_with_a_reason(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, change: str
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500]
    await record(insecure_world)
    await work(worker)
    await end(insecure_world, webhook, change)
    insecure_world.clock.advance(HOUR)
    await work(worker)
    await retention_service.cancel_deliveries(insecure_world.deps)
    detail = (await insecure_world.get(f"/webhooks/deliveries/{receiver.received[0].json['id']}")).json()["data"]
    why = {"unsubscribed": "the webhook is no longer subscribed to this event type"}
    assert detail["delivery"]["status"] == "cancelled"
    assert detail["delivery"]["reason"] == why.get(change, "the webhook was deactivated or deleted")
    assert detail["delivery"]["finished_at"] == "2026-11-15T13:00:00Z"


@pytest.mark.parametrize("change", ["deleted", "deactivated", "unsubscribed"])
async def test_a_replay_in_progress_ends_and_leaves_delivered_deliveries_as_they_are(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, change: str
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 2)
    await work(worker)
    await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    await end(insecure_world, webhook, change)
    await step_replays(insecure_world.deps)
    await work(worker)
    await retention_service.cancel_deliveries(insecure_world.deps)
    for received in receiver.received:
        detail = (await insecure_world.get(f"/webhooks/deliveries/{received.json['id']}")).json()["data"]
        assert detail["delivery"]["status"] == "delivered"
    replay = (await insecure_world.get(f"/webhooks/{webhook['id']}/replay")).json()["data"]
    assert (len(receiver.received), replay["done"], replay["finished_at"]) == (2, 0, "2026-11-15T12:00:00Z")


async def test_a_webhook_gets_no_events_from_before_its_creation_or_while_it_was_off(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await record(insecure_world)
    await work(worker)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"is_active": False})
    await record(insecure_world)
    await work(worker)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"is_active": True})
    await record(insecure_world)
    await work(worker)
    events = (await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries")).json()["data"]
    assert ([delivery["event_id"] for delivery in events], len(receiver.received)) == ([3], 1)


async def end(world: World, webhook: dict[str, Any], change: str) -> None:
    path = f"/webhooks/{webhook['id']}"
    if change == "deleted":
        assert (await world.delete(path)).status_code == 200
    else:
        body: dict[str, Any] = {"is_active": False} if change == "deactivated" else {"events": ["order.paid"]}
        assert (await world.put(path, body)).status_code == 200
