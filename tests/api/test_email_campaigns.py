"""E-mail campaigns over HTTP: writing them, their list, and their figures."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from lootkeep.kernel.clock import DAY, SECOND
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import email_campaigns
from tests.api.campaigns import PATH, in_state, make, read
from tests.world import World

NOON, LATER = "2026-01-01T12:00:00Z", "2026-01-01T12:00:00.000001Z"
HOSTILE = '<b>&amp;</b> "quoted" {{ 7*7 }} {% x %} %s \\ 💎 ﷽ \'; DROP TABLE email_campaigns; --'


async def test_a_campaign_is_created_as_a_draft_with_every_field(world: World) -> None:
    answer = await world.post(PATH, {"name": "N", "subject": "S"})
    assert answer.status_code == 201
    assert answer.json()["message"] == "Campaign created successfully"
    filters = dict.fromkeys(
        [
            "countries",
            "min_total_spent",
            "min_orders",
            "last_order_before",
            "last_order_after",
            "registered_from",
            "registered_to",
            "product_ids",
            "tags",
            "is_referrer",
        ]
    )
    assert answer.json()["data"] == {
        "id": 1,
        "name": "N",
        "subject": "S",
        "preview_text": None,
        "from_name": None,
        "reply_to": None,
        "audience": {"type": "all", "customer_ids": [], "filters": filters},
        "status": "draft",
        "scheduled_at": None,
        "recipients_count": 0,
        "sent_count": 0,
        "failed_count": 0,
        "skipped_count": 0,
        "outbox_count": 0,
        "error": None,
        "started_at": None,
        "completed_at": None,
        "duplicated_from_id": None,
        "created_at": "2026-11-15T12:00:00Z",
        "updated_at": "2026-11-15T12:00:00Z",
        "body_html": None,
        "body_text": None,
        "body_markdown": None,
    }


async def test_hostile_text_comes_back_as_it_was_sent(world: World) -> None:
    # A placeholder that is not known is refused.
    text = HOSTILE.replace("{{", "{")
    fields = dict.fromkeys(["name", "subject", "preview_text", "from_name", "body_html", "body_text"], text)
    filters = {"tags": [HOSTILE[:64]]}
    campaign = await make(world, **fields, audience={"type": "segment", "filters": filters})
    assert campaign["audience"]["filters"]["tags"] == filters["tags"]
    assert {name: campaign[name] for name in fields} == fields
    assert {name: (await read(world, campaign["id"]))[name] for name in fields} == fields
    campaigns = (await world.get(PATH, params={"search": text})).json()["data"]
    assert [current["id"] for current in campaigns] == [campaign["id"]]


async def test_every_field_of_an_audience_comes_back(world: World) -> None:
    filters = {
        "countries": ["DE", "AT"],
        "min_total_spent": "10.50",
        "min_orders": 2,
        "last_order_before": "2026-11-01T00:00:00Z",
        "last_order_after": "2026-01-01T00:00:00Z",
        "registered_from": "2025-01-01T00:00:00Z",
        "registered_to": "2026-10-01T00:00:00Z",
        "product_ids": [1, 2],
        "tags": ["vip", 'odd "tag"'],
        "is_referrer": True,
    }
    campaign = await make(world, audience={"type": "segment", "filters": filters})
    assert campaign["audience"] == {"type": "segment", "customer_ids": [], "filters": filters}
    answer = await world.get(f"{PATH}/{campaign['id']}/preview-recipients")
    assert answer.json()["data"]["total"] == 0


@pytest.mark.parametrize("break_", ["\n", "\r", "\r\n", "\x0b", "\x85", "\u2028"])
async def test_a_line_break_is_rejected_in_every_header_and_all_headers_are_named(
    shared_world: World, break_: str
) -> None:
    bad = f"a{break_}Bcc: evil@evil.example"
    fields = {"name": bad, "subject": bad, "preview_text": bad, "from_name": bad}
    answer = await shared_world.post(PATH, fields)
    assert answer.status_code == 422
    assert {name: sentences[0] for name, sentences in answer.json()["errors"].items()} == {
        name: f"The {name.replace('_', ' ')} field must be on one line." for name in fields
    }
    campaign = await make(shared_world)
    for name in fields:
        assert (await shared_world.put(f"{PATH}/{campaign['id']}", {name: bad})).status_code == 422
    reply = await shared_world.post(
        PATH, {"name": "N", "subject": "S", "reply_to": f"a@b.example{break_}Bcc: x@y.example"}
    )
    assert list(reply.json()["errors"]) == ["reply_to"]


@pytest.mark.parametrize(
    ("fields", "name", "sentence"),
    [
        ({"name": ""}, "name", "must not be empty"),
        ({"subject": "   "}, "subject", "must not be blank"),
        ({"subject": "x" * 256}, "subject", "must not be greater than 255 characters"),
        ({"reply_to": "nobody"}, "reply_to", "must be a valid e-mail address"),
        ({"body_html": "é" * 256_001}, "body_html", "must not be larger than 500 KB"),
        ({"body_text": 5}, "body_text", "must be a string"),
        ({"audience": {"type": "some"}}, "audience.type", "must be one of: all, segment, customers"),
        ({"audience": {"type": "customers"}}, "audience.customer_ids", "is required when the type is customers"),
        (
            {"audience": {"type": "segment", "filters": {"last_order_after": NOON, "last_order_before": NOON}}},
            "audience.filters.last_order_after",
            "must be before last order before",
        ),
        (
            {"audience": {"type": "segment", "filters": {"registered_from": LATER, "registered_to": NOON}}},
            "audience.filters.registered_from",
            "must not be after registered to",
        ),
        (
            {"audience": {"type": "segment"}},
            "audience.filters",
            "needs at least one filter when the type is segment",
        ),
        (
            {"audience": {"type": "customers", "customer_ids": list(range(1, 10_002))}},
            "audience.customer_ids",
            "must not have more than 10000 entries",
        ),
        (
            {"audience": {"type": "segment", "filters": {"countries": ["XX"]}}},
            "audience.filters.countries.0",
            "must be an ISO 3166-1 alpha-2 country code",
        ),
        (
            {"audience": {"type": "segment", "filters": {"min_total_spent": "-1"}}},
            "audience.filters.min_total_spent",
            "must be at least 0",
        ),
    ],
)
async def test_an_impossible_value_is_rejected_with_its_field(
    shared_world: World, fields: dict[str, Any], name: str, sentence: str
) -> None:
    answer = await shared_world.post(PATH, {"name": "N", "subject": "S"} | fields)
    assert answer.status_code == 422, answer.text
    assert list(answer.json()["errors"]) == [name]
    assert answer.json()["errors"][name][0].endswith(f"{sentence}.")


async def test_the_text_is_created_from_the_html_unless_one_is_sent(world: World) -> None:
    campaign = await make(world, body_html="<h1>Sale</h1><p>Look <a href='https://x.example/'>here</a></p>")
    assert campaign["body_text"] == "Sale\n\nLook here (https://x.example/)\n"
    path = f"{PATH}/{campaign['id']}"
    changed = (await world.put(path, {"body_html": "<p>Other</p>"})).json()["data"]
    assert changed["body_text"] == "Other\n"
    with_own_text = (await world.put(path, {"body_text": "My own"})).json()["data"]
    assert with_own_text["body_text"] == "My own"
    current = (await world.put(path, {"body_html": "<p>Third</p>"})).json()["data"]
    assert current["body_text"] == "My own"
    again = (await world.put(path, {"body_text": None})).json()["data"]
    assert again["body_text"] == "Third\n"


async def test_only_the_fields_sent_are_changed(world: World) -> None:
    campaign = await make(world, audience={"type": "customers", "customer_ids": [5, 5, 7]})
    world.clock.advance(SECOND)
    answer = await world.put(f"{PATH}/{campaign['id']}", {"name": "Spring sale"})
    assert answer.json()["message"] == "Campaign updated successfully"
    assert answer.json()["data"] == campaign | {"name": "Spring sale", "updated_at": "2026-11-15T12:00:01Z"}
    assert campaign["audience"]["customer_ids"] == [5, 7]


async def test_figures_of_a_campaign_that_was_never_sent_are_zero(world: World) -> None:
    campaign = await make(world)
    data = (await world.get(f"{PATH}/{campaign['id']}/stats")).json()["data"]
    assert set(data.values()) == {0}
    assert {"recipients", "sent", "failed", "opened", "clicked", "unsubscribed", "open_rate"} <= data.keys()


async def test_figures_include_their_rates(world: World) -> None:
    campaign = await in_state(world, "sending")
    counts = {"recipients": 12, "sent": 8, "failed": 1, "skipped": 1, "opened": 6, "clicked": 3, "unsubscribed": 1}
    async with world.db.write() as tx:
        await tx.run(Query(update(email_campaigns).values({f"{name}_count": n for name, n in counts.items()})))
    data = (await world.get(f"{PATH}/{campaign['id']}/stats")).json()["data"]
    rates = {"open_rate": 75.0, "click_rate": 37.5, "unsubscribe_rate": 12.5, "failure_rate": 11.11, "progress": 83.33}
    assert data == counts | rates | {"pending": 2, "outbox": 0, "perhaps_twice": 0, "referral_clicks": 0}


async def test_the_list_is_filtered_searched_sorted_and_paged(world: World) -> None:
    names = ["Alpha", "Ärger", "Beta sale", "Gamma"]
    for number, name in enumerate(names):
        await make(world, name=name, subject=f"Subject {number}")
        world.clock.advance(DAY)

    async def listed(**params: Any) -> list[str]:
        answer = await world.get(PATH, params=params)
        assert answer.status_code == 200, answer.text
        return [tier["name"] for tier in answer.json()["data"]]

    assert await listed() == names[::-1]
    assert await listed(order="asc") == await listed(sort="id", order="asc") == names
    assert await listed(sort="name", order="asc") in (
        ["Alpha", "Beta sale", "Gamma", "Ärger"],
        ["Alpha", "Ärger", "Beta sale", "Gamma"],
    )
    assert await listed(search="SALE") == ["Beta sale"]
    assert await listed(search="ärg") == ["Ärger"]
    assert await listed(search="ä") == ["Ärger"]
    assert await listed(search="subject 3") == ["Gamma"]
    assert await listed(**{"from": "2026-11-16", "to": "2026-11-17"}) == ["Beta sale", "Ärger"]
    assert await listed(status="sent") == []
    assert await listed(status="draft", per_page=2, page=2) == ["Ärger", "Alpha"]
    answer = (await world.get(PATH, params={"per_page": 3})).json()
    assert answer["meta"] == {"current_page": 1, "last_page": 2, "per_page": 3, "total": 4}
    assert "body_html" not in answer["data"][0]
    assert (await world.get(PATH, params={"status": "lost"})).status_code == 422


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", ""),
        ("PUT", ""),
        ("DELETE", ""),
        ("GET", "/stats"),
        ("GET", "/preview-recipients"),
        ("POST", "/send"),
        ("POST", "/cancel"),
        ("POST", "/duplicate"),
    ],
)
async def test_a_missing_campaign_is_not_found(world: World, method: str, path: str) -> None:
    answer = await world.call(method, f"{PATH}/99{path}", {} if method in ("PUT", "POST") else None)
    assert (answer.status_code, answer.json()["message"]) == (404, "Email campaign not found.")
