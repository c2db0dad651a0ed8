"""The delivery log: what it shows, how it is paged and filtered, and each attempt of a delivery."""

from __future__ import annotations

import pytest

from lootkeep.kernel.clock import DAY, SECOND
from lootkeep.worker.deliveries import DeliveryWorker
from tests.api.deliveries.recorded import log, record
from tests.builders import new_product
from tests.receiver import Receiver, saying
from tests.worker.delivering import subscribe, work
from tests.world import World


async def test_a_delivery_in_the_log_has_every_field(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await new_product(insecure_world)
    await work(worker)
    answer = (await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries")).json()
    assert answer == {
        "success": True,
        "data": [
            {
                "id": receiver.received[0].json["id"],
                "webhook_id": webhook["id"],
                "event_id": 1,
                "event_type": "product.created",
                "status": "delivered",
                "attempts_count": 1,
                "response_code": 200,
                "reason": None,
                "created_at": "2026-11-15T12:00:00Z",
                "next_attempt_at": None,
                "finished_at": "2026-11-15T12:00:00Z",
            }
        ],
        "meta": {"current_page": 1, "last_page": 1, "per_page": 15, "total": 1},
    }


async def test_a_pending_delivery_shows_its_next_attempt(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500]
    await new_product(insecure_world)
    await work(worker)
    (delivery,) = await log(insecure_world, webhook)
    assert (delivery["status"], delivery["finished_at"], delivery["reason"]) == ("pending", None, "answered 500")
    # Five minutes after the failure, and up to a tenth later.
    assert "2026-11-15T12:05:00Z" <= delivery["next_attempt_at"] <= "2026-11-15T12:05:30Z"


async def test_the_log_is_paged_newest_first_by_default(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 7)
    await work(worker)
    answer = (await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries?per_page=3&page=2")).json()
    assert [delivery["event_id"] for delivery in answer["data"]] == [4, 3, 2]
    assert answer["meta"] == {"current_page": 2, "last_page": 3, "per_page": 3, "total": 7}
    oldest = await log(insecure_world, webhook, "?order=asc&per_page=2")
    assert [delivery["event_id"] for delivery in oldest] == [1, 2]
    assert await log(insecure_world, webhook, "?page=9") == []


async def test_the_log_shows_only_the_webhooks_own_deliveries(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    hook = await subscribe(insecure_world, receiver, "product.created")
    other_webhook = await subscribe(insecure_world, receiver, "product.created", "order.paid")
    await record(insecure_world, 1)
    await record(insecure_world, 2, "order.paid")
    await work(worker)
    assert [len(await log(insecure_world, webhook)) for webhook in (hook, other_webhook)] == [1, 3]
    assert len({request.json["id"] for request in receiver.received}) == 4


async def test_the_log_is_filtered_by_state_type_and_day(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created", "order.paid")
    await record(insecure_world, 1)
    await work(worker)
    insecure_world.clock.advance(DAY)
    receiver.answers = [500]
    await record(insecure_world, 1, "order.paid")
    await work(worker)
    expected = {
        "?status=delivered": [1],
        "?status=pending": [2],
        "?status=failed": [],
        "?status=cancelled": [],
        "?event_type=order.paid": [2],
        "?event_type=order.paid&status=delivered": [],
        "?from=2026-11-16": [2],
        "?to=2026-11-15": [1],
        "?from=2026-11-15&to=2026-11-16": [2, 1],
        "?from=2026-11-17": [],
        "?colour=red": [2, 1],
    }
    for query, events in expected.items():
        assert [delivery["event_id"] for delivery in await log(insecure_world, webhook, query)] == events, query


async def test_a_bad_filter_is_rejected_with_a_message(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    expected = {
        "status=lost": ("status", "The status field must be one of: pending, delivered, failed, cancelled."),
        "from=yesterday": ("from", "The from field must be a day like 2026-11-15."),
        "from=2026-11-16&to=2026-11-15": ("from", "The from field must not be after to."),
        "per_page=101": ("per_page", "The per page field must not be greater than 100."),
        "page=0": ("page", "The page field must be at least 1."),
        "sort=url": ("sort", "The sort field must be one of: created_at."),
        "order=up": ("order", "The order field must be one of: asc, desc."),
    }
    for query, (field, sentence) in expected.items():
        answer = await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries?{query}")
        assert (answer.status_code, answer.json()["errors"]) == (422, {field: [sentence]}), query


async def test_one_delivery_is_read_with_every_attempt(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [503]
    await new_product(insecure_world)
    await work(worker)
    insecure_world.clock.advance(331 * SECOND)
    receiver.behaviour = saying(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n\x00caf\xc3\xa9\n")
    await work(worker)
    delivery_id = receiver.received[0].json["id"]
    answer = await insecure_world.get(f"/webhooks/deliveries/{delivery_id}")
    data = answer.json()["data"]
    first, second = data["attempts"]
    assert (answer.status_code, answer.json()["success"]) == (200, True)
    assert data["sent"]["body"].encode() == receiver.received[0].body == receiver.received[1].body
    assert data["sent"]["headers"].items() <= dict(receiver.received[0].headers).items()
    assert "signature" not in answer.text
    assert (data["delivery"]["id"], data["delivery"]["attempts_count"]) == (delivery_id, 2)
    assert first == {
        "number": 1,
        "outcome": "failed",
        "started_at": "2026-11-15T12:00:00Z",
        "finished_at": "2026-11-15T12:00:00Z",
        "response_code": 503,
        "response_time_ms": first["response_time_ms"],
        "reason": "answered 503",
        "response_excerpt": "asked to answer 503",
    }
    assert type(first["response_time_ms"]) is int
    assert (second["number"], second["outcome"], second["started_at"]) == (2, "delivered", "2026-11-15T12:05:31Z")
    assert (second["reason"], second["response_excerpt"]) == (None, "\ufffdcafé\n")


@pytest.mark.parametrize("path", ["wh_00000000-0000-0000-0000-000000000000", "1", "wh_"])
async def test_an_unknown_delivery_is_not_found(world: World, path: str) -> None:
    read = await world.get(f"/webhooks/deliveries/{path}")
    again = await world.post(f"/webhooks/deliveries/{path}/redeliver")
    assert (read.status_code, again.status_code) == (404, 404)
