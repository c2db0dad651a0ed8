"""Webhooks that were changed, disabled or deleted: their open deliveries end, and new ones are rejected."""

from __future__ import annotations

import pytest

from lootkeep.domain.deliveries import LEASE
from lootkeep.kernel.clock import HOUR, SECOND
from lootkeep.services import retention as retention_service
from lootkeep.worker.deliveries import DeliveryWorker
from tests.receiver import Receiver
from tests.worker.delivering import attempts, claim_and_die, fan_out, log, record, subscribe, work
from tests.world import World


async def test_a_delivery_cancelled_before_it_was_sent_has_no_attempt(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await fan_out(insecure_world)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"events": ["order.paid"]})
    await work(worker)
    (delivery,) = await log(insecure_world, webhook)
    assert (delivery["status"], delivery["attempts_count"]) == ("cancelled", 0)
    assert await attempts(insecure_world, delivery["id"]) == []


@pytest.mark.parametrize("is_deleted", [True, False])
async def test_a_dead_workers_delivery_to_a_disabled_webhook_ends(
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
    await retention_service.cancel_deliveries(insecure_world.deps)
    detail = (await insecure_world.get(f"/webhooks/deliveries/{delivery['id']}")).json()["data"]
    assert detail["delivery"]["status"] == "cancelled"
    assert [attempt["outcome"] for attempt in detail["attempts"]] == ["interrupted"]


async def test_a_dead_workers_delivery_of_an_unsubscribed_type_ends(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await claim_and_die(insecure_world)
    (delivery,) = await log(insecure_world, webhook)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"events": ["order.paid"]})
    insecure_world.clock.advance(LEASE)
    await work(worker)
    detail = (await insecure_world.get(f"/webhooks/deliveries/{delivery['id']}")).json()["data"]
    assert detail["delivery"]["status"] == "cancelled"
    assert [attempt["outcome"] for attempt in detail["attempts"]] == ["interrupted"]


async def test_a_replay_of_unsubscribed_types_is_rejected(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver, "order.paid")
    await record(insecure_world, 2)
    body = {"since": "2026-11-15T00:00:00Z", "event_types": ["product.created"]}
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)
    assert answer.status_code == 422
    errors = {"event_types": ["The event types field contains a type that the webhook is not subscribed to."]}
    assert answer.json()["errors"] == errors


async def test_a_redelivery_of_an_unsubscribed_type_is_rejected(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await work(worker)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"events": ["order.paid"]})
    answer = await insecure_world.post(f"/webhooks/deliveries/{receiver.received[0].json['id']}/redeliver")
    await work(worker)
    assert (answer.status_code, answer.json()["code"], len(receiver.received)) == (409, "not_subscribed", 1)


async def test_cancelled_deliveries_do_not_delay_subscribed_ones(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    """A turn that only cancels says that there was nothing to do: the worker rests for 5 s after every ten of them."""
    webhook = await subscribe(insecure_world, receiver, "product.created", "order.paid")
    await record(insecure_world, 30)
    await fan_out(insecure_world)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"events": ["order.paid"]})
    insecure_world.clock.advance(SECOND)
    await record(insecure_world, 1, "order.paid")
    await work(worker)
    assert [request.json["event_type"] for request in receiver.received] == ["order.paid"]
