"""E-mail campaigns over HTTP: writing them, whom they reach, and what may be done in which state."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import bindparam, update

from lootkeep.kernel.clock import DAY, SECOND, iso
from lootkeep.storage.query import Query
from lootkeep.storage.tables import customers, email_campaigns
from tests.builders import new_customer, new_product, paid_order, referred
from tests.world import World

PATH = "/email-campaigns"
STATES = ("draft", "scheduled", "sending", "sent", "cancelled", "failed")
HOSTILE = '<b>&amp;</b> "quoted" {{ 7*7 }} {% x %} %s \\ 💎 ﷽ \'; DROP TABLE email_campaigns; --'


async def make(world: World, **fields: Any) -> dict[str, Any]:
    body = {"name": "Winter sale", "subject": "Hello {{ name }}", "body_html": "<p>Hi</p>"} | fields
    answer = await world.post(PATH, body)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def reader(world: World, **fields: Any) -> dict[str, Any]:
    """A customer who takes mail."""
    customer: dict[str, Any] = (await new_customer(world, accepts_marketing=True, **fields))["customer"]
    return customer


async def read(world: World, campaign_id: int) -> dict[str, Any]:
    data: dict[str, Any] = (await world.get(f"{PATH}/{campaign_id}")).json()["data"]
    return data


async def set_customer(world: World, customer_id: int, **values: Any) -> None:
    async with world.db.write() as tx:
        await tx.run(
            Query(update(customers).where(customers.c.id == bindparam("this")).values(**values)), this=customer_id
        )


async def in_state(world: World, state: str) -> dict[str, Any]:
    campaign = await make(world)
    async with world.db.write() as tx:
        this = email_campaigns.c.id == bindparam("this")
        values = {"status": state, "scheduled_at": world.clock.now() + DAY}
        await tx.run(Query(update(email_campaigns).where(this).values(values)), this=campaign["id"])
    return campaign


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
    }


async def test_hostile_text_comes_back_as_it_was_sent(world: World) -> None:
    fields = dict.fromkeys(["name", "subject", "preview_text", "from_name", "body_html", "body_text"], HOSTILE)
    filters = {"tags": [HOSTILE[:64]]}
    campaign = await make(world, **fields, audience={"type": "segment", "filters": filters})
    assert campaign["audience"]["filters"]["tags"] == filters["tags"]
    assert {name: campaign[name] for name in fields} == fields
    assert {name: (await read(world, campaign["id"]))[name] for name in fields} == fields
    found = (await world.get(PATH, params={"search": HOSTILE})).json()["data"]
    assert [one["id"] for one in found] == [campaign["id"]]


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
async def test_a_line_break_is_refused_in_every_header_and_all_are_named(world: World, break_: str) -> None:
    bad = f"a{break_}Bcc: evil@evil.example"
    fields = {"name": bad, "subject": bad, "preview_text": bad, "from_name": bad}
    answer = await world.post(PATH, fields)
    assert answer.status_code == 422
    assert {name: sentences[0] for name, sentences in answer.json()["errors"].items()} == {
        name: f"The {name.replace('_', ' ')} field must be on one line." for name in fields
    }
    campaign = await make(world)
    for name in fields:
        assert (await world.put(f"{PATH}/{campaign['id']}", {name: bad})).status_code == 422
    reply = await world.post(PATH, {"name": "N", "subject": "S", "reply_to": f"a@b.example{break_}Bcc: x@y.example"})
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
async def test_what_cannot_be_is_refused_with_its_field(
    world: World, fields: dict[str, Any], name: str, sentence: str
) -> None:
    answer = await world.post(PATH, {"name": "N", "subject": "S"} | fields)
    assert answer.status_code == 422, answer.text
    assert list(answer.json()["errors"]) == [name]
    assert answer.json()["errors"][name][0].endswith(f"{sentence}.")


async def test_the_text_is_made_from_the_html_until_one_is_given(world: World) -> None:
    campaign = await make(world, body_html="<h1>Sale</h1><p>Look <a href='https://x.example/'>here</a></p>")
    assert campaign["body_text"] == "Sale\n\nLook here (https://x.example/)\n"
    path = f"{PATH}/{campaign['id']}"
    changed = (await world.put(path, {"body_html": "<p>Other</p>"})).json()["data"]
    assert changed["body_text"] == "Other\n"
    given = (await world.put(path, {"body_text": "My own"})).json()["data"]
    assert given["body_text"] == "My own"
    kept = (await world.put(path, {"body_html": "<p>Third</p>"})).json()["data"]
    assert kept["body_text"] == "My own"
    again = (await world.put(path, {"body_text": None})).json()["data"]
    assert again["body_text"] == "Third\n"


async def test_only_the_fields_sent_are_changed(world: World) -> None:
    campaign = await make(world, audience={"type": "customers", "customer_ids": [5, 5, 7]})
    world.clock.advance(SECOND)
    answer = await world.put(f"{PATH}/{campaign['id']}", {"name": "Spring sale"})
    assert answer.json()["message"] == "Campaign updated successfully"
    assert answer.json()["data"] == campaign | {"name": "Spring sale", "updated_at": "2026-11-15T12:00:01Z"}
    assert campaign["audience"]["customer_ids"] == [5, 7]


@pytest.mark.parametrize("state", STATES)
async def test_a_campaign_is_changed_and_deleted_only_as_a_draft_or_scheduled(world: World, state: str) -> None:
    campaign = await in_state(world, state)
    path = f"{PATH}/{campaign['id']}"
    may = state in ("draft", "scheduled")
    changed = await world.put(path, {"name": "Other"})
    deleted = await world.delete(path)
    assert (changed.status_code, deleted.status_code) == ((200, 200) if may else (409, 409))
    if may:
        assert deleted.json() == {"success": True, "message": "Campaign deleted successfully"}
        assert (await world.get(path)).status_code == 404
    else:
        assert deleted.json()["code"] == "campaign_not_editable"
        assert deleted.json()["message"] == f"A campaign that is {state} cannot be changed or deleted."


@pytest.mark.parametrize("state", STATES)
async def test_only_a_draft_can_be_sent(world: World, state: str) -> None:
    await reader(world)
    campaign = await in_state(world, state)
    answer = await world.post(f"{PATH}/{campaign['id']}/send", {})
    assert answer.status_code == (200 if state == "draft" else 409)
    if state != "draft":
        assert answer.json()["message"] == f"A campaign that is {state} cannot be sent again."


@pytest.mark.parametrize("state", STATES)
async def test_only_what_is_scheduled_or_being_sent_can_be_cancelled(world: World, state: str) -> None:
    campaign = await in_state(world, state)
    answer = await world.post(f"{PATH}/{campaign['id']}/cancel")
    assert answer.status_code == (200 if state in ("scheduled", "sending", "cancelled") else 409)
    expected = "cancelled" if answer.status_code == 200 else state
    assert (await read(world, campaign["id"]))["status"] == expected


@pytest.mark.parametrize("state", STATES)
async def test_every_campaign_can_be_duplicated_to_a_draft(world: World, state: str) -> None:
    campaign = await in_state(world, state)
    answer = await world.post(f"{PATH}/{campaign['id']}/duplicate", {})
    assert answer.status_code == 201
    assert answer.json()["message"] == "Campaign duplicated successfully"
    copy = answer.json()["data"]
    expected = {"id": campaign["id"] + 1, "name": "Winter sale (copy)", "duplicated_from_id": campaign["id"]}
    assert copy == campaign | expected
    named = (await world.post(f"{PATH}/{campaign['id']}/duplicate", {"name": "Mine"})).json()["data"]
    assert named["name"] == "Mine"


async def test_the_longest_name_is_shortened_in_a_copy_and_a_copy_outlives_its_original(world: World) -> None:
    campaign = await make(world, name="x" * 255)
    copy = (await world.post(f"{PATH}/{campaign['id']}/duplicate", {})).json()["data"]
    assert copy["name"] == "x" * 248 + " (copy)"
    assert (await world.delete(f"{PATH}/{campaign['id']}")).status_code == 200
    assert (await read(world, copy["id"]))["duplicated_from_id"] == campaign["id"]


async def test_sending_now_fixes_the_recipients_and_starts(world: World) -> None:
    for _ in range(3):
        await reader(world)
    await new_customer(world)
    campaign = await make(world)
    answer = await world.post(f"{PATH}/{campaign['id']}/send", {})
    assert answer.json()["message"] == "Campaign is being sent"
    data = answer.json()["data"]
    assert (data["status"], data["recipients_count"], data["started_at"]) == ("sending", 3, "2026-11-15T12:00:00Z")
    await reader(world)
    assert (await read(world, campaign["id"]))["recipients_count"] == 3
    assert (await world.post(f"{PATH}/{campaign['id']}/send", {})).status_code == 409


async def test_a_body_or_an_audience_that_is_missing_is_refused(world: World) -> None:
    empty = await make(world, body_html=" ")
    answer = await world.post(f"{PATH}/{empty['id']}/send", {})
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["body_html"])
    campaign = await make(world)
    for body in ({}, {"scheduled_at": "2026-11-16T12:00:00Z"}):
        answer = await world.post(f"{PATH}/{campaign['id']}/send", body)
        assert (answer.status_code, answer.json()["code"]) == (422, "empty_audience")
        assert answer.json()["error"] == "Unprocessable"
    assert (await read(world, campaign["id"]))["status"] == "draft"


@pytest.mark.parametrize(
    ("offset", "sentence"),
    [
        (0, "must lie in the future"),
        (-DAY, "must lie in the future"),
        (367 * DAY, "must not lie more than a year ahead"),
    ],
)
async def test_a_time_that_is_not_ahead_or_too_far_is_refused(world: World, offset: int, sentence: str) -> None:
    await reader(world)
    campaign = await make(world)
    time = iso(world.clock.now() + offset)  # type: ignore[arg-type]
    answer = await world.post(f"{PATH}/{campaign['id']}/send", {"scheduled_at": time})
    assert answer.json()["errors"] == {"scheduled_at": [f"The scheduled at field {sentence}."]}


async def test_a_scheduled_campaign_says_when_and_cannot_lose_its_body(world: World) -> None:
    await reader(world)
    campaign = await make(world)
    answer = await world.post(f"{PATH}/{campaign['id']}/send", {"scheduled_at": "2027-11-15T12:00:00Z"})
    assert answer.json()["message"] == "Campaign scheduled"
    data = answer.json()["data"]
    assert (data["status"], data["scheduled_at"]) == ("scheduled", "2027-11-15T12:00:00Z")
    assert data["recipients_count"] == 0
    emptied = await world.put(f"{PATH}/{campaign['id']}", {"body_html": None})
    assert (emptied.status_code, list(emptied.json()["errors"])) == (422, ["body_html"])
    assert (await read(world, campaign["id"]))["body_html"] == "<p>Hi</p>"


async def test_the_preview_tells_who_is_left_out_and_why_and_changes_nothing(world: World) -> None:
    people = [await reader(world, name=f"Reader {n}") for n in range(18)]
    left_out: list[dict[str, Any]] = [
        {"accepts_marketing": False},
        {"email_status": "unsubscribed"},
        {"email_status": "complained"},
        {"email_status": "bounced", "accepts_marketing": False},
        {"status": "blocked", "email_status": "bounced"},
    ]
    for number, values in enumerate(left_out):
        await set_customer(world, people[number]["id"], **values)
    campaign = await make(world)
    before = await read(world, campaign["id"])
    data = (await world.get(f"{PATH}/{campaign['id']}/preview-recipients")).json()["data"]
    assert data["total"] == 13
    assert data["excluded"] == {"not_opted_in": 1, "unsubscribed": 2, "bounced": 1, "blocked": 1}
    assert data["sample"] == [{name: one[name] for name in ("id", "name", "email")} for one in people[5:15]]
    assert await read(world, campaign["id"]) == before
    sent = (await world.post(f"{PATH}/{campaign['id']}/send", {})).json()["data"]
    assert sent["recipients_count"] == 13


async def test_each_filter_finds_whom_it_names(world: World) -> None:
    product, other = await new_product(world), await new_product(world, name="Other")
    buyer = await reader(world, country="DE")
    await paid_order(world, buyer["id"], (product["id"], 2))
    world.clock.advance(10 * DAY)
    late = await reader(world, country="FR")
    await paid_order(world, late["id"], (other["id"], 1))
    await referred(world, buyer["referral_code"])
    await set_customer(world, late["id"], tags='["vip", "odd \\"tag\\""]')
    idle = await reader(world)
    middle = iso(world.clock.now() - 5 * DAY)  # type: ignore[arg-type]
    expected: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        ({"countries": ["de", "AT"]}, [buyer]),
        ({"min_total_spent": "40.00"}, [buyer]),
        ({"min_total_spent": 20}, [buyer, late]),
        ({"min_orders": 1}, [buyer, late]),
        ({"last_order_before": middle}, [buyer]),
        ({"last_order_after": middle}, [late]),
        ({"registered_from": middle}, [late, idle]),
        ({"registered_to": middle}, [buyer]),
        ({"product_ids": [product["id"], 999]}, [buyer]),
        ({"product_ids": [product["id"], other["id"]]}, [buyer, late]),
        ({"tags": ['odd "tag"', "none"]}, [late]),
        ({"is_referrer": True}, [buyer]),
        ({"is_referrer": False}, [late, idle]),
        ({"countries": ["FR"], "is_referrer": False, "tags": ["vip"]}, [late]),
        ({"countries": ["FR"], "is_referrer": True}, []),
    ]
    for filters, people in expected:
        campaign = await make(world, audience={"type": "segment", "filters": filters})
        data = (await world.get(f"{PATH}/{campaign['id']}/preview-recipients")).json()["data"]
        assert [one["id"] for one in data["sample"]] == [one["id"] for one in people], filters
        assert data["total"] == len(people)
    named = await make(world, audience={"type": "customers", "customer_ids": [idle["id"], buyer["id"], 12345]})
    data = (await world.get(f"{PATH}/{named['id']}/preview-recipients")).json()["data"]
    assert [one["id"] for one in data["sample"]] == [buyer["id"], idle["id"]]


async def test_figures_of_a_campaign_that_was_never_sent_are_zero(world: World) -> None:
    campaign = await make(world)
    data = (await world.get(f"{PATH}/{campaign['id']}/stats")).json()["data"]
    assert set(data.values()) == {0}
    assert {"recipients", "sent", "failed", "opened", "clicked", "unsubscribed", "open_rate"} <= data.keys()


async def test_figures_and_their_rates(world: World) -> None:
    campaign = await in_state(world, "sending")
    counts = {"recipients": 12, "sent": 8, "failed": 1, "skipped": 1, "opened": 6, "clicked": 3, "unsubscribed": 1}
    async with world.db.write() as tx:
        await tx.run(Query(update(email_campaigns).values({f"{name}_count": n for name, n in counts.items()})))
    data = (await world.get(f"{PATH}/{campaign['id']}/stats")).json()["data"]
    rates = {"open_rate": 75.0, "click_rate": 37.5, "unsubscribe_rate": 12.5, "failure_rate": 11.11, "progress": 83.33}
    assert data == counts | rates | {"pending": 2, "outbox": 0, "perhaps_twice": 0}


async def test_the_list_is_filtered_searched_sorted_and_paged(world: World) -> None:
    names = ["Alpha", "Ärger", "Beta sale", "Gamma"]
    for number, name in enumerate(names):
        await make(world, name=name, subject=f"Subject {number}")
        world.clock.advance(DAY)

    async def listed(**params: Any) -> list[str]:
        answer = await world.get(PATH, params=params)
        assert answer.status_code == 200, answer.text
        return [one["name"] for one in answer.json()["data"]]

    assert await listed() == names[::-1]
    assert await listed(order="asc") == names
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
async def test_a_campaign_that_is_not_there_is_not_found(world: World, method: str, path: str) -> None:
    answer = await world.call(method, f"{PATH}/99{path}", {} if method in ("PUT", "POST") else None)
    assert (answer.status_code, answer.json()["message"]) == (404, "Email campaign not found.")
