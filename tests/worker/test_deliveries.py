"""Deliveries from the operation to the receiver and through the whole schedule, in virtual time."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest

from lootkeep.domain.deliveries import RETRY_SECONDS
from lootkeep.kernel.clock import SECOND
from lootkeep.worker.deliveries import DeliveryWorker
from tests.builders import new_customer, new_product, paid_order
from tests.receiver import Receiver
from tests.worker.delivering import subscribe, work
from tests.world import World


async def buy(world: World) -> dict[str, Any]:
    customer = (await new_customer(world))["customer"]
    product = await new_product(world)
    return await paid_order(world, customer["id"], (product["id"], 1))


async def test_a_paid_order_arrives_signed_and_exactly_as_specified(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver)
    order = await buy(insecure_world)
    await work(worker)
    (request,) = receiver.received
    assert request.headers["X-Webhook-Event"] == "order.paid"
    assert request.headers["X-Webhook-ID"] == request.json["id"]
    expected = hmac.new(webhook["secret"].encode(), request.body, hashlib.sha256).hexdigest()
    assert request.headers["X-Webhook-Signature"] == expected
    assert request.headers["User-Agent"].startswith("Lootkeep/")
    assert request.json == {
        "id": request.headers["X-Webhook-ID"],
        "event_type": "order.paid",
        "created_at": "2026-11-15T12:00:00Z",
        "data": {
            "order_id": order["id"],
            "order_number": order["order_number"],
            "customer_email": order["customer"]["email"],
            "customer_name": order["customer"]["name"],
            "total": "20.00",
            "currency": "USD",
            "status": "paid",
            "items": [
                {
                    "product_id": order["items"][0]["product_id"],
                    "product_name": "VIP rank",
                    "quantity": 1,
                    "price": "20.00",
                }
            ],
        },
    }


async def test_a_delivery_is_attempted_six_times_never_early_and_always_with_the_same_bytes(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver)
    receiver.answers = [500] * 6
    await buy(insecure_world)
    await work(worker)
    for sent, delay in enumerate(RETRY_SECONDS, 1):
        insecure_world.clock.advance(delay * SECOND - 1)
        await work(worker)
        assert len(receiver.received) == sent
        insecure_world.clock.advance(delay * SECOND // 10 + 1)
        await work(worker)
        assert len(receiver.received) == sent + 1
    insecure_world.clock.advance(30 * 24 * 3600 * SECOND)
    await work(worker)
    assert len(receiver.received) == 6
    assert len({request.body for request in receiver.received}) == 1
    (delivery,) = (await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries")).json()["data"]
    assert (delivery["status"], delivery["attempts_count"], delivery["reason"]) == ("failed", 6, "answered 500")


async def test_a_retry_that_succeeds_ends_the_delivery_with_every_attempt_recorded(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await subscribe(insecure_world, receiver)
    receiver.answers = [503, 204]
    await buy(insecure_world)
    await work(worker)
    insecure_world.clock.advance(331 * SECOND)
    await work(worker)
    delivery_id = receiver.received[0].json["id"]
    detail = (await insecure_world.get(f"/webhooks/deliveries/{delivery_id}")).json()["data"]
    assert detail["delivery"]["status"] == "delivered"
    assert [(a["number"], a["outcome"], a["response_code"], a["reason"]) for a in detail["attempts"]] == [
        (1, "failed", 503, "answered 503"),
        (2, "delivered", 204, None),
    ]


@pytest.mark.parametrize("change", [{"is_active": False}, {"events": ["product.created"]}, None])
async def test_a_webhook_that_was_disabled_unsubscribed_or_deleted_gets_no_retry(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, change: dict[str, Any] | None
) -> None:
    webhook = await subscribe(insecure_world, receiver)
    receiver.answers = [500]
    await buy(insecure_world)
    await work(worker)
    if change is None:
        await insecure_world.delete(f"/webhooks/{webhook['id']}")
    else:
        await insecure_world.put(f"/webhooks/{webhook['id']}", change)
    insecure_world.clock.advance(24 * 3600 * SECOND)
    await work(worker)
    assert len(receiver.received) == 1
