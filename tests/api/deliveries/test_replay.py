"""Replay: recorded events of a time range are sent to a webhook again, at a limited rate."""

from __future__ import annotations

import asyncio
from typing import Any

from lootkeep.kernel.clock import HOUR
from lootkeep.worker.deliveries import DeliveryWorker, step_replays
from tests.api.deliveries.recorded import record
from tests.receiver import Received, Receiver, holding
from tests.worker.delivering import subscribe, work
from tests.world import World


async def test_a_replay_sends_recorded_events_again_with_the_same_ids_and_bytes(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 3)
    await work(worker)
    insecure_world.clock.advance(HOUR)
    await record(insecure_world, 2)
    await work(worker)
    sent = bodies(receiver.received)
    receiver.received.clear()
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T12:30:00Z"})
    assert answer.status_code == 200
    assert answer.json() == {
        "success": True,
        "message": "Replay started",
        "data": {
            "id": 1,
            "webhook_id": webhook["id"],
            "since": "2026-11-15T12:30:00Z",
            "event_types": ["product.created"],
            "total": 2,
            "done": 0,
            "created_at": "2026-11-15T13:00:00Z",
            "finished_at": None,
        },
    }
    await step_replays(insecure_world.deps)
    await work(worker)
    assert sorted(bodies(receiver.received)) == sorted(sent[3:])


async def test_a_replay_reaches_events_from_before_the_webhook_existed(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await record(insecure_world, 2)
    await work(worker)
    insecure_world.clock.advance(HOUR)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    await step_replays(insecure_world.deps)
    await work(worker)
    assert sorted(request.json["data"]["number"] for request in receiver.received) == [0, 1]
    assert {request.json["created_at"] for request in receiver.received} == {"2026-11-15T12:00:00Z"}


async def test_a_replay_sends_only_the_requested_types(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created", "order.paid")
    await record(insecure_world, 2)
    await record(insecure_world, 1, "order.paid")
    await record(insecure_world, 1, "product.deleted")
    await work(worker)
    receiver.received.clear()
    body = {"since": "2026-11-15T00:00:00Z", "event_types": ["order.paid"]}
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)
    assert (answer.json()["data"]["total"], answer.json()["data"]["event_types"]) == (1, ["order.paid"])
    await step_replays(insecure_world.deps)
    await work(worker)
    assert [request.json["event_type"] for request in receiver.received] == ["order.paid"]


async def test_a_replay_is_paced_and_reports_its_progress(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await record(insecure_world, 150)
    await record(insecure_world, 60, "order.paid")
    await work(worker)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    await record(insecure_world, 5)
    progress = []
    for _ in range(4):
        data = (await insecure_world.get(f"/webhooks/{webhook['id']}/replay")).json()["data"]
        progress.append((data["done"], data["total"], data["finished_at"]))
        await step_replays(insecure_world.deps)
    ended = "2026-11-15T12:00:00Z"
    assert progress == [(0, 150, None), (100, 150, None), (150, 150, None), (150, 150, ended)]
    await work(worker)
    assert len(receiver.received) == 155
    assert len({request.json["id"] for request in receiver.received}) == 155


async def test_a_replay_of_nothing_is_over_at_once(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    data = answer.json()["data"]
    assert (data["total"], data["done"], data["finished_at"]) == (0, 0, "2026-11-15T12:00:00Z")


async def test_a_second_replay_waits_until_the_first_is_over(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 1)
    body = {"since": "2026-11-15T00:00:00Z"}
    await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)
    again = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)
    assert (again.status_code, again.json()["code"]) == (409, "replay_running")
    await step_replays(insecure_world.deps)
    assert (await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)).status_code == 200


async def test_a_delivery_under_way_is_not_sent_twice_by_a_replay(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await record(insecure_world, 1)
    await worker.run_once()
    await receiver.wait_for(1)
    await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    await step_replays(insecure_world.deps)
    await worker.run_once()
    gate.set()
    await worker.drain()
    await work(worker)
    assert len(receiver.received) == 1


async def test_a_bad_replay_is_rejected_with_a_message(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    good = "2026-11-15T00:00:00Z"
    a_time = "The since field must be a time like 2026-11-15T10:30:00Z."
    expected: list[tuple[dict[str, Any], dict[str, list[str]]]] = [
        ({}, {"since": ["The since field is required."]}),
        ({"since": "yesterday"}, {"since": [a_time]}),
        ({"since": "2026-11-15"}, {"since": [a_time]}),
        ({"since": 5}, {"since": [a_time]}),
        ({"since": "2026-11-15T12:00:01Z"}, {"since": ["The since field must not be in the future."]}),
        ({"since": good, "event_types": []}, {"event_types": ["The event types field must not be empty."]}),
    ]
    for body, errors in expected:
        answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)
        assert (answer.status_code, answer.json()["errors"]) == (422, errors), body


async def test_a_disabled_webhook_cannot_be_replayed(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"is_active": False})
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    assert (answer.status_code, answer.json()["code"]) == (409, "webhook_inactive")
    assert (await insecure_world.get(f"/webhooks/{webhook['id']}/replay")).status_code == 404


def bodies(received: list[Received]) -> list[bytes]:
    return [request.body for request in received]
