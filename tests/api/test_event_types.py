"""What a webhook can subscribe to: the list of event types, patterns, and where a delivery is read."""

from __future__ import annotations

from lootkeep.domain.events import EVENT_TYPES, SPECIFIED_TYPES
from tests.api.hooks import HOOK
from tests.api.openapi import DOCUMENT, content_of, faults
from tests.world import World


async def test_the_event_types_are_listed_with_an_example_that_the_document_accepts(world: World) -> None:
    rows = (await world.get("/webhooks/event-types")).json()["data"]
    assert {row["name"]: row["description"] for row in rows} == EVENT_TYPES
    for row in rows:
        body = content_of(DOCUMENT["webhooks"][row["name"]]["post"]["requestBody"])
        assert (row["example"], faults(row["example"], body["schema"])) == (body["example"], [])


async def test_a_pattern_is_returned_as_the_types_it_matches(world: World) -> None:
    created = (await world.post("/webhooks", HOOK | {"events": ["subscription.*", "order.paid"]})).json()["data"]
    families = ["order.paid", *(name for name in EVENT_TYPES if name.startswith("subscription."))]
    assert created["events"] == families
    changed = await world.put(f"/webhooks/{created['id']}", {"events": ["*"]})
    assert changed.json()["data"]["events"] == list(SPECIFIED_TYPES)


async def test_extensions_are_subscribed_to_by_name_only(world: World) -> None:
    extensions = [name for name in EVENT_TYPES if name not in SPECIFIED_TYPES]
    assert (await world.post("/webhooks", HOOK | {"events": ["fraud.*"]})).status_code == 422
    for pattern in ("*", "order.*"):
        created = (await world.post("/webhooks", HOOK | {"events": [pattern]})).json()["data"]
        assert not set(created["events"]) & set(extensions)
    named = (await world.post("/webhooks", HOOK | {"events": extensions})).json()["data"]
    assert named["events"] == extensions
