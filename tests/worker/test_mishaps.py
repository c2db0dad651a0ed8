"""Errors that are reported with a message: odd requests, receivers and secrets."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from lootkeep.domain.addresses import is_public
from lootkeep.domain.webhooks import LOOPBACK
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import HOUR
from lootkeep.storage.webhooks import endpoints as endpoints_db
from lootkeep.worker.deliveries import DeliveryWorker
from tests.receiver import Receiver
from tests.worker.delivering import attempts, log, record, subscribe, work
from tests.world import World


async def test_a_bad_type_in_a_replay_is_reported_under_its_own_name(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    body = {"since": "2026-11-15T00:00:00Z", "event_types": ["order.payd"]}
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)
    (sentence,) = answer.json()["errors"]["event_types"]
    assert sentence.startswith(
        "The event types field contains an unknown event type (did you mean order.paid?); known types: "
    )


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_nul_in_the_path_is_not_found(world: World, method: str) -> None:
    path = "/webhooks/deliveries/%00" + ("/redeliver" if method == "POST" else "")
    assert (await world.call(method, path)).status_code == 404


async def test_a_refused_connection_is_reported_as_text() -> None:
    outbound = Outbound(LOOPBACK)
    result = await outbound.post("http://127.0.0.1:1/", b"{}", {})
    await outbound.close()
    assert result.reason == "connection refused"


async def test_a_private_ip_is_reported_as_text() -> None:
    outbound = Outbound()
    results = [await outbound.post(url, b"{}", {}) for url in ("http://127.0.0.1:1/", "http://localhost:1/")]
    await outbound.close()
    assert [result.reason for result in results] == ["the address is not public"] * 2


@pytest.mark.filterwarnings("ignore")
async def test_a_secret_that_cannot_be_decrypted_fails_the_attempt_with_a_message_and_frees_its_slot(
    insecure_world: World, receiver: Receiver
) -> None:
    worker = DeliveryWorker(insecure_world.deps, Wakeup(), concurrency=1)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    async with insecure_world.db.write() as tx:
        stored = await endpoints_db.ROWS.get(tx, webhook["id"])
        assert stored
        await endpoints_db.save(tx, stored, replace(stored, secret="AAAA" * 20))
    await record(insecure_world)
    await work(worker)
    (delivery,) = await log(insecure_world, webhook)
    listed = await attempts(insecure_world, delivery["id"])
    async with insecure_world.db.write() as tx:
        await endpoints_db.save(tx, replace(stored, secret="AAAA" * 20), stored)
    insecure_world.clock.advance(HOUR)
    await work(worker)
    assert listed == [(1, "failed")]
    assert len(receiver.received) == 1


async def test_an_unknown_event_type_as_a_filter_is_rejected(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    answer = await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries?event_type=order.lost")
    assert answer.status_code == 422


@pytest.mark.parametrize("ip", ["100:0:0:1::1", "2620:4f:8000::1", "200::1", "::ffff:0:7f00:1", "4000::1"])
def test_reserved_and_unallocated_ips_are_not_public(ip: str) -> None:
    assert not is_public(ip)
