"""An order is judged again when its payment brings new facts: paid but held, or flagged where it is too late."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lootkeep.services import recount as recount_service
from lootkeep.storage.schema import events, fraud_checks
from tests.api.fraud.shop import DAY, PROXY, judged, regular, review, settings, shop, signals
from tests.api.ordering import step
from tests.recount import maintained, recounted, rows
from tests.world import World

STOLEN = {"fingerprint": "fp_stolen"}
FRAUD = {"kind": "dispute", "reason": "fraudulent"}


@pytest.fixture
async def store(world: World) -> World:
    """Order 1 was paid with a stolen card. Order 2 is placed by another buyer, who has said nothing of a card."""
    await shop(world, delivery_type="keys")
    await settings(world, fraud_sensitivity_level="high", fraud_action="verify")
    thief = await regular(world, email="thief@t.example")
    await judged(world, thief, ip_address="192.0.2.1", payment=STOLEN)
    await step(world, 1, "pay")
    assert (await step(world, 1, "dispute", FRAUD)).status_code == 201
    placed = await judged(world, await regular(world, email="jun@j.example"))
    assert placed["order"]["status"] == "pending"
    return world


async def pay(world: World, payment: dict[str, Any] | None = None, order_id: int = 2) -> dict[str, Any]:
    answer = await step(world, order_id, "pay", {"transaction_id": "pi_2", "payment": payment or STOLEN})
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def announced(world: World) -> list[str]:
    of_goods = ("product.", "keys.")
    return [row["type"] for row in await rows(world.db, events) if not row["type"].startswith(of_goods)][4:]


async def checks_of_order(world: World, order_id: int = 2) -> list[tuple[Any, ...]]:
    stored = sorted(await rows(world.db, fraud_checks), key=lambda row: int(row["id"]))
    names = ("action_taken", "review_outcome", "truth", "is_latest")
    return [tuple(row[name] for name in names) for row in stored if row["order_id"] == order_id]


async def agree(world: World) -> None:
    assert await maintained(world.db) == await recounted(world.db)
    assert not any((await recount_service.check(world.deps)).values())


async def test_a_payment_with_a_stolen_card_is_recorded_and_nothing_is_handed_over(store: World) -> None:
    before = await announced(store)
    paid = await pay(store)
    assert (paid["status"], paid["next"], paid["amount_due"]) == ("on_hold", "wait_for_review", "0.00")
    assert paid["paid_at"] is not None
    assert (await announced(store))[len(before) :] == ["fraud.held"]
    assert (await store.get("/orders/2/goods")).json()["data"] == []
    assert await checks_of_order(store) == [("allowed", None, None, False), ("verification_required", None, None, True)]
    order = (await store.get("/orders/2")).json()["data"]
    assert order["fraud"]["check_id"] == 3
    assert (await signals(store, 3))["confirmed_fraud"] == 40
    waiting = (await store.get("/fraud/queue")).json()["data"]
    assert [row["order"]["id"] for row in waiting] == [2]
    await agree(store)
    assert await pay(store) == paid
    assert len(await checks_of_order(store)) == 2


async def test_a_release_hands_over_what_was_paid(store: World) -> None:
    await pay(store)
    released = (await review(store, 3, "legitimate")).json()["data"]["order"]
    assert released == {"id": 2, "order_number": "ORD-000002", "status": "completed", "next": None}
    order = (await store.get("/orders/2")).json()["data"]
    assert (order["status"], order["fraud"]["check_id"]) == ("completed", 3)
    assert [good["state"] for good in (await store.get("/orders/2/goods")).json()["data"]] == ["delivered"]
    assert (await store.get("/fraud/queue")).json()["data"] == []
    await agree(store)


async def test_a_review_of_the_first_check_settles_the_order_too(store: World) -> None:
    await pay(store)
    answer = await review(store, 2, "fraud")
    assert (answer.status_code, answer.json()["data"]["order"]["next"]) == (200, "refund")
    assert [row[1:] for row in await checks_of_order(store)] == [("fraud", "fraud", False), ("fraud", "fraud", True)]
    assert (await pay(store))["next"] == "refund"
    assert (await store.get("/fraud/queue")).json()["data"] == []
    await agree(store)


async def test_a_dispute_labels_both_checks(store: World) -> None:
    await pay(store, {"fingerprint": "fp_own"})
    assert (await step(store, 2, "dispute", FRAUD)).status_code == 201
    assert [row[2] for row in await checks_of_order(store)] == ["fraud", "fraud"]
    await agree(store)


async def test_what_the_first_judgement_knew_is_not_judged_again(world: World) -> None:
    await shop(world)
    await judged(world, await regular(world), payment={"fingerprint": "fp_own", "country": "DE"})
    paid = await pay(world, {"fingerprint": "fp_own", "country": "DE"}, order_id=1)
    assert paid["status"] == "paid"
    assert len(await checks_of_order(world, 1)) == 1


async def test_it_can_be_switched_off(store: World) -> None:
    await settings(store, fraud_judge_at_payment=False)
    assert (await pay(store))["status"] == "completed"
    assert len(await checks_of_order(store)) == 1


async def test_facts_that_arrive_after_the_payment_flag_the_order_and_take_nothing_back(store: World) -> None:
    answer = await step(store, 2, "pay", {"transaction_id": "pi_2"})
    assert answer.json()["data"]["status"] == "completed"
    before = await announced(store)
    assert (await pay(store))["status"] == "completed"
    assert await checks_of_order(store) == [("allowed", None, None, False), ("flagged", None, None, True)]
    assert (await announced(store))[len(before) :] == ["fraud.flagged"]
    await agree(store)


async def test_a_held_order_stays_in_the_queue_whatever_arrives_later(store: World) -> None:
    await pay(store)
    assert (await pay(store, STOLEN | {"three_d_secure": "passed"}))["status"] == "on_hold"
    assert [(row[0], row[3]) for row in await checks_of_order(store)] == [
        ("allowed", False),
        ("verification_required", False),
        ("verification_required", True),
    ]
    assert [row["order"]["id"] for row in (await store.get("/fraud/queue")).json()["data"]] == [2]
    await agree(store)


async def test_an_approved_order_is_not_held_again_for_what_was_approved(world: World) -> None:
    await shop(world)
    rule = {"name": "Review Germany", "expression": 'billing_country == "DE"', "action": "verify", "mode": "on"}
    assert (await world.post("/fraud/rules", rule)).status_code == 201
    placed = await judged(world, await regular(world), billing_country="DE")
    assert placed["order"]["status"] == "on_hold"
    await review(world, 1, "legitimate")
    assert (await pay(world, {"funding": "credit"}, order_id=1))["status"] == "paid"
    assert len(await checks_of_order(world, 1)) == 1


async def test_the_payers_mailbox_counts_like_the_buyers(store: World) -> None:
    assert (await pay(store, {"payer_email": "thief+2@t.example"}))["status"] == "on_hold"
    assert (await signals(store, 3))["confirmed_fraud"] == 40


async def test_a_payers_disposable_mailbox_is_seen(store: World) -> None:
    await pay(store, {"payer_email": "jun@trash.example"})
    assert "disposable_email" in await signals(store, 3)


async def test_the_order_itself_does_not_count_as_an_earlier_one(world: World) -> None:
    await shop(world)
    await settings(world, fraud_velocity_limit_orders_per_ip=1, fraud_velocity_limit_orders_per_email=1)
    await judged(world, await regular(world), device_id="d")
    await pay(world, {"fingerprint": "fp_own"}, order_id=1)
    assert await signals(world, 2) == await signals(world, 1)


async def test_payments_with_one_card_at_once_see_each_other(world: World) -> None:
    await shop(world)
    buyers = [await regular(world, email=f"b{number}@b{number}.example") for number in range(6)]
    for number, buyer in enumerate(buyers):
        await judged(world, buyer, ip_address=f"203.0.113.{number}")
    await asyncio.gather(*(pay(world, {"fingerprint": "fp_shared"}, order_id=number + 1) for number in range(6)))
    latest = [row for row in await rows(world.db, fraud_checks) if row["is_latest"]]
    assert len(latest) == 6
    assert sum('"card_accounts"' not in row["signals"] for row in latest) == 1


async def test_one_decision_on_both_checks_of_an_order_is_one_review_of_it(store: World) -> None:
    await pay(store)
    answer = await store.post("/fraud/reviews", {"check_ids": [3, 2, 3], "outcome": "fraud", "notes": "Stolen."})
    assert [(row["id"], row["review_outcome"]) for row in answer.json()["data"]] == [(2, "fraud"), (3, "fraud")]
    for check_id in (2, 3):
        reviews = (await store.get(f"/fraud/checks/{check_id}/reviews")).json()["data"]
        assert [it["notes"] for it in reviews] == ["Stolen."]
    assert (await announced(store)).count("fraud.reviewed") == 1
    await agree(store)


async def test_a_block_in_the_review_of_the_first_check_knows_the_card_of_the_payment(store: World) -> None:
    await pay(store)
    await review(store, 2, "fraud", block=["instrument"])
    lists = {row["name"]: row["entries_count"] for row in (await store.get("/fraud/lists")).json()["data"]}
    assert lists["blocked_instruments"] == 1


async def test_figures_count_an_order_once_by_its_latest_check(world: World) -> None:
    await shop(world)
    await settings(world, fraud_sensitivity_level="low")
    rule = {"name": "All", "expression": "quantity == 1", "action": "flag"}
    assert (await world.post("/fraud/rules", rule)).status_code == 201
    risky = await judged(
        world, await regular(world, email="jun@trash.example"), ip_address=PROXY, user_agent="curl/8.0"
    )
    assert risky["fraud_check"]["action_taken"] == "flagged"
    await pay(world, {"three_d_secure": "passed"}, order_id=1)
    assert [row[0] for row in await checks_of_order(world, 1)] == ["flagged", "allowed"]
    stats = (await world.get("/fraud/dashboard")).json()["data"]["stats"]
    assert (stats["today"], stats["pending_review"]) == ({"blocked": 0, "flagged": 0, "allowed": 1}, 0)
    assert (await world.get("/fraud/queue")).json()["meta"]["total"] == 0
    assert (await world.get("/fraud/checks")).json()["meta"]["total"] == 2
    assert (await world.get("/fraud/checks?action_taken=flagged")).json()["meta"]["total"] == 1
    fired = {row["name"]: row["fired"] for row in (await world.get("/fraud/signals")).json()["data"]}
    assert (fired["proxy"], fired["three_d_secure"]) == (1, 1)
    assert (await world.get("/fraud/rules")).json()["data"][0]["hits"]["fired"] == 1
    backtest = (await world.post("/fraud/backtest", {"settings": {}})).json()["data"]
    assert (backtest["checks"], backtest["before"]["actions"]["allowed"]) == (1, 1)
    # An April, 90 days after a January.
    world.clock.advance(111 * DAY)
    await step(world, 1, "dispute", FRAUD)
    month = (await world.get("/fraud/dashboard")).json()["data"]["judged_month"]
    assert (month["orders"], month["frauds"], month["caught"]) == (1, 1, 0)
    await agree(world)


async def test_a_rejected_order_stays_rejected_whatever_arrives_later(store: World) -> None:
    await pay(store)
    await review(store, 3, "fraud")
    assert (await pay(store, STOLEN | {"three_d_secure": "passed"}))["next"] == "refund"
    assert [row[1:] for row in await checks_of_order(store)] == [("fraud", "fraud", False), ("fraud", "fraud", True)]
    assert (await store.get("/fraud/queue")).json()["data"] == []
    await step(store, 2, "dispute", FRAUD | {"kind": "dispute_won"})
    assert [row[2] for row in await checks_of_order(store)] == ["fraud", "fraud"]
    await agree(store)


async def test_a_card_that_becomes_known_after_its_order_was_rejected_counts_against_the_next(world: World) -> None:
    await shop(world)
    await judged(world, await regular(world))
    await step(world, 1, "pay", {"transaction_id": "pi_2"})
    await review(world, 1, "fraud")
    await pay(world, {"fingerprint": "fp_late"}, order_id=1)
    await judged(world, await regular(world), ip_address="192.0.2.1", payment={"fingerprint": "fp_late"})
    assert (await signals(world, 2))["confirmed_fraud"] == 40


async def test_a_paid_order_is_no_earlier_order_when_its_payment_is_reported_in_full(world: World) -> None:
    await shop(world)
    rule = {"name": "First", "expression": "paid_orders == 0", "action": "points", "points": 7, "mode": "on"}
    assert (await world.post("/fraud/rules", rule)).status_code == 201
    await judged(world, await regular(world))
    await step(world, 1, "pay", {"transaction_id": "pi_2"})
    await pay(world, {"country": "DE"}, order_id=1)
    assert await signals(world, 2) == await signals(world, 1) == {"rule: First": 7}


async def test_a_case_stays_that_of_its_reviewer(store: World) -> None:
    assert (await store.put("/fraud/checks/2/assignment", {"owner_id": 1})).status_code == 200
    await pay(store)
    assert [row["owner_id"] for row in (await store.get("/fraud/queue")).json()["data"]] == [1]


async def test_the_card_of_a_payment_links_accounts_even_if_nothing_is_judged_again(world: World) -> None:
    await shop(world)
    await settings(world, fraud_judge_at_payment=False)
    await judged(world, await regular(world))
    await pay(world, {"fingerprint": "fp_shared"}, order_id=1)
    await judged(world, await regular(world), ip_address="192.0.2.1", payment={"fingerprint": "fp_shared"})
    assert (await signals(world, 2))["card_accounts"] == 12
