"""Redelivery: a delivery is sent again."""

from __future__ import annotations

import pytest

from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import HOUR, SECOND
from lootkeep.worker.deliveries import DeliveryWorker
from tests.api.deliveries.recorded import log
from tests.builders import new_product
from tests.receiver import Receiver
from tests.worker.delivering import subscribe, work
from tests.world import World


async def test_a_redelivery_keeps_the_id_and_bytes_and_starts_a_new_retry_schedule(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await new_product(insecure_world)
    await work(worker)
    delivery_id = receiver.received[0].json["id"]
    insecure_world.clock.advance(HOUR)
    answer = await insecure_world.post(f"/webhooks/deliveries/{delivery_id}/redeliver")
    assert answer.status_code == 200
    assert answer.json()["message"] == "Delivery scheduled again"
    assert answer.json()["data"]["status"] == "pending"
    assert answer.json()["data"]["next_attempt_at"] == "2026-11-15T13:00:00Z"
    await work(worker)
    first, second = receiver.received
    assert second.body == first.body
    assert second.headers["X-Webhook-ID"] == delivery_id
    assert second.headers["X-Webhook-Signature"] == first.headers["X-Webhook-Signature"]
    assert int(second.headers["webhook-timestamp"]) == int(first.headers["webhook-timestamp"]) + 3600
    (delivery,) = await log(insecure_world, webhook)
    assert (delivery["status"], delivery["attempts_count"]) == ("delivered", 2)


async def test_a_resent_failed_delivery_is_retried_again(insecure_world: World, receiver: Receiver) -> None:
    worker = DeliveryWorker(insecure_world.deps, Wakeup(), delays=(10,))
    webhook = await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500] * 4
    await new_product(insecure_world)
    for _ in range(2):
        await work(worker)
        insecure_world.clock.advance(12 * SECOND)
    (delivery,) = await log(insecure_world, webhook, "?status=failed")
    await insecure_world.post(f"/webhooks/deliveries/{delivery['id']}/redeliver")
    for _ in range(3):
        await work(worker)
        insecure_world.clock.advance(12 * SECOND)
    (delivery,) = await log(insecure_world, webhook)
    assert (delivery["status"], delivery["attempts_count"], len(receiver.received)) == ("failed", 4, 4)


@pytest.mark.parametrize("is_deleted", [True, False])
async def test_nothing_is_resent_to_a_disabled_webhook(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, is_deleted: bool
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await new_product(insecure_world)
    await work(worker)
    if is_deleted:
        await insecure_world.delete(f"/webhooks/{webhook['id']}")
    else:
        await insecure_world.put(f"/webhooks/{webhook['id']}", {"is_active": False})
    answer = await insecure_world.post(f"/webhooks/deliveries/{receiver.received[0].json['id']}/redeliver")
    assert (answer.status_code, answer.json()["error"], answer.json()["code"]) == (409, "Conflict", "webhook_inactive")
