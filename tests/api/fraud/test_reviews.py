"""Reviews of fraud checks: what they do with the order, how they are stored, and what the figures say."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.services import access as access_service
from lootkeep.storage.schema import products
from tests.api.fraud.shop import DAY, ORDERS, PROXY, TOR, check, judged, regular, review, settings, shop
from tests.builders import new_customer
from tests.recount import maintained, recounted, rows, sent
from tests.world import World


async def held(world: World, **fields: Any) -> None:
    """An order on hold, with one of five in stock."""
    await shop(world, **({"stock": 5} | fields))
    await settings(world, fraud_action="verify", fraud_sensitivity_level="high")
    data = await judged(world, await regular(world, email="jun@trash.example"), ip_address=PROXY, user_agent="curl/8.0")
    assert data["order"]["status"] == "on_hold"


async def status(world: World, check_id: int = 1) -> str:
    return str((await check(world, check_id))["check"]["order"]["status"])


async def stock(world: World) -> list[int]:
    return [row["stock"] for row in await rows(world.deps.db, products)]


async def test_a_review_is_answered_as_specified(world: World) -> None:
    await held(world)
    answer = await review(world, 1, "inconclusive", notes="Waiting for the bank.")
    assert answer.status_code == 200
    assert answer.json() == {
        "success": True,
        "message": "Fraud check marked as reviewed",
        "data": {
            "id": 1,
            "is_reviewed": True,
            "reviewed_by": 1,
            "reviewed_at": "2026-12-15T12:00:00Z",
            "review_outcome": "inconclusive",
            "review_notes": "Waiting for the bank.",
            "order": {"id": 1, "order_number": "ORD-000001", "status": "on_hold", "next": "wait_for_review"},
        },
    }
    assert await status(world) == "on_hold"


async def test_legitimate_releases_an_order_on_hold(world: World) -> None:
    await held(world)
    await review(world, 1, "legitimate")
    assert await status(world) == "pending"
    assert await stock(world) == [4]
    assert (await world.post(f"{ORDERS}/1/pay", {})).status_code == 200


async def test_legitimate_marks_a_held_free_order_as_paid(world: World) -> None:
    await held(world, price="0.00")
    await review(world, 1, "legitimate")
    assert await status(world) == "paid"
    assert await sent(world.deps.db) == ["order.created", "order.paid"]


async def test_fraud_cancels_an_order_that_is_not_paid_and_releases_its_stock(world: World) -> None:
    await held(world)
    await review(world, 1, "fraud")
    assert await status(world) == "cancelled"
    assert await stock(world) == [5]
    assert await maintained(world.deps.db) == await recounted(world.deps.db)


async def test_fraud_leaves_a_paid_order_as_it_is(world: World) -> None:
    await shop(world)
    await judged(world, await regular(world))
    await world.post(f"{ORDERS}/1/pay", {})
    assert (await review(world, 1, "fraud")).status_code == 200
    assert await status(world) == "paid"


async def test_the_last_outcome_counts_and_every_review_is_stored(world: World) -> None:
    await held(world)
    for outcome in ("inconclusive", "fraud", "legitimate"):
        world.clock.advance(DAY)
        assert (await review(world, 1, outcome, notes=outcome)).status_code == 200
    fraud_check = (await check(world, 1))["check"]
    reviews = (await world.get("/fraud/checks/1/reviews")).json()["data"]
    assert fraud_check["review_outcome"] == fraud_check["review_notes"] == "legitimate"
    assert [stored["outcome"] for stored in reviews] == ["inconclusive", "fraud", "legitimate"]
    assert reviews[0]["reviewed_at"] == "2026-12-16T12:00:00Z"
    # Cancelled by the review before: an order does not come back.
    assert await status(world) == "cancelled"
    assert await maintained(world.deps.db) == await recounted(world.deps.db)


async def test_the_reviewer_is_the_user_of_the_token(world: World) -> None:
    await held(world)
    user = await access_service.add_user(world.deps, "mod@shop.example", "Mod")
    token = await world.new_token("fraud:write", user_email="mod@shop.example")
    answer = await world.post("/fraud/checks/1/review", {"outcome": "fraud"}, token=token)
    assert answer.json()["data"]["reviewed_by"] == user.id == 2


async def test_a_legitimate_review_can_add_the_buyer_to_the_trusted_list(world: World) -> None:
    await held(world)
    await review(world, 1, "legitimate", whitelist_ip=True, whitelist_email=True)
    current = (await world.get("/fraud/settings")).json()["data"]["settings"]
    again = await judged(world, 1, ip_address=PROXY, user_agent="curl/8.0")
    assert current["fraud_whitelisted_ips_count"] == current["fraud_whitelisted_emails_count"] == 1
    assert again["fraud_check"]["action_taken"] == "allowed"


async def test_only_a_legitimate_buyer_can_be_trusted(world: World) -> None:
    await held(world)
    answer = await review(world, 1, "fraud", whitelist_ip=True)
    assert answer.status_code == 422
    assert answer.json()["code"] == "not_legitimate"
    assert (await check(world, 1))["check"]["is_reviewed"] is False


async def test_a_confirmed_fraud_counts_against_the_next_order(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    await judged(world, customer)
    await review(world, 1, "fraud")
    data = await judged(world, customer)
    assert data["fraud_check"]["action_taken"] == "blocked"
    assert (await check(world, 2))["check"]["signals"] == {"order_burst": 5, "confirmed_fraud": 60}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "outcome"),
        ({"outcome": "maybe"}, "outcome"),
        ({"outcome": "fraud", "notes": "x" * 1001}, "notes"),
        ({"outcome": "fraud", "notes": 5}, "notes"),
        ({"outcome": "legitimate", "whitelist_ip": "yes"}, "whitelist_ip"),
    ],
)
async def test_a_bad_review_names_the_field(shared_world: World, body: dict[str, Any], field: str) -> None:
    answer = await shared_world.post("/fraud/checks/1/review", body)
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


async def test_a_missing_check_is_not_found(world: World) -> None:
    assert (await review(world, 9, "fraud")).status_code == 404
    assert (await world.get("/fraud/checks/9")).status_code == 404
    assert (await world.get("/fraud/checks/9/reviews")).status_code == 404


async def test_the_report_of_signals_counts_what_reviewers_said(world: World) -> None:
    await shop(world)
    await settings(world, fraud_action="flag", fraud_block_tor=False)
    customers = [await regular(world) for _ in range(4)]
    for number, customer in enumerate(customers):
        await judged(world, customer, ip_address=TOR, billing_country=None)
        world.clock.advance(DAY)
        if number:
            await review(world, number + 1, ("fraud", "legitimate", "inconclusive")[number - 1])
    await review(world, 3, "fraud")
    report = {row["name"]: row for row in (await world.get("/fraud/signals")).json()["data"]}
    assert report["tor"] == {
        "name": "tor", "label": "Tor exit", "fired": 4, "right": 2, "wrong": 0, "precision": 1.0
    }  # fmt: skip
    assert report["vpn"]["precision"] is None
    assert await maintained(world.deps.db) == await recounted(world.deps.db)


async def test_the_dashboard_separates_days_weeks_and_months(world: World) -> None:
    await shop(world)
    customer = (await new_customer(world))["customer"]["id"]
    # Sunday 2026-11-15; the week began on the 9th.
    for days, ip in ((0, TOR), (16, TOR), (1, "203.0.113.1"), (0, TOR)):
        world.clock.advance(days * DAY)
        await judged(world, customer, ip_address=ip)
    # Now it is Wednesday 2026-12-02: two days ago was November, in the same week.
    stats = (await world.get("/fraud/dashboard")).json()["data"]["stats"]
    assert stats["today"] == {"blocked": 1, "flagged": 0, "allowed": 1}
    assert stats["this_week"] == {"blocked": 2, "flagged": 0}
    assert stats["this_month"] == {"blocked": 2, "flagged": 0}
    assert stats["pending_review"] == 3
    await review(world, 1, "fraud")
    assert (await world.get("/fraud/dashboard")).json()["data"]["stats"]["pending_review"] == 2
