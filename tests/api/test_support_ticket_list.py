"""The list of tickets and their figures, compared with the same computed by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from itertools import product
from operator import itemgetter
from random import Random
from statistics import mean, median
from typing import Any

import pytest

from lootkeep.kernel.clock import DAY, MINUTE
from lootkeep.services import access as access_service, recount as recount_service
from lootkeep.storage.engine.database import Engine
from tests.api.ticket_desk import LIST, a_busy_desk, assign, listed
from tests.builders import STORE, new_customer, new_ticket
from tests.world import World


@pytest.fixture
async def world(db: Engine) -> AsyncIterator[World]:
    """The world without a limit of requests."""
    world = World(db, rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()


async def ids(world: World, **params: Any) -> list[int]:
    return [entry["id"] for entry in await listed(world, **params)]


async def test_the_newest_ticket_comes_first_and_pages_are_consecutive(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    for _ in range(7):
        await new_ticket(world, customer["id"])
    all_ids = []
    for page in range(1, 5):
        answer = (await world.get(f"{LIST}?page={page}&per_page=3")).json()
        assert answer["meta"] == {"current_page": page, "last_page": 3, "per_page": 3, "total": 7}
        all_ids += [entry["id"] for entry in answer["data"]]
    assert all_ids == [7, 6, 5, 4, 3, 2, 1]


async def test_a_listed_ticket_has_no_messages(world: World) -> None:
    ticket = await new_ticket(world, (await new_customer(world))["customer"]["id"])
    (entry,) = await listed(world)
    assert entry == {name: value for name, value in ticket.items() if name not in ("messages", "earlier_before")}


async def test_every_combination_of_filters_returns_and_counts_the_matches(world: World) -> None:
    mira = await a_busy_desk(world)
    everything = await listed(world)
    choices: dict[str, tuple[Any, ...]] = {
        "status": (None, "open", "pending", "resolved", "closed"),
        "priority": (None, "low", "urgent"),
        "category": (None, "refund", "technical"),
        "assigned_to": (None, "me", "none", mira.id),
    }
    # Each combination in one of the orders, and each order with about thirty combinations.
    orders, random = [*product(("id", "created_at", "last_message_at"), ("asc", "desc"))], Random(1)
    for values in product(*choices.values()):
        sort, order = random.choice(orders)
        filters = {name: value for name, value in zip(choices, values, strict=True) if value is not None}
        matching = sorted(
            (entry for entry in everything if matches(entry, filters)),
            key=itemgetter(sort, "id"),
            reverse=order == "desc",
        )
        expected = [entry["id"] for entry in matching]
        assert (filters, sort, await ids(world, **filters, sort=sort, order=order)) == (filters, sort, expected)


def matches(entry: dict[str, Any], filters: dict[str, Any]) -> bool:
    agent = entry["assigned_to"] and entry["assigned_to"]["id"]
    hands = {"me": 1, "none": None}
    return all(
        agent == hands.get(value, value) if name == "assigned_to" else entry[name] == value
        for name, value in filters.items()
    )


async def test_customers_orders_and_days_are_filters_too(world: World) -> None:
    await a_busy_desk(world)
    everything = await listed(world)
    first, last = everything[40]["created_at"][:10], everything[15]["created_at"][:10]
    assert first < last
    within = [entry for entry in everything if first <= entry["created_at"][:10] <= last]
    assert await listed(world, **{"from": first, "to": last}) == within
    assert await listed(world, **{"from": last}) == [e for e in everything if e["created_at"][:10] >= last]
    assert await listed(world, to=first) == [e for e in everything if e["created_at"][:10] <= first]
    for more in ({"status": "open"}, {"status": "open", "priority": "high"}, {"assigned_to": "none"}):
        expected = [entry for entry in within if matches(entry, more)]
        assert await listed(world, **{"from": first, "to": last}, **more) == expected
        expected.sort(key=lambda entry: (entry["last_message_at"], entry["id"]))
        assert (
            await listed(world, **{"from": first, "to": last}, **more, sort="last_message_at", order="asc") == expected
        )
    customer, order = everything[0]["customer"], next(entry["order_id"] for entry in everything if entry["order_id"])
    for name, of_them in (
        ("customer_id", [entry for entry in everything if entry["customer"] == customer]),
        ("order_id", [entry for entry in everything if entry["order_id"] == order]),
    ):
        filters = {name: customer["id"] if name == "customer_id" else order}
        assert await listed(world, **filters) == of_them
        assert await listed(world, **filters, status="open") == [e for e in of_them if e["status"] == "open"]


async def test_a_search_looks_at_subjects_names_emails_and_numbers(world: World) -> None:
    jun = (await new_customer(world, name="Jun Park", email="jun@park.example"))["customer"]
    ana = (await new_customer(world, name="Ana Ruiz", email="ana@ruiz.example"))["customer"]
    await new_ticket(world, jun["id"], subject="Straße gesperrt")
    await new_ticket(world, ana["id"], subject="100% broken_key")
    for term, expected in (
        ("STRASSE", [1]),
        ("jun", [1]),
        ("RUIZ.EXAMPLE", [2]),
        ("0%", [2]),
        ("n_k", [2]),
        ("u", [2, 1]),
        ("tkt-000002", [2]),
        ("TKT-2", [2]),
        ("TKT-3", []),
        ("TKT-0", []),
        ("park.example\n", [1]),
        ("gesperrt jun", []),
        ("   ", [2, 1]),
    ):
        assert (term, await ids(world, search=term)) == (term, expected)
    assert await ids(world, search="key", status="open", assigned_to="none") == [2]
    assert await ids(world, search="key", status="closed") == []
    assert await ids(world, search="key", **{"from": "2026-11-16"}) == []


async def test_me_is_the_user_of_the_token(world: World) -> None:
    mira = await access_service.add_user(world.deps, "mira@store.example", "Mira Voss")
    token = await world.new_token("support-tickets:read", user_email=mira.email)
    for _ in range(2):
        await new_ticket(world, (await new_customer(world))["customer"]["id"])
    await assign(world, 2, mira)
    assert [e["id"] for e in (await world.get(f"{LIST}?assigned_to=me", token=token)).json()["data"]] == [2]
    assert (await world.get(f"{LIST}?assigned_to=me")).json()["data"] == []


@pytest.mark.parametrize(
    ("query", "field", "sentence"),
    [
        ("status=new", "status", "must be one of: open, pending, resolved, closed"),
        ("priority=1", "priority", "must be one of: low, normal, high, urgent"),
        ("category=", "category", "must be one of: order, payment, delivery, account, refund, technical, other"),
        ("assigned_to=you", "assigned_to", "must be the id of a user, `me` or `none`"),
        ("assigned_to=0", "assigned_to", "must be the id of a user, `me` or `none`"),
        ("assigned_to=-1", "assigned_to", "must be the id of a user, `me` or `none`"),
        ("assigned_to=9223372036854775808", "assigned_to", "must be the id of a user, `me` or `none`"),
        ("assigned_to=99999999999999999999999", "assigned_to", "must be the id of a user, `me` or `none`"),
        ("assigned_to=%D9%A1", "assigned_to", "must be the id of a user, `me` or `none`"),
        ("customer_id=x", "customer_id", "must be an integer"),
        ("order_id=0", "order_id", "must be at least 1"),
        ("from=2026-02-30", "from", "must be a day like 2026-11-15"),
        ("from=2026-11-16&to=2026-11-15", "from", "must not be after to"),
        ("sort=subject", "sort", "must be one of: id, created_at, last_message_at"),
        ("order=up", "order", "must be one of: asc, desc"),
        ("per_page=101", "per_page", "must not be greater than 100"),
        (f"search={'x' * 256}", "search", "must not be greater than 255 characters"),
    ],
)
async def test_a_bad_filter_is_rejected(shared_world: World, query: str, field: str, sentence: str) -> None:
    answer = await shared_world.get(f"{LIST}?{query}")
    words = field.replace("_", " ")
    assert (answer.status_code, answer.json()["errors"]) == (422, {field: [f"The {words} field {sentence}."]})


async def test_the_figures_of_an_empty_desk_are_zero_or_null(world: World) -> None:
    assert (await world.get("/support-tickets/stats")).json() == {
        "success": True,
        "data": {
            "total": 0,
            "by_status": {"open": 0, "pending": 0, "resolved": 0, "closed": 0},
            "by_priority": {"low": 0, "normal": 0, "high": 0, "urgent": 0},
            "by_category": dict.fromkeys(
                ("order", "payment", "delivery", "account", "refund", "technical", "other"), 0
            ),
            "unassigned": 0,
            "created_today": 0,
            "closed_today": 0,
            "average_first_response_minutes": None,
            "median_first_response_minutes": None,
            "average_resolution_minutes": None,
            "median_resolution_minutes": None,
            "by_agent": [],
        },
    }


async def test_the_figures_are_those_of_the_tickets(world: World) -> None:
    mira = await a_busy_desk(world)
    everything = await listed(world)
    stats = (await world.get("/support-tickets/stats")).json()["data"]
    for name in ("status", "priority", "category"):
        for word, count in stats[f"by_{name}"].items():
            assert (word, count) == (word, sum(entry[name] == word for entry in everything))
    assert stats["total"] == len(everything)
    assert stats["unassigned"] == sum(entry["assigned_to"] is None for entry in everything)
    today = everything[0]["created_at"][:10]
    assert stats["created_today"] == sum(entry["created_at"][:10] == today for entry in everything)
    assert stats["closed_today"] == sum((entry["closed_at"] or "")[:10] == today for entry in everything)
    assert times(stats) == reckoned(everything)
    (of_mira,) = [agent for agent in stats["by_agent"] if agent["user"] == {"id": mira.id, "name": "Mira Voss"}]
    hers = [entry for entry in everything if entry["assigned_to"] == of_mira["user"]]
    assert of_mira["assigned"] == len(hers)
    assert of_mira["by_status"] == {
        word: sum(entry["status"] == word for entry in hers) for word in ("open", "pending", "resolved", "closed")
    }
    average_response, _, average_resolution, _ = reckoned(hers)
    assert of_mira["average_first_response_minutes"] == average_response
    assert of_mira["average_resolution_minutes"] == average_resolution
    assert set((await recount_service.check(world.deps)).values()) == {0}


def times(stats: dict[str, Any]) -> tuple[Any, ...]:
    kinds = ("first_response", "resolution")
    return tuple(stats[f"{statistic}_{kind}_minutes"] for kind in kinds for statistic in ("average", "median"))


def reckoned(entries: list[dict[str, Any]]) -> tuple[Any, ...]:
    figures = []
    for name in ("first_response_at", "resolved_at"):
        seconds = [_seconds(e[name]) - _seconds(e["created_at"]) for e in entries if e[name]]
        figures += [round(average(seconds) / 60, 2) for average in (mean, median)]
    return tuple(figures)


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


async def test_today_is_the_utc_day_and_reopened_tickets_do_not_count_as_closed(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    for _ in range(2):
        await new_ticket(world, customer["id"])
    await world.post(f"{LIST}/1/close")
    await world.post(f"{LIST}/2/close")
    await world.post(f"{STORE}/support-tickets/2/messages", {"message": "Still broken."})
    stats = (await world.get("/support-tickets/stats")).json()["data"]
    assert (stats["created_today"], stats["closed_today"]) == (2, 1)
    world.clock.advance(DAY)
    stats = (await world.get("/support-tickets/stats")).json()["data"]
    assert (stats["created_today"], stats["closed_today"], stats["by_status"]["closed"]) == (0, 0, 1)


async def test_the_median_of_an_even_number_of_tickets_is_the_middle(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    for minutes in (1, 7, 2000, 5000):
        ticket = await new_ticket(world, customer["id"])
        world.clock.advance(minutes * MINUTE)
        await world.post(f"{LIST}/{ticket['id']}/messages", {"message": "Hm."})
    stats = (await world.get("/support-tickets/stats")).json()["data"]
    assert (stats["average_first_response_minutes"], stats["median_first_response_minutes"]) == (1752, 1003.5)
