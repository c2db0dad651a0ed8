"""A secret that is rotated: both sign for a day, then only the new one."""

from __future__ import annotations

import base64
import hashlib
import hmac

from lootkeep.kernel.clock import DAY
from lootkeep.worker.deliveries import DeliveryWorker
from tests.api.deliveries.recorded import record
from tests.receiver import Received, Receiver
from tests.worker.delivering import subscribe, work
from tests.world import World


async def test_after_a_rotation_both_secrets_sign_for_a_day_and_then_only_the_new_one(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/rotate-secret")
    old, new = webhook["secret"], answer.json()["data"]["secret"]
    assert (answer.status_code, answer.json()["message"]) == (200, "Webhook secret rotated")
    assert answer.json()["data"] == webhook | {"secret": new}
    assert new != old
    await record(insecure_world, 1)
    await work(worker)
    insecure_world.clock.advance(DAY - 1)
    await record(insecure_world, 1)
    await work(worker)
    insecure_world.clock.advance(1)
    await record(insecure_world, 1)
    await work(worker)
    signatures = [request.headers["webhook-signature"] for request in receiver.received]
    both = [[standard(request, new), standard(request, old)] for request in receiver.received]
    assert [signature.split(" ") for signature in signatures] == [both[0], both[1], both[2][:1]]
    assert all(request.headers["X-Webhook-Signature"] == plain(request, new) for request in receiver.received)


def plain(request: Received, secret: str) -> str:
    return hmac.new(secret.encode(), request.body, hashlib.sha256).hexdigest()


def standard(request: Received, secret: str) -> str:
    """As Standard Webhooks has it: the key is what the secret encodes."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
