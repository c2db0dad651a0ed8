"""What goes beyond the specification: the delivery log, sending again, replay, rotation and the event feed."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.kernel.clock import DAY, HOUR, SECOND
from lootkeep.storage import outbox
from lootkeep.worker.dispatch import Dispatcher, step_replays
from tests.builders import new_product
from tests.receiver import Received, Receiver, holding, saying
from tests.worker.test_dispatch import subscribe, work
from tests.world import World


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as receiver:
        yield receiver


@pytest.fixture
def dispatcher(insecure_world: World) -> Dispatcher:
    return Dispatcher(insecure_world.deps, MemoryWakeup())


class Something(msgspec.Struct):
    number: int


async def record(world: World, count: int, event_type: str = "product.created") -> None:
    """So many events at once, without the deeds that cause them."""
    async with world.db.write() as tx:
        for number in range(count):
            await outbox.append(tx, event_type, Something(number), world.clock.now())


async def log(world: World, webhook: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    answer = await world.get(f"/webhooks/{webhook['id']}/deliveries{query}")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def test_a_delivery_in_the_log_has_every_field(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await new_product(insecure_world)
    await work(dispatcher)
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


async def test_a_delivery_that_waits_says_when_it_is_sent_next(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500]
    await new_product(insecure_world)
    await work(dispatcher)
    (delivery,) = await log(insecure_world, webhook)
    assert (delivery["status"], delivery["finished_at"], delivery["reason"]) == ("pending", None, "answered 500")
    # Five minutes after the failure, and up to a tenth later.
    assert "2026-11-15T12:05:00Z" <= delivery["next_attempt_at"] <= "2026-11-15T12:05:30Z"


async def test_the_log_is_paged_newest_first_unless_told_otherwise(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 7)
    await work(dispatcher)
    answer = (await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries?per_page=3&page=2")).json()
    assert [delivery["event_id"] for delivery in answer["data"]] == [4, 3, 2]
    assert answer["meta"] == {"current_page": 2, "last_page": 3, "per_page": 3, "total": 7}
    oldest = await log(insecure_world, webhook, "?order=asc&per_page=2")
    assert [delivery["event_id"] for delivery in oldest] == [1, 2]
    assert await log(insecure_world, webhook, "?page=9") == []


async def test_the_log_shows_only_the_webhooks_own_deliveries(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    one = await subscribe(insecure_world, receiver, "product.created")
    other = await subscribe(insecure_world, receiver, "product.created", "order.paid")
    await record(insecure_world, 1)
    await record(insecure_world, 2, "order.paid")
    await work(dispatcher)
    assert [len(await log(insecure_world, webhook)) for webhook in (one, other)] == [1, 3]
    assert len({request.json["id"] for request in receiver.received}) == 4


async def test_the_log_is_filtered_by_state_type_and_day(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created", "order.paid")
    await record(insecure_world, 1)
    await work(dispatcher)
    insecure_world.clock.advance(DAY)
    receiver.answers = [500]
    await record(insecure_world, 1, "order.paid")
    await work(dispatcher)
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


async def test_a_bad_filter_is_refused_in_words(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    expected = {
        "status=lost": ("status", "The status field must be one of: pending, delivered, failed, cancelled."),
        "from=yesterday": ("from", "The from field must be a day like 2026-11-15."),
        "from=2026-11-16&to=2026-11-15": ("from", "The from field must not lie after to."),
        "per_page=101": ("per_page", "The per page field must not be greater than 100."),
        "page=0": ("page", "The page field must be at least 1."),
        "sort=url": ("sort", "The sort field must be one of: created_at."),
        "order=up": ("order", "The order field must be one of: asc, desc."),
    }
    for query, (field, sentence) in expected.items():
        answer = await insecure_world.get(f"/webhooks/{webhook['id']}/deliveries?{query}")
        assert (answer.status_code, answer.json()["errors"]) == (422, {field: [sentence]}), query


async def test_one_delivery_is_read_with_every_attempt(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [503]
    await new_product(insecure_world)
    await work(dispatcher)
    insecure_world.clock.advance(331 * SECOND)
    receiver.behaviour = saying(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n\x00caf\xc3\xa9\n")
    await work(dispatcher)
    delivery_id = receiver.received[0].json["id"]
    answer = await insecure_world.get(f"/webhooks/deliveries/{delivery_id}")
    data = answer.json()["data"]
    first, second = data["attempts"]
    assert (answer.status_code, answer.json()["success"]) == (200, True)
    assert (data["delivery"]["id"], data["delivery"]["attempts_count"]) == (delivery_id, 2)
    assert first == {
        "number": 1,
        "outcome": "failed",
        "started_at": "2026-11-15T12:00:00Z",
        "finished_at": "2026-11-15T12:00:00Z",
        "response_code": 503,
        "response_time_ms": first["response_time_ms"],
        "reason": "answered 503",
        "response_excerpt": "told to answer 503",
    }
    assert type(first["response_time_ms"]) is int
    assert (second["number"], second["outcome"], second["started_at"]) == (2, "delivered", "2026-11-15T12:05:31Z")
    assert (second["reason"], second["response_excerpt"]) == (None, "\ufffdcafé\n")


@pytest.mark.parametrize("path", ["wh_00000000-0000-0000-0000-000000000000", "1", "wh_"])
async def test_an_unknown_delivery_is_not_found(world: World, path: str) -> None:
    read = await world.get(f"/webhooks/deliveries/{path}")
    again = await world.post(f"/webhooks/deliveries/{path}/redeliver")
    assert (read.status_code, again.status_code) == (404, 404)


async def test_a_redelivery_keeps_the_id_and_the_bytes_and_begins_a_new_round(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await new_product(insecure_world)
    await work(dispatcher)
    delivery_id = receiver.received[0].json["id"]
    insecure_world.clock.advance(HOUR)
    answer = await insecure_world.post(f"/webhooks/deliveries/{delivery_id}/redeliver")
    assert answer.status_code == 200
    assert answer.json()["message"] == "Delivery scheduled again"
    assert answer.json()["data"]["status"] == "pending"
    assert answer.json()["data"]["next_attempt_at"] == "2026-11-15T13:00:00Z"
    await work(dispatcher)
    first, second = receiver.received
    assert second.body == first.body
    assert second.headers["X-Webhook-ID"] == delivery_id
    assert second.headers["X-Webhook-Signature"] == first.headers["X-Webhook-Signature"]
    assert int(second.headers["webhook-timestamp"]) == int(first.headers["webhook-timestamp"]) + 3600
    (delivery,) = await log(insecure_world, webhook)
    assert (delivery["status"], delivery["attempts_count"]) == ("delivered", 2)


async def test_a_failed_delivery_that_is_sent_again_is_retried_again(insecure_world: World, receiver: Receiver) -> None:
    dispatcher = Dispatcher(insecure_world.deps, MemoryWakeup(), delays=(10,))
    webhook = await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500] * 4
    await new_product(insecure_world)
    for _ in range(2):
        await work(dispatcher)
        insecure_world.clock.advance(12 * SECOND)
    (delivery,) = await log(insecure_world, webhook, "?status=failed")
    await insecure_world.post(f"/webhooks/deliveries/{delivery['id']}/redeliver")
    for _ in range(3):
        await work(dispatcher)
        insecure_world.clock.advance(12 * SECOND)
    (delivery,) = await log(insecure_world, webhook)
    assert (delivery["status"], delivery["attempts_count"], len(receiver.received)) == ("failed", 4, 4)


@pytest.mark.parametrize("is_deleted", [True, False])
async def test_nothing_is_sent_again_to_a_webhook_that_is_off(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher, is_deleted: bool
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await new_product(insecure_world)
    await work(dispatcher)
    if is_deleted:
        await insecure_world.delete(f"/webhooks/{webhook['id']}")
    else:
        await insecure_world.put(f"/webhooks/{webhook['id']}", {"is_active": False})
    answer = await insecure_world.post(f"/webhooks/deliveries/{receiver.received[0].json['id']}/redeliver")
    assert (answer.status_code, answer.json()["error"], answer.json()["code"]) == (409, "Conflict", "webhook_inactive")


async def test_a_replay_sends_recorded_events_again_with_the_same_ids_and_bytes(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world, 3)
    await work(dispatcher)
    insecure_world.clock.advance(HOUR)
    await record(insecure_world, 2)
    await work(dispatcher)
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
    await work(dispatcher)
    assert sorted(bodies(receiver.received)) == sorted(sent[3:])


async def test_a_replay_reaches_events_from_before_the_webhook_existed(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    await record(insecure_world, 2)
    await work(dispatcher)
    insecure_world.clock.advance(HOUR)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    await step_replays(insecure_world.deps)
    await work(dispatcher)
    assert sorted(request.json["data"]["number"] for request in receiver.received) == [0, 1]
    assert {request.json["created_at"] for request in receiver.received} == {"2026-11-15T12:00:00Z"}


async def test_a_replay_takes_only_the_types_asked_for(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created", "order.paid")
    await record(insecure_world, 2)
    await record(insecure_world, 1, "order.paid")
    await record(insecure_world, 1, "product.deleted")
    await work(dispatcher)
    receiver.received.clear()
    body = {"since": "2026-11-15T00:00:00Z", "event_types": ["order.paid"]}
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)
    assert (answer.json()["data"]["total"], answer.json()["data"]["event_types"]) == (1, ["order.paid"])
    await step_replays(insecure_world.deps)
    await work(dispatcher)
    assert [request.json["event_type"] for request in receiver.received] == ["order.paid"]


async def test_a_replay_goes_at_a_pace_and_tells_its_progress(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    await record(insecure_world, 150)
    await record(insecure_world, 60, "order.paid")
    await work(dispatcher)
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
    await work(dispatcher)
    assert len(receiver.received) == 155
    assert len({request.json["id"] for request in receiver.received}) == 155


async def test_a_replay_of_nothing_is_over_at_once(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    data = answer.json()["data"]
    assert (data["total"], data["done"], data["finished_at"]) == (0, 0, "2026-11-15T12:00:00Z")


async def test_a_second_replay_waits_until_the_first_is_over(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
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
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    await record(insecure_world, 1)
    await dispatcher.turn()
    await receiver.wait_for(1)
    await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    await step_replays(insecure_world.deps)
    await dispatcher.turn()
    gate.set()
    await dispatcher.drain()
    await work(dispatcher)
    assert len(receiver.received) == 1


async def test_a_bad_replay_is_refused_in_words(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    good = "2026-11-15T00:00:00Z"
    a_time = "The since field must be a time like 2026-11-15T10:30:00Z."
    expected: list[tuple[dict[str, Any], dict[str, list[str]]]] = [
        ({}, {"since": ["The since field is required."]}),
        ({"since": "yesterday"}, {"since": [a_time]}),
        ({"since": "2026-11-15"}, {"since": [a_time]}),
        ({"since": 5}, {"since": [a_time]}),
        ({"since": "2026-11-15T12:00:01Z"}, {"since": ["The since field must not lie in the future."]}),
        ({"since": good, "event_types": []}, {"event_types": ["The event types field must not be empty."]}),
    ]
    for body, errors in expected:
        answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", body)
        assert (answer.status_code, answer.json()["errors"]) == (422, errors), body


async def test_a_webhook_that_is_off_has_no_replay(insecure_world: World, receiver: Receiver) -> None:
    webhook = await subscribe(insecure_world, receiver)
    await insecure_world.put(f"/webhooks/{webhook['id']}", {"is_active": False})
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
    assert (answer.status_code, answer.json()["code"]) == (409, "webhook_inactive")
    assert (await insecure_world.get(f"/webhooks/{webhook['id']}/replay")).status_code == 404


async def test_after_a_rotation_both_secrets_sign_for_a_day_and_then_only_the_new_one(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    webhook = await subscribe(insecure_world, receiver, "product.created")
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/rotate-secret")
    old, new = webhook["secret"], answer.json()["data"]["secret"]
    assert (answer.status_code, answer.json()["message"]) == (200, "Webhook secret rotated")
    assert answer.json()["data"] == webhook | {"secret": new}
    assert new != old
    await record(insecure_world, 1)
    await work(dispatcher)
    insecure_world.clock.advance(DAY - 1)
    await record(insecure_world, 1)
    await work(dispatcher)
    insecure_world.clock.advance(1)
    await record(insecure_world, 1)
    await work(dispatcher)
    signatures = [request.headers["webhook-signature"] for request in receiver.received]
    both = [[standard(request, new), standard(request, old)] for request in receiver.received]
    assert [signature.split(" ") for signature in signatures] == [both[0], both[1], both[2][:1]]
    assert all(request.headers["X-Webhook-Signature"] == plain(request, new) for request in receiver.received)


async def test_the_feed_gives_every_event_in_order_after_a_cursor(insecure_world: World) -> None:
    await record(insecure_world, 3)
    await record(insecure_world, 2, "order.paid")
    first = (await insecure_world.get("/events?limit=2")).json()
    assert first == {
        "success": True,
        "data": {
            "events": [
                {"id": 1, "event_type": "product.created", "created_at": "2026-11-15T12:00:00Z", "data": {"number": 0}},
                {"id": 2, "event_type": "product.created", "created_at": "2026-11-15T12:00:00Z", "data": {"number": 1}},
            ],
            "next_cursor": 2,
            "has_more": True,
        },
    }
    seen, cursor, has_more = [1, 2], 2, True
    while has_more:
        data = (await insecure_world.get(f"/events?limit=2&after={cursor}")).json()["data"]
        seen += [event["id"] for event in data["events"]]
        cursor, has_more = data["next_cursor"], data["has_more"]
    assert (seen, cursor) == ([1, 2, 3, 4, 5], 5)
    assert (await insecure_world.get("/events?after=5")).json()["data"] == {
        "events": [],
        "next_cursor": 5,
        "has_more": False,
    }


async def test_the_feed_carries_the_very_data_that_was_delivered(
    insecure_world: World, receiver: Receiver, dispatcher: Dispatcher
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    await new_product(insecure_world, name='Zażółć "gęślą" \u2028 jaźń 🎮')
    await work(dispatcher)
    feed = await insecure_world.get("/events")
    data = receiver.received[0].body.partition(b',"data":')[2].removesuffix(b"}")
    assert b'"data":' + data + b"}" in feed.content
    assert feed.json()["data"]["events"][0]["data"] == receiver.received[0].json["data"]


async def test_a_bad_cursor_is_refused_in_words(world: World) -> None:
    expected = {
        "after=-1": ("after", "The after field must be at least 0."),
        "after=x": ("after", "The after field must be an integer."),
        "limit=0": ("limit", "The limit field must be at least 1."),
        "limit=101": ("limit", "The limit field must not be greater than 100."),
    }
    for query, (field, sentence) in expected.items():
        answer = await world.get(f"/events?{query}")
        assert (answer.status_code, answer.json()["errors"]) == (422, {field: [sentence]}), query


def bodies(received: list[Received]) -> list[bytes]:
    return [request.body for request in received]


def plain(request: Received, secret: str) -> str:
    return hmac.new(secret.encode(), request.body, hashlib.sha256).hexdigest()


def standard(request: Received, secret: str) -> str:
    """As Standard Webhooks has it: the key is what the secret encodes."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
