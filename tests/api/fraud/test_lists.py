"""The list of fraud checks with all its filters, compared with a plain count of what is stored."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from lootkeep.kernel.clock import DAY, Instant, iso
from tests.api.fraud.shop import PROXY, TOR, VPN, check, judged, regular, review, settings, shop
from tests.world import World

LEVELS = (None, "low", "medium", "high", "critical")
ACTIONS = (None, "allowed", "flagged", "blocked", "verification_required")


async def filled(world: World) -> list[dict[str, Any]]:
    """Checks of many kinds over several days."""
    await shop(world)
    customers = [await regular(world) for _ in range(3)]
    await settings(world, fraud_action="verify")
    for number in range(36):
        ip = ("203.0.113.9", TOR, PROXY, VPN)[number % 4]
        agent = ("Mozilla/5.0 Firefox/128.0", "curl/8.0", None)[number % 3]
        await judged(world, customers[number % 3], ip_address=ip, user_agent=agent)
        world.clock.advance(DAY // 5)
    for number in range(1, 37, 5):
        await review(world, number, "legitimate")
    return [(await check(world, number))["check"] for number in range(36, 0, -1)]


async def listed(world: World, **query: Any) -> tuple[list[int], int]:
    params = {name: str(value).lower() for name, value in query.items() if value is not None}
    answer = await world.get("/fraud/checks", params=params)
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["data"]], answer.json()["meta"]["total"]


async def test_every_combination_of_filters_equals_a_plain_scan(world: World) -> None:
    stored = await filled(world)
    begin, end = "2026-12-17", "2026-12-20"
    days = ((None, None), (begin, None), (None, end), (begin, end))
    for level, action, reviewed, (first, last) in product(LEVELS, ACTIONS, (None, True, False), days):
        expected = [
            fraud_check["id"]
            for fraud_check in stored
            if level in (None, fraud_check["risk_level"])
            and action in (None, fraud_check["action_taken"])
            and reviewed in (None, fraud_check["is_reviewed"])
            and (first is None or fraud_check["created_at"][:10] >= first)
            and (last is None or fraud_check["created_at"][:10] <= last)
        ]
        query = {
            "risk_level": level,
            "action_taken": action,
            "is_reviewed": reviewed,
            "start_date": first,
            "end_date": last,
        }
        assert await listed(world, per_page=100, **query) == (expected, len(expected)), query


async def test_pages_go_through_the_whole_list_once_with_orders_and_customers(world: World) -> None:
    stored = await filled(world)
    all_ids = []
    for page in range(1, 14):
        ids, total = await listed(world, page=page, per_page=3, risk_level=None)
        assert total == 36
        all_ids += ids
    assert all_ids == [fraud_check["id"] for fraud_check in stored]
    # By default twenty, each with its order and customer.
    answer = (await world.get("/fraud/checks")).json()
    assert len(answer["data"]) == 20
    first = answer["data"][0]
    detail = stored[0]
    alone = {"email", "user_agent", "signals", "facts", "asn_name", "asn_number", "review_notes"}
    alone |= {"engine_version", "policy_version", "rules", "probability", "truth", "truth_source", "truth_at"}
    assert set(first) == set(detail) - alone
    assert first["order"] == {"id": 36, "order_number": "ORD-000036"}
    assert first["customer"] == {"id": detail["customer"]["id"], "name": detail["customer"]["name"]}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"risk_level": "extreme"}, "risk_level"),
        ({"action_taken": "denied"}, "action_taken"),
        ({"is_reviewed": "perhaps"}, "is_reviewed"),
        ({"start_date": "15.11.2026"}, "start_date"),
        ({"end_date": "2026-02-30"}, "end_date"),
        ({"start_date": "2026-11-16", "end_date": "2026-11-15"}, "start_date"),
        ({"per_page": "101"}, "per_page"),
        ({"page": "0"}, "page"),
    ],
)
async def test_a_bad_filter_is_named(shared_world: World, query: dict[str, str], field: str) -> None:
    answer = await shared_world.get("/fraud/checks", params=query)
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


def test_the_test_clock_starts_on_a_sunday() -> None:
    """The days in this file are read against this."""
    assert iso(Instant(1_794_744_000_000_000)) == "2026-11-15T12:00:00Z"
