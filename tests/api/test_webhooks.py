"""The six endpoints of webhooks, to the letter of the specification."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from lootkeep.domain.events import EVENT_TYPES
from lootkeep.services import webhooks as services
from lootkeep.storage import webhooks as storage
from lootkeep.storage.database import Engine
from tests.receiver import Receiver, resetting, saying
from tests.world import World

HOOK = {"url": "https://shop.example/hooks", "events": ["order.paid", "order.refunded"]}


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as receiver:
        yield receiver


@pytest.fixture
async def busy_world(db: Engine) -> AsyncIterator[World]:
    """A world without a rate limit."""
    world = World(db, rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()


async def make(world: World, **fields: Any) -> dict[str, Any]:
    answer = await world.post("/webhooks", HOOK | fields)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def test_a_created_webhook_is_answered_with_its_secret(world: World) -> None:
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
            "secret": secret,
            "created_at": "2026-11-15T12:00:00Z",
        },
    }
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32


async def test_the_secret_is_shown_at_creation_only(world: World) -> None:
    made = await make(world)
    without = {name: value for name, value in made.items() if name != "secret"}
    assert (await world.get("/webhooks")).json() == {"success": True, "data": [without]}
    assert (await world.get(f"/webhooks/{made['id']}")).json() == {"success": True, "data": without}
    changed = await world.put(f"/webhooks/{made['id']}", {"is_active": True})
    assert changed.json()["data"] == without


async def test_the_secret_is_stored_sealed(world: World) -> None:
    made = await make(world)
    async with world.db.read() as tx:
        stored = await storage.get(tx, made["id"])
    assert stored is not None
    assert made["secret"] not in stored.secret
    assert base64.b64decode(made["secret"].removeprefix("whsec_")) not in base64.b64decode(stored.secret)
    assert services.secrets_of(world.deps, stored, world.clock.now()) == [made["secret"]]


async def test_each_webhook_has_a_secret_of_its_own(world: World) -> None:
    assert (await make(world))["secret"] != (await make(world))["secret"]


async def test_the_list_is_plain_and_in_the_order_of_creation(world: World) -> None:
    made = [(await make(world, url=f"https://shop.example/{number}"))["id"] for number in range(3)]
    answer = (await world.get("/webhooks")).json()
    assert [webhook["id"] for webhook in answer["data"]] == made
    assert "meta" not in answer


async def test_every_event_type_can_be_subscribed_to_in_the_order_given(world: World) -> None:
    types = list(reversed(EVENT_TYPES))
    assert (await make(world, events=types))["events"] == types


async def test_unknown_fields_are_ignored_and_a_webhook_starts_active(world: World) -> None:
    made = await make(world, is_active=False, secret="whsec_mine", id=99)
    assert (made["id"], made["is_active"], made["secret"] == "whsec_mine") == (1, True, False)


URL_FAULTS = [
    (None, "The url field must be a string."),
    (7, "The url field must be a string."),
    (["https://shop.example"], "The url field must be a string."),
    ("", "The url field must be an HTTPS URL."),
    ("shop.example/hooks", "The url field must be an HTTPS URL."),
    ("http://shop.example/hooks", "The url field must be an HTTPS URL."),
    ("ftp://shop.example/", "The url field must be an HTTPS URL."),
    ("https://shop.example/a b", "The url field must be a valid URL."),
    ("https://shop.example:70000/", "The url field must be a valid URL."),
    ("https://[::1/", "The url field must be a valid URL."),
    ("https://shöp.example/", "The url field must be a valid URL."),
    ("https://shop.example:0/", "The url field must have a port between 1 and 65535."),
    ("https:///hooks", "The url field must name a host."),
    ("https://-shop.example/", "The url field must name a host."),
    ("https://me:word@shop.example/", "The url field must not hold credentials."),
    ("https://me@shop.example/", "The url field must not hold credentials."),
    ("https://shop.example/#part", "The url field must not hold a fragment."),
    ("https://shop.example/#", "The url field must not hold a fragment."),
    ("https://shop.example/" + "x" * 2028, "The url field must not be greater than 2048 characters."),
    ("https://127.0.0.1/", "The url field must not point to a private address."),
    ("https://10.1.2.3/", "The url field must not point to a private address."),
    ("https://169.254.169.254/latest", "The url field must not point to a private address."),
    ("https://[::1]/", "The url field must not point to a private address."),
    ("https://[::ffff:10.0.0.1]/", "The url field must not point to a private address."),
    ("https://localhost/", "The url field must not point to a private address."),
    ("https://2130706433/", "The url field must write an IP address in its ordinary form."),
    ("https://0x7f.1/", "The url field must write an IP address in its ordinary form."),
]
EVENTS_FAULTS = [
    (None, "events", "The events field must be a list."),
    ("order.paid", "events", "The events field must be a list."),
    ({"order.paid": True}, "events", "The events field must be a list."),
    ([], "events", "The events field must not be empty."),
    ([*EVENT_TYPES, "order.paid"], "events", "The events field must not have more than 10 entries."),
    ([1], "events.0", "The events.0 field must be a string."),
    (["order.paid", None], "events.1", "The events.1 field must be a string."),
    (["order.lost"], "events", "The events field holds an unknown event type at position 0."),
    (
        ["order.paid", "*", "", "Order.Paid"],
        "events",
        "The events field holds an unknown event type at position 1, 2, 3.",
    ),
    (["webhook.test"], "events", "The events field holds an unknown event type at position 0."),
    (["order.paid", "order.paid"], "events", "The events field must not hold the same event type twice."),
]


def refusal(field: str, sentence: str) -> dict[str, Any]:
    return {
        "success": False,
        "error": "Validation Error",
        "code": "validation_failed",
        "message": "The given data was invalid.",
        "errors": {field: [sentence]},
    }


async def test_a_bad_url_is_refused_in_words_at_creation_and_at_change(busy_world: World) -> None:
    made = await make(busy_world)
    for url, sentence in URL_FAULTS:
        created = await busy_world.post("/webhooks", HOOK | {"url": url})
        changed = await busy_world.put(f"/webhooks/{made['id']}", {"url": url})
        for answer in (created, changed):
            assert (answer.status_code, answer.json()) == (422, refusal("url", sentence)), url
    assert [webhook["url"] for webhook in (await busy_world.get("/webhooks")).json()["data"]] == [made["url"]]


async def test_a_bad_event_list_is_refused_in_words_at_creation_and_at_change(busy_world: World) -> None:
    made = await make(busy_world)
    for events, field, sentence in EVENTS_FAULTS:
        created = await busy_world.post("/webhooks", HOOK | {"events": events})
        changed = await busy_world.put(f"/webhooks/{made['id']}", {"events": events})
        for answer in (created, changed):
            assert (answer.status_code, answer.json()) == (422, refusal(field, sentence)), events


async def test_every_missing_field_is_named(world: World) -> None:
    answer = await world.post("/webhooks", {})
    assert answer.status_code == 422
    assert answer.json()["errors"] == {
        "url": ["The url field is required."],
        "events": ["The events field is required."],
    }


async def test_a_refused_url_is_not_echoed(world: World) -> None:
    answer = await world.post("/webhooks", HOOK | {"url": "https://canary:word@shop.example/"})
    assert "canary" not in answer.text


async def test_a_url_of_2048_characters_is_long_enough(world: World) -> None:
    url = "https://shop.example/" + "x" * 2027
    assert (await make(world, url=url))["url"] == url


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example",
        "https://shop.example:8443/hooks?key=value&other=%20",
        "https://8.8.8.8/hooks",
        "https://[2606:4700:4700::1111]/hooks",
        "https://under_score.shop.example./",
        "https://xn--shp-sna.example/",
        "HTTPS://SHOP.example/",
    ],
)
async def test_a_good_url_is_kept_as_it_was_sent(world: World, url: str) -> None:
    made = await make(world, url=url)
    assert (await world.get(f"/webhooks/{made['id']}")).json()["data"]["url"] == url


async def test_http_and_loopback_are_possible_where_the_operator_permits_them(insecure_world: World) -> None:
    for url in (
        "http://127.0.0.1:9000/hook",
        "http://[::1]:9000/hook",
        "http://localhost/hook",
        "http://shop.example/",
    ):
        assert (await make(insecure_world, url=url))["url"] == url
    answer = await insecure_world.post("/webhooks", HOOK | {"url": "http://10.0.0.1/hook"})
    assert answer.json() == refusal("url", "The url field must not point to a private address.")


async def test_a_store_has_at_most_100_webhooks_and_a_deleted_one_makes_room(busy_world: World) -> None:
    for _ in range(100):
        await make(busy_world)
    answer = await busy_world.post("/webhooks", HOOK)
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Unprocessable",
        "code": "too_many_webhooks",
        "message": "A store can have at most 100 webhooks.",
    }
    assert len((await busy_world.get("/webhooks")).json()["data"]) == 100
    await busy_world.delete("/webhooks/50")
    assert (await busy_world.post("/webhooks", HOOK)).status_code == 201


async def test_many_creations_at_once_never_pass_the_limit(busy_world: World) -> None:
    for _ in range(97):
        await make(busy_world)
    answers = await asyncio.gather(*(busy_world.post("/webhooks", HOOK) for _ in range(12)))
    assert {answer.status_code for answer in answers} <= {201, 409, 422}
    assert len((await busy_world.get("/webhooks")).json()["data"]) <= 100


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
    made = await make(world)
    other = await make(world)
    answer = await world.put(f"/webhooks/{made['id']}", changes)
    expected = {name: value for name, value in made.items() if name != "secret"} | changes
    assert answer.status_code == 200
    assert answer.json() == {"success": True, "message": "Webhook updated successfully", "data": expected}
    assert (await world.get(f"/webhooks/{made['id']}")).json()["data"] == expected
    untouched = (await world.get(f"/webhooks/{other['id']}")).json()["data"]
    assert untouched == {name: value for name, value in other.items() if name != "secret"}


async def test_a_change_keeps_the_secret(world: World) -> None:
    made = await make(world)
    await world.put(f"/webhooks/{made['id']}", {"url": "https://other.example/"})
    async with world.db.read() as tx:
        stored = await storage.get(tx, made["id"])
    assert stored
    assert services.secrets_of(world.deps, stored, world.clock.now()) == [made["secret"]]


@pytest.mark.parametrize("body", [{}, {"secret": "whsec_mine"}])
async def test_a_change_of_nothing_is_refused(world: World, body: dict[str, Any]) -> None:
    made = await make(world)
    answer = await world.put(f"/webhooks/{made['id']}", body)
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Unprocessable",
        "code": "nothing_to_change",
        "message": "Send at least one of url, events and is_active.",
    }


@pytest.mark.parametrize("value", [1, 0, "true", None])
async def test_whether_it_is_active_must_be_a_boolean(world: World, value: Any) -> None:
    made = await make(world)
    answer = await world.put(f"/webhooks/{made['id']}", {"is_active": value})
    assert (answer.status_code, answer.json()) == (
        422,
        refusal("is_active", "The is active field must be true or false."),
    )


async def test_a_deleted_webhook_is_gone(world: World) -> None:
    made = await make(world)
    answer = await world.delete(f"/webhooks/{made['id']}")
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
    made = await make(world)
    await world.delete(f"/webhooks/{made['id']}")
    for missing in (made["id"], 999):
        answer = await world.call(method, path.format(id=missing), body)
        assert answer.status_code == 404
        assert answer.json() == {
            "success": False,
            "error": "Not Found",
            "code": "not_found",
            "message": "Webhook not found.",
        }


async def test_a_bad_change_of_an_unknown_webhook_is_told_as_bad_first(world: World) -> None:
    assert (await world.put("/webhooks/999", {"url": "nonsense"})).status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/webhooks", "webhooks:read"),
        ("POST", "/webhooks", "webhooks:write"),
        ("GET", "/webhooks/1", "webhooks:read"),
        ("PUT", "/webhooks/1", "webhooks:write"),
        ("DELETE", "/webhooks/1", "webhooks:write"),
        ("POST", "/webhooks/1/test", "webhooks:write"),
        ("GET", "/events", "webhooks:read"),
    ],
)
async def test_reading_and_writing_need_their_own_scope(world: World, method: str, path: str, scope: str) -> None:
    other = "webhooks:write" if scope == "webhooks:read" else "webhooks:read"
    answer = await world.call(method, path, token=await world.new_token(other))
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")
    assert scope in answer.json()["message"]


async def test_a_test_is_delivered_signed_whatever_the_subscription(insecure_world: World, receiver: Receiver) -> None:
    made = await make(insecure_world, url=receiver.url)
    await insecure_world.put(f"/webhooks/{made['id']}", {"is_active": False})
    answer = await insecure_world.post(f"/webhooks/{made['id']}/test")
    time = answer.json()["data"]["response_time_ms"]
    assert answer.status_code == 200
    assert answer.json() == {
        "success": True,
        "message": "Test webhook delivered successfully",
        "data": {"delivered": True, "response_code": 200, "response_time_ms": time},
    }
    assert type(time) is int
    (request,) = receiver.received
    expected = hmac.new(made["secret"].encode(), request.body, hashlib.sha256).hexdigest()
    assert request.headers["X-Webhook-Signature"] == expected
    assert request.headers["X-Webhook-Event"] == "webhook.test"
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["X-Webhook-ID"] == request.json["id"]
    assert re.fullmatch(r"wh_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", request.json["id"])
    assert list(request.json) == ["id", "event_type", "created_at", "data"]
    assert request.json["event_type"] == "webhook.test"
    assert request.json["created_at"] == "2026-11-15T12:00:00Z"


@pytest.mark.parametrize(
    ("status", "delivered"),
    [(200, True), (201, True), (204, True), (299, True), (400, False), (410, False), (500, False)],
)
async def test_a_test_is_delivered_when_the_answer_is_2xx(
    insecure_world: World, receiver: Receiver, status: int, delivered: bool
) -> None:
    receiver.answers = [status]
    made = await make(insecure_world, url=receiver.url)
    answer = await insecure_world.post(f"/webhooks/{made['id']}/test")
    failed = f"Test webhook delivery failed: answered {status}"
    assert answer.status_code == 200
    assert answer.json()["success"] is True
    assert answer.json()["message"] == ("Test webhook delivered successfully" if delivered else failed)
    data = answer.json()["data"]
    assert (data["delivered"], data["response_code"]) == (delivered, status)


async def test_a_test_that_is_redirected_has_failed_and_says_where_to(
    insecure_world: World, receiver: Receiver
) -> None:
    receiver.behaviour = saying(
        b"HTTP/1.1 301 Moved\r\nLocation: https://www.shop.example/\r\nContent-Length: 0\r\n\r\n"
    )
    made = await make(insecure_world, url=receiver.url)
    answer = (await insecure_world.post(f"/webhooks/{made['id']}/test")).json()
    assert answer["message"] == (
        "Test webhook delivery failed: answered 301 to https://www.shop.example/: redirects are not followed"
    )
    assert (answer["data"]["delivered"], answer["data"]["response_code"]) == (False, 301)
    assert len(receiver.received) == 1


async def test_a_test_without_an_answer_has_no_response_code(insecure_world: World, receiver: Receiver) -> None:
    receiver.behaviour = resetting
    made = await make(insecure_world, url=receiver.url)
    answer = await insecure_world.post(f"/webhooks/{made['id']}/test")
    data = answer.json()["data"]
    assert answer.status_code == 200
    assert (data["delivered"], data["response_code"]) == (False, None)
    assert answer.json()["message"].startswith("Test webhook delivery failed: the connection ")


async def test_a_test_is_not_retried_and_not_in_the_log(insecure_world: World, receiver: Receiver) -> None:
    receiver.answers = [500]
    made = await make(insecure_world, url=receiver.url)
    await insecure_world.post(f"/webhooks/{made['id']}/test")
    answer = (await insecure_world.get(f"/webhooks/{made['id']}/deliveries")).json()
    assert (answer["data"], len(receiver.received)) == ([], 1)


async def test_creating_twice_with_one_idempotency_key_makes_one_webhook_and_shows_the_same_secret(
    world: World,
) -> None:
    first = await world.post("/webhooks", HOOK, headers={"Idempotency-Key": "once"})
    again = await world.post("/webhooks", HOOK, headers={"Idempotency-Key": "once"})
    assert again.json() == first.json()
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len((await world.get("/webhooks")).json()["data"]) == 1
