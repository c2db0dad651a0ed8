"""Webhooks made, read, changed and deleted, to the letter of the specification."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from lootkeep.domain.events import EVENT_TYPES
from lootkeep.services import webhooks as webhooks_service
from lootkeep.storage.webhooks import endpoints as endpoints_db
from tests.api.hooks import HOOK, make, rejection
from tests.world import World


async def test_a_created_webhook_is_returned_with_its_secret(world: World) -> None:
    answer = await world.post("/webhooks", HOOK)
    assert answer.status_code == 201
    secret = answer.json()["data"]["secret"]
    assert answer.json() == {
        "success": True,
        "message": "Webhook created successfully",
        "data": {
            "id": 1,
            "url": "https://shop.example/hooks",
            "events": ["order.paid", "order.refunded"],
            "is_active": True,
            "header_names": [],
            "filter": None,
            "secret": secret,
            "created_at": "2026-11-15T12:00:00Z",
        },
    }
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32


async def test_the_secret_is_shown_at_creation_only(world: World) -> None:
    webhook = await make(world)
    without = {name: value for name, value in webhook.items() if name != "secret"}
    assert (await world.get("/webhooks")).json() == {"success": True, "data": [without]}
    assert (await world.get(f"/webhooks/{webhook['id']}")).json() == {"success": True, "data": without}
    changed = await world.put(f"/webhooks/{webhook['id']}", {"is_active": True})
    assert changed.json()["data"] == without


async def test_the_secret_is_stored_sealed(world: World) -> None:
    webhook = await make(world)
    async with world.db.read() as tx:
        stored = await endpoints_db.ROWS.get(tx, webhook["id"])
    assert stored is not None
    assert webhook["secret"] not in stored.secret
    assert base64.b64decode(webhook["secret"].removeprefix("whsec_")) not in base64.b64decode(stored.secret)
    assert webhooks_service.secrets_of(world.deps, stored, world.clock.now()) == [webhook["secret"]]


async def test_each_webhook_has_its_own_secret(world: World) -> None:
    assert (await make(world))["secret"] != (await make(world))["secret"]


async def test_the_list_is_unpaged_and_in_order_of_creation(world: World) -> None:
    ids = [(await make(world, url=f"https://shop.example/{number}"))["id"] for number in range(3)]
    answer = (await world.get("/webhooks")).json()
    assert [webhook["id"] for webhook in answer["data"]] == ids
    assert "meta" not in answer


async def test_every_event_type_can_be_subscribed_to_in_the_order_given(world: World) -> None:
    types = list(reversed(EVENT_TYPES))
    assert (await make(world, events=types))["events"] == types


async def test_unknown_fields_are_ignored_and_a_webhook_starts_active(world: World) -> None:
    webhook = await make(world, is_active=False, secret="whsec_mine", id=99)
    assert (webhook["id"], webhook["is_active"], webhook["secret"] == "whsec_mine") == (1, True, False)


@pytest.mark.parametrize(
    "changes",
    [
        {"url": "https://other.example/"},
        {"events": ["product.created"]},
        {"is_active": False},
        {"url": "https://other.example/", "events": ["product.deleted", "order.paid"], "is_active": False},
    ],
)
async def test_a_change_touches_only_the_fields_sent(world: World, changes: dict[str, Any]) -> None:
    webhook = await make(world)
    other_webhook = await make(world)
    answer = await world.put(f"/webhooks/{webhook['id']}", changes)
    expected = {name: value for name, value in webhook.items() if name != "secret"} | changes
    assert answer.status_code == 200
    assert answer.json() == {"success": True, "message": "Webhook updated successfully", "data": expected}
    assert (await world.get(f"/webhooks/{webhook['id']}")).json()["data"] == expected
    untouched = (await world.get(f"/webhooks/{other_webhook['id']}")).json()["data"]
    assert untouched == {name: value for name, value in other_webhook.items() if name != "secret"}


async def test_a_change_keeps_the_secret(world: World) -> None:
    webhook = await make(world)
    await world.put(f"/webhooks/{webhook['id']}", {"url": "https://other.example/"})
    async with world.db.read() as tx:
        stored = await endpoints_db.ROWS.get(tx, webhook["id"])
    assert stored
    assert webhooks_service.secrets_of(world.deps, stored, world.clock.now()) == [webhook["secret"]]


@pytest.mark.parametrize("body", [{}, {"secret": "whsec_mine"}])
async def test_an_empty_change_is_rejected(shared_world: World, body: dict[str, Any]) -> None:
    webhook = await make(shared_world)
    answer = await shared_world.put(f"/webhooks/{webhook['id']}", body)
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Unprocessable",
        "code": "nothing_to_change",
        "message": "Send at least one of url, events, is_active, headers and filter.",
    }


@pytest.mark.parametrize("value", [1, 0, "true", None])
async def test_whether_it_is_active_must_be_a_boolean(shared_world: World, value: Any) -> None:
    webhook = await make(shared_world)
    answer = await shared_world.put(f"/webhooks/{webhook['id']}", {"is_active": value})
    assert (answer.status_code, answer.json()) == (
        422,
        rejection("is_active", "The is active field must be true or false."),
    )


async def test_a_deleted_webhook_is_gone(world: World) -> None:
    webhook = await make(world)
    answer = await world.delete(f"/webhooks/{webhook['id']}")
    assert (answer.status_code, answer.json()) == (200, {"success": True, "message": "Webhook deleted successfully"})
    assert (await world.get("/webhooks")).json()["data"] == []


CALLS = [
    ("GET", "/webhooks/{id}", None),
    ("PUT", "/webhooks/{id}", {"is_active": False}),
    ("DELETE", "/webhooks/{id}", None),
    ("POST", "/webhooks/{id}/test", None),
    ("POST", "/webhooks/{id}/rotate-secret", None),
    ("POST", "/webhooks/{id}/replay", {"since": "2026-11-01T00:00:00Z"}),
    ("GET", "/webhooks/{id}/deliveries", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
async def test_an_unknown_and_a_deleted_webhook_are_not_found(
    world: World, method: str, path: str, body: dict[str, Any] | None
) -> None:
    webhook = await make(world)
    await world.delete(f"/webhooks/{webhook['id']}")
    for missing in (webhook["id"], 999):
        answer = await world.call(method, path.format(id=missing), body)
        assert answer.status_code == 404
        assert answer.json() == {
            "success": False,
            "error": "Not Found",
            "code": "not_found",
            "message": "Webhook not found.",
        }


async def test_a_bad_change_of_an_unknown_webhook_is_reported_as_bad_first(shared_world: World) -> None:
    assert (await shared_world.put("/webhooks/999", {"url": "nonsense"})).status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/webhooks", "webhooks:read"),
        ("POST", "/webhooks", "webhooks:write"),
        ("GET", "/webhooks/1", "webhooks:read"),
        ("PUT", "/webhooks/1", "webhooks:write"),
        ("DELETE", "/webhooks/1", "webhooks:write"),
        ("POST", "/webhooks/1/test", "webhooks:write"),
        ("GET", "/events", "events:read"),
    ],
)
async def test_reading_and_writing_need_their_own_scope(
    shared_world: World, method: str, path: str, scope: str
) -> None:
    other_scope = "webhooks:read" if scope == "webhooks:write" else "webhooks:write"
    answer = await shared_world.call(method, path, token=await shared_world.new_token(other_scope))
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")
    assert scope in answer.json()["message"]


async def test_creating_twice_with_one_idempotency_key_creates_one_webhook_and_returns_the_same_secret(
    world: World,
) -> None:
    first = await world.post("/webhooks", HOOK, headers={"Idempotency-Key": "once"})
    again = await world.post("/webhooks", HOOK, headers={"Idempotency-Key": "once"})
    assert again.json() == first.json()
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len((await world.get("/webhooks")).json()["data"]) == 1
