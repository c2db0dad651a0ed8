"""Orders judged as they are placed: what is decided, and what becomes of the order."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.score import judge
from lootkeep.kernel.clock import Instant
from lootkeep.storage.fraud import check_lists as fraud_check_lists_db, checks as fraud_checks_db
from lootkeep.storage.schema import orders, products
from tests.api.fraud.shop import (
    BROWSER,
    DATACENTER,
    DAY,
    HOME,
    ORDERS,
    PROXY,
    TOR,
    VPN,
    check,
    judged,
    place,
    regular,
    settings,
    shop,
)
from tests.builders import STORE, new_customer, referred
from tests.recount import maintained, recounted, rows, sent
from tests.world import World


async def test_a_regular_customer_at_home_is_allowed_with_no_points(world: World) -> None:
    await shop(world)
    data = await judged(world, await regular(world))
    assert data["fraud_check"] == {
        "id": 1,
        "risk_score": 0,
        "risk_level": "low",
        "action_taken": "allowed",
        "detected_signals": [],
    }
    assert data["order"]["fraud"] == {"check_id": 1, "risk_score": 0, "risk_level": "low", "action_taken": "allowed"}
    assert data["order"]["status"] == "pending"


async def test_a_check_is_returned_with_every_specified_field(world: World) -> None:
    await shop(world)
    customer = await regular(world, email="jun@trash.example", name="Jun Park")
    await judged(world, customer, ip_address=DATACENTER, billing_country="DE", user_agent="curl/8.0")
    data = await check(world, 1)
    assert set(data) == {"check", "detected_signals", "risk_badge", "action_badge"}
    assert data["detected_signals"] == ["Disposable e-mail address", "No browser, or a program", "Datacenter address"]
    assert data["risk_badge"] == {"label": "Medium Risk", "color": "yellow"}
    assert data["action_badge"] == {"label": "Flagged", "color": "yellow"}
    assert data["check"] == {
        "id": 1,
        "order_id": 1,
        "customer_id": customer,
        "ip_address": DATACENTER,
        "email": "jun@trash.example",
        "user_agent": "curl/8.0",
        "risk_score": 50,
        "risk_level": "medium",
        "action_taken": "flagged",
        "signals": {"datacenter": 10, "disposable_email": 20, "user_agent_missing_or_bot": 20},
        "facts": {
            "datacenter": f"{DATACENTER} belongs to a hosting provider",
            "disposable_email": "mailboxes at trash.example last for minutes",
            "user_agent_missing_or_bot": "it calls itself curl/8.0",
        },
        "detected_country": None,
        "billing_country": "DE",
        "detected_city": None,
        "asn_name": None,
        "asn_number": None,
        "is_vpn": False,
        "is_proxy": False,
        "is_datacenter": True,
        "is_tor": False,
        "is_sanctioned_country": False,
        "has_geo_mismatch": False,
        "has_velocity_violation": False,
        "is_disposable_email": True,
        "is_reviewed": False,
        "reviewed_by": None,
        "reviewed_at": None,
        "review_outcome": None,
        "review_notes": None,
        "engine_version": 4,
        "truth": None,
        "truth_source": None,
        "truth_at": None,
        "policy_version": 0,
        "rules": [],
        "probability": 0.2443,
        "created_at": "2026-12-15T12:00:00Z",
        "order": {"id": 1, "order_number": "ORD-000001", "status": "pending", "total": "20.00"},
        "customer": {"id": customer, "name": "Jun Park", "email": "jun@trash.example"},
    }


async def test_a_blocked_order_is_cancelled_reserves_nothing_and_sends_no_event(world: World) -> None:
    await shop(world, stock=5)
    customer = await regular(world)
    data = await judged(world, customer, ip_address=TOR)
    assert data["fraud_check"]["action_taken"] == "blocked"
    assert data["order"]["status"] == "cancelled"
    assert data["order"]["cancel_reason"] == "fraud"
    assert data["order"]["cancelled_at"] == "2026-12-15T12:00:00Z"
    assert [row["stock"] for row in await rows(world.deps.db, products)] == [5]
    assert await sent(world.deps.db) == []
    assert await maintained(world.deps.db) == await recounted(world.deps.db)


async def test_a_blocked_order_leaves_the_coupon_unused(world: World) -> None:
    welcome = {
        "referral_welcome_discount_enabled": True,
        "referral_welcome_discount_type": "percentage",
        "referral_welcome_discount_value": 10,
    }
    await world.put("/referrals/settings", welcome)
    friend = (await new_customer(world))["customer"]
    answer = await new_customer(world, referral_code=friend["referral_code"])
    await shop(world)
    code = answer["welcome_coupon"]["code"]
    blocked = await judged(world, answer["customer"]["id"], ip_address=TOR, coupon_code=code)
    allowed = await judged(world, answer["customer"]["id"], coupon_code=code)
    assert blocked["order"]["status"] == "cancelled"
    assert allowed["order"]["status"] == "pending"
    assert allowed["order"]["discount_total"] == "2.00"


async def test_an_order_that_needs_verification_is_held_and_announced(world: World) -> None:
    await shop(world, stock=5)
    customer = await regular(world, email="jun@trash.example")
    await settings(world, fraud_action="verify", fraud_sensitivity_level="high")
    data = await judged(world, customer, ip_address=PROXY, user_agent="curl/8.0")
    assert data["fraud_check"]["action_taken"] == "verification_required"
    assert data["order"]["status"] == "on_hold"
    assert [row["stock"] for row in await rows(world.deps.db, products)] == [4]
    assert await sent(world.deps.db) == ["order.created"]
    assert (await world.post(f"{ORDERS}/1/pay", {})).status_code == 409


async def test_a_free_order_that_needs_verification_is_not_paid_automatically(world: World) -> None:
    await shop(world, price="0.00")
    await settings(world, fraud_action="verify", fraud_sensitivity_level="high")
    data = await judged(world, await regular(world, email="jun@trash.example"), ip_address=PROXY, user_agent="curl/8.0")
    assert data["order"]["status"] == "on_hold"
    assert data["order"]["paid_at"] is None


async def test_a_flagged_order_proceeds(world: World) -> None:
    await shop(world)
    data = await judged(world, await regular(world, email="jun@trash.example"), ip_address=PROXY, user_agent="curl/8.0")
    assert data["fraud_check"]["action_taken"] == "flagged"
    assert data["order"]["status"] == "pending"
    assert (await world.post(f"{ORDERS}/1/pay", {})).status_code == 200


async def test_with_detection_switched_off_there_is_no_check(world: World) -> None:
    await shop(world)
    await settings(world, fraud_detection_enabled=False)
    data = await judged(world, await regular(world), ip_address=TOR)
    assert data["fraud_check"] is None
    assert data["order"]["fraud"] is None
    assert data["order"]["status"] == "pending"


@pytest.mark.parametrize(
    ("ip", "flag", "switch"),
    [
        (VPN, "is_vpn", "fraud_block_vpn"),
        (PROXY, "is_proxy", "fraud_block_proxy"),
        (DATACENTER, "is_datacenter", "fraud_block_datacenter"),
        (TOR, "is_tor", "fraud_block_tor"),
    ],
)
async def test_a_block_switch_blocks_at_any_score(world: World, ip: str, flag: str, switch: str) -> None:
    await shop(world)
    customer = await regular(world)
    await settings(world, **{switch: False})
    let = await judged(world, customer, ip_address=ip)
    world.clock.advance(2 * DAY)
    await settings(world, **{switch: True})
    stopped = await judged(world, customer, ip_address=ip)
    assert let["fraud_check"]["action_taken"] in ("allowed", "flagged")
    assert let["fraud_check"]["risk_score"] == stopped["fraud_check"]["risk_score"] > 0
    assert stopped["fraud_check"]["action_taken"] == "blocked"
    assert (await check(world, 2))["check"][flag] is True


@pytest.mark.parametrize("trusted", [("ip", {"ip": TOR}), ("email", {"email": "JUN@j.example"})])
async def test_a_trusted_customer_is_allowed_and_still_recorded(
    world: World, trusted: tuple[str, dict[str, str]]
) -> None:
    await shop(world)
    customer = await regular(world, email="jun@j.example")
    await world.post(f"/fraud/whitelist/{trusted[0]}", trusted[1])
    data = await judged(world, customer, ip_address=TOR)
    assert data["fraud_check"]["action_taken"] == "allowed"
    assert "tor" in (await check(world, 1))["check"]["signals"]


async def test_a_blocked_country_is_blocked_by_billing_country(world: World) -> None:
    await shop(world)
    await world.post("/fraud/blocked-countries", {"country_code": "fr"})
    data = await judged(world, await regular(world), billing_country="FR")
    assert data["fraud_check"]["action_taken"] == "blocked"


async def test_past_orders_are_judged_at_their_own_time_and_paid_ones_are_not_stopped(world: World) -> None:
    await shop(world)
    signed_up = {"created_at": "2025-03-01T10:00:00Z"}
    customer = (await world.post(f"{STORE}/customers", {"email": "a@a.example", "name": "A", **signed_up})).json()
    paid = {"created_at": "2025-03-01T10:00:30Z", "paid_at": "2025-03-01T10:01:00Z"}
    data = await judged(world, customer["data"]["customer"]["id"], ip_address=TOR, **paid)
    fraud_check = (await check(world, 1))["check"]
    assert fraud_check["created_at"] == "2025-03-01T10:00:30Z"
    assert fraud_check["signals"]["account_age"] == 20
    assert fraud_check["action_taken"] == "blocked"
    assert data["order"]["status"] == "paid"
    assert await sent(world.deps.db) == []


async def test_repeating_an_external_id_returns_the_same_check(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    first = await judged(world, customer, external_id="X-1")
    again = await place(world, customer, external_id="X-1")
    assert again.status_code == 200
    assert again.json()["data"]["fraud_check"] == first["fraud_check"]
    assert len(await rows(world.deps.db, orders)) == 1


async def test_every_stored_check_can_be_reproduced(world: World) -> None:
    await shop(world)
    customers = [await regular(world) for _ in range(4)]
    changes: list[dict[str, Any]] = [
        {
            "fraud_sensitivity_level": "medium",
            "fraud_block_vpn": False,
            "fraud_whitelisted_ips": [],
            "fraud_check_velocity": True,
        },
        {"fraud_sensitivity_level": "high", "fraud_action": "verify"},
        {"fraud_block_vpn": True, "fraud_whitelisted_ips": [PROXY]},
        {"fraud_check_velocity": False, "fraud_custom_blocked_countries": ["FR"]},
    ]
    for change in changes * 3:
        await settings(world, **change)
        await judged(world, customers[0], ip_address=PROXY, user_agent="curl/8.0", billing_country="DE")
        for number, ip in enumerate((HOME, VPN, PROXY, TOR, DATACENTER)):
            country = ("DE", "FR", "CU", None)[number % 4]
            for customer in customers:
                await judged(world, customer, ip_address=ip, billing_country=country, user_agent=BROWSER)
        world.clock.advance(8 * DAY)
    async with world.deps.db.read() as tx:
        stored: list[FraudCheck] = []
        while batch := await fraud_check_lists_db.before(tx, *(stored[-1].place if stored else (Instant(2**60), 0)), 0):
            stored += batch
        again = [
            judge(facts_of(fraud_check), await fraud_checks_db.policy_of(tx, fraud_check.policy_version))
            for fraud_check in stored
        ]
    assert len(stored) == 252
    assert {fraud_check.action_taken for fraud_check in stored} == {
        "allowed",
        "flagged",
        "blocked",
        "verification_required",
    }
    assert [
        (fraud_check.risk_score, fraud_check.risk_level, fraud_check.action_taken, fraud_check.points)
        for fraud_check in stored
    ] == [
        (fraud_check.risk_score, fraud_check.risk_level, fraud_check.action_taken, fraud_check.signals)
        for fraud_check in again
    ]


async def test_a_referral_becomes_successful_only_with_a_paid_order_not_with_a_blocked_one(world: World) -> None:
    await shop(world)
    referrer = (await new_customer(world))["customer"]
    friend = await referred(world, referrer["referral_code"])
    await judged(world, friend["id"], ip_address=TOR)
    assert (await world.get("/referrals/statistics")).json()["data"]["successful_referrals"] == 0
