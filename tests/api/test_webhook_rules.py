"""What a webhook may be: which URLs and event lists are taken and which are refused, and how many a store may have."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.webhooks import EVENT_PATTERNS
from lootkeep.storage.engine.database import Engine
from tests.api.hooks import HOOK, make, rejection
from tests.world import World


@pytest.fixture
async def busy_world(db: Engine) -> AsyncIterator[World]:
    """A world without a rate limit."""
    world = World(db, rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()


HINT = " (LOOTKEEP_WEBHOOK_ALLOW_INSECURE=true or `lootkeep serve --dev` allows http and localhost)"
URL_FAULTS = [
    (None, "The url field must be a string."),
    (7, "The url field must be a string."),
    (["https://shop.example"], "The url field must be a string."),
    ("", "The url field must be an HTTPS URL."),
    ("shop.example/hooks", "The url field must be an HTTPS URL."),
    ("http://shop.example/hooks", f"The url field must be an HTTPS URL{HINT}."),
    ("ftp://shop.example/", "The url field must be an HTTPS URL."),
    ("https://shop.example/a b", "The url field must be a valid URL."),
    ("https://shop.example:70000/", "The url field must be a valid URL."),
    ("https://[::1/", "The url field must be a valid URL."),
    ("https://shöp.example/", "The url field must be a valid URL."),
    ("https://shop.example:0/", "The url field must have a port between 1 and 65535."),
    ("https:///hooks", "The url field must name a host."),
    ("https://-shop.example/", "The url field must name a host."),
    ("https://me:word@shop.example/", "The url field must not contain credentials."),
    ("https://me@shop.example/", "The url field must not contain credentials."),
    ("https://shop.example/#part", "The url field must not contain a fragment."),
    ("https://shop.example/#", "The url field must not contain a fragment."),
    ("https://shop.example/" + "x" * 2028, "The url field must not be greater than 2048 characters."),
    ("https://127.0.0.1/", f"The url field must not point to a private address{HINT}."),
    ("https://10.1.2.3/", "The url field must not point to a private address."),
    ("https://169.254.169.254/latest", "The url field must not point to a private address."),
    ("https://[::1]/", f"The url field must not point to a private address{HINT}."),
    ("https://[::ffff:10.0.0.1]/", "The url field must not point to a private address."),
    ("https://localhost/", f"The url field must not point to a private address{HINT}."),
    ("https://2130706433/", "The url field must write an IP address in its ordinary form."),
    ("https://0x7f.1/", "The url field must write an IP address in its ordinary form."),
]
KNOWN = "; known types: " + ", ".join([*EVENT_TYPES, *EVENT_PATTERNS])
EVENTS_FAULTS = [
    (None, "events", "The events field must be a list."),
    ("order.paid", "events", "The events field must be a list."),
    ({"order.paid": True}, "events", "The events field must be a list."),
    ([], "events", "The events field must not be empty."),
    ([*EVENT_TYPES, "order.paid"], "events", f"The events field must not have more than {len(EVENT_TYPES)} entries."),
    ([1], "events.0", "The events.0 field must be a string."),
    (["order.paid", None], "events.1", "The events.1 field must be a string."),
    (["order.payd"], "events", f"The events field contains an unknown event type (did you mean order.paid?){KNOWN}."),
    (
        ["order.paid", "**", "", "Order.Paid"],
        "events",
        f"The events field contains an unknown event type (did you mean *, order.paid?){KNOWN}.",
    ),
    (["webhook.test"], "events", f"The events field contains an unknown event type{KNOWN}."),
    (["order.paid", "order.paid"], "events", "The events field must not contain the same event type twice."),
]


async def test_a_bad_url_is_rejected_with_a_message_on_create_and_update(busy_world: World) -> None:
    hook = await make(busy_world)
    for url, sentence in URL_FAULTS:
        created = await busy_world.post("/webhooks", HOOK | {"url": url})
        changed = await busy_world.put(f"/webhooks/{hook['id']}", {"url": url})
        for answer in (created, changed):
            assert (answer.status_code, answer.json()) == (422, rejection("url", sentence)), url
    assert [webhook["url"] for webhook in (await busy_world.get("/webhooks")).json()["data"]] == [hook["url"]]


async def test_a_bad_event_list_is_rejected_with_a_message_on_create_and_update(busy_world: World) -> None:
    webhook = await make(busy_world)
    for events, field, sentence in EVENTS_FAULTS:
        created = await busy_world.post("/webhooks", HOOK | {"events": events})
        changed = await busy_world.put(f"/webhooks/{webhook['id']}", {"events": events})
        for answer in (created, changed):
            assert (answer.status_code, answer.json()) == (422, rejection(field, sentence)), events


async def test_every_missing_field_is_named(shared_world: World) -> None:
    answer = await shared_world.post("/webhooks", {})
    assert answer.status_code == 422
    assert answer.json()["errors"] == {
        "url": ["The url field is required."],
        "events": ["The events field is required."],
    }


async def test_a_refused_url_is_not_echoed(world: World) -> None:
    answer = await world.post("/webhooks", HOOK | {"url": "https://canary:word@shop.example/"})
    assert "canary" not in answer.text


async def test_a_url_can_have_2048_characters(world: World) -> None:
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
async def test_a_good_url_is_stored_as_it_was_sent(world: World, url: str) -> None:
    webhook = await make(world, url=url)
    assert (await world.get(f"/webhooks/{webhook['id']}")).json()["data"]["url"] == url


async def test_http_and_loopback_are_accepted_where_the_operator_permits_them(insecure_world: World) -> None:
    for url in (
        "http://127.0.0.1:9000/hook",
        "http://[::1]:9000/hook",
        "http://localhost/hook",
        "http://shop.example/",
    ):
        assert (await make(insecure_world, url=url))["url"] == url
    answer = await insecure_world.post("/webhooks", HOOK | {"url": "http://10.0.0.1/hook"})
    assert answer.json() == rejection("url", "The url field must not point to a private address.")


async def test_a_store_has_at_most_100_webhooks_and_a_deleted_one_makes_room(busy_world: World) -> None:
    for _ in range(97):
        await make(busy_world)
    answers = await asyncio.gather(*(busy_world.post("/webhooks", HOOK) for _ in range(12)))
    assert Counter(answer.status_code for answer in answers) == {201: 3, 422: 9}
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
