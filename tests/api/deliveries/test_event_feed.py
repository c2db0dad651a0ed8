"""The event feed: every event after a cursor, in order."""

from __future__ import annotations

from lootkeep.worker.deliveries import DeliveryWorker
from tests.api.deliveries.recorded import record
from tests.builders import new_product
from tests.receiver import Receiver
from tests.worker.delivering import subscribe, work
from tests.world import World


async def test_the_feed_returns_every_event_after_a_cursor_in_order(insecure_world: World) -> None:
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


async def test_the_feed_carries_exactly_the_data_that_was_delivered(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await subscribe(insecure_world, receiver, "product.created")
    await new_product(insecure_world, name='Zażółć "gęślą" \u2028 jaźń 🎮')
    await work(worker)
    feed = await insecure_world.get("/events")
    data = receiver.received[0].body.partition(b',"data":')[2].removesuffix(b"}")
    assert b'"data":' + data + b"}" in feed.content
    assert feed.json()["data"]["events"][0]["data"] == receiver.received[0].json["data"]


async def test_a_bad_cursor_is_rejected_with_a_message(world: World) -> None:
    expected = {
        "after=-1": ("after", "The after field must be at least 0."),
        "after=x": ("after", "The after field must be an integer."),
        "limit=0": ("limit", "The limit field must be at least 1."),
        "limit=101": ("limit", "The limit field must not be greater than 100."),
    }
    for query, (field, sentence) in expected.items():
        answer = await world.get(f"/events?{query}")
        assert (answer.status_code, answer.json()["errors"]) == (422, {field: [sentence]}), query
