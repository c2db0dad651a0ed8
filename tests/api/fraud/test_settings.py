"""The settings of fraud detection, the lists of trusted buyers and blocked countries, and the reports."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.fraud.countries import HIGH_RISK, SANCTIONED
from tests.api.fraud.shop import DATACENTER, PROXY, TOR, judged, regular, review, settings, shop
from tests.world import World

DEFAULTS = {
    "fraud_detection_enabled": True,
    "fraud_sensitivity_level": "medium",
    "fraud_action": "block",
    "fraud_block_vpn": False,
    "fraud_block_proxy": False,
    "fraud_block_datacenter": False,
    "fraud_block_tor": True,
    "fraud_block_sanctioned_countries": True,
    "fraud_check_geo_mismatch": True,
    "fraud_check_velocity": True,
    "fraud_check_disposable_email": True,
    "fraud_judge_at_payment": True,
    "fraud_accounts_made_at_checkout": False,
    "fraud_signal_points": {},
    "fraud_velocity_limit_orders_per_ip": 5,
    "fraud_velocity_limit_orders_per_email": 3,
    "fraud_velocity_limit_declines": 5,
    "fraud_velocity_window_minutes": 60,
    "fraud_review_due_hours": 24,
    "fraud_review_when_due": "wait",
    "fraud_review_daily_budget": 0,
    "fraud_custom_blocked_countries": [],
    "fraud_whitelisted_ips_count": 0,
    "fraud_whitelisted_emails_count": 0,
}
LISTS = [
    ("/fraud/whitelist/ip", "ip", "whitelisted_ips", "IP {} whitelist", "2001:DB8::0001", "2001:db8::1"),
    ("/fraud/whitelist/email", "email", "whitelisted_emails", "Email {} whitelist", "Jun@J.example", "jun@j.example"),
    ("/fraud/blocked-countries", "country_code", "blocked_countries", "Country {} blocked list", "de", "DE"),
]


async def test_a_new_store_has_the_defaults_and_reports_the_countries(world: World) -> None:
    data = (await world.get("/fraud/settings")).json()["data"]
    assert data == {
        "settings": DEFAULTS,
        "sanctioned_countries": sorted(SANCTIONED),
        "high_risk_countries": sorted(HIGH_RISK),
        "missing_lists": ["country"],
    }


async def test_an_update_returns_exactly_the_fields_sent(world: World) -> None:
    sent = {"fraud_action": "verify", "fraud_whitelisted_ips": ["203.0.113.9", "::ffff:203.0.113.9"]}
    answer = await world.put("/fraud/settings", sent)
    assert answer.json()["message"] == "Fraud settings updated successfully"
    assert answer.json()["data"] == {"fraud_action": "verify", "fraud_whitelisted_ips_count": 1}
    current = (await world.get("/fraud/settings")).json()["data"]["settings"]
    assert current == DEFAULTS | {"fraud_action": "verify", "fraud_whitelisted_ips_count": 1}


async def test_every_setting_can_be_changed(world: World) -> None:
    changes: dict[str, Any] = {
        name: not value if isinstance(value, bool) else value
        for name, value in DEFAULTS.items()
        if not name.endswith("_count")
    } | {
        "fraud_sensitivity_level": "low",
        "fraud_action": "flag",
        "fraud_velocity_limit_orders_per_ip": 100,
        "fraud_velocity_limit_orders_per_email": 50,
        "fraud_velocity_window_minutes": 1440,
        "fraud_custom_blocked_countries": ["fr", "BY"],
    }
    assert await settings(world, **changes) == changes | {"fraud_custom_blocked_countries": ["BY", "FR"]}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fraud_detection_enabled", 1),
        ("fraud_sensitivity_level", "extreme"),
        ("fraud_action", "ban"),
        ("fraud_velocity_limit_orders_per_ip", 0),
        ("fraud_velocity_limit_orders_per_ip", 101),
        ("fraud_velocity_limit_orders_per_email", 51),
        ("fraud_velocity_limit_declines", 51),
        ("fraud_velocity_window_minutes", 14),
        ("fraud_velocity_window_minutes", 1441),
        ("fraud_velocity_window_minutes", "60"),
        ("fraud_custom_blocked_countries", "DE"),
    ],
)
async def test_a_bad_setting_is_named_and_nothing_changes(shared_world: World, name: str, value: Any) -> None:
    answer = await shared_world.put("/fraud/settings", {name: value, "fraud_block_vpn": True})
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [name]
    assert (await shared_world.get("/fraud/settings")).json()["data"]["settings"] == DEFAULTS


@pytest.mark.parametrize(
    ("name", "entries", "index"),
    [
        ("fraud_custom_blocked_countries", ["DE", "ZZ"], 1),
        ("fraud_whitelisted_ips", ["203.0.113.9/24"], 0),
        ("fraud_whitelisted_emails", ["a@b.example", "nobody"], 1),
    ],
)
async def test_a_bad_list_entry_is_named_by_its_index(world: World, name: str, entries: list[str], index: int) -> None:
    answer = await world.put("/fraud/settings", {name: entries})
    assert list(answer.json()["errors"]) == [f"{name}.{index}"]


@pytest.mark.parametrize(("path", "field", "key", "message", "entry", "normal"), LISTS)
async def test_entries_are_normalised_added_once_and_removed(
    world: World, path: str, field: str, key: str, message: str, entry: str, normal: str
) -> None:
    added = [await world.post(path, {field: text}) for text in (entry, normal)]
    removed = [await world.delete(path, {field: entry}) for _ in range(2)]
    assert [answer.status_code for answer in added + removed] == [200] * 4
    assert [answer.json()["data"] for answer in added] == [{key: [normal]}] * 2
    assert [answer.json()["data"] for answer in removed] == [{key: []}] * 2
    assert {answer.json()["message"] for answer in added} == {message.format("added to")}
    assert {answer.json()["message"] for answer in removed} == {message.format("removed from")}


@pytest.mark.parametrize(
    ("path", "field", "value"),
    [
        ("/fraud/whitelist/ip", "ip", "999.1.1.1"),
        ("/fraud/whitelist/ip", "ip", ""),
        ("/fraud/whitelist/ip", "ip", None),
        ("/fraud/whitelist/email", "email", "nobody"),
        ("/fraud/whitelist/email", "email", 5),
        ("/fraud/blocked-countries", "country_code", "ZZ"),
        ("/fraud/blocked-countries", "country_code", "Germany"),
    ],
)
async def test_an_invalid_entry_is_rejected_when_added_and_when_removed(
    shared_world: World, path: str, field: str, value: Any
) -> None:
    for method in ("POST", "DELETE"):
        for body in ({field: value}, {}):
            answer = await shared_world.call(method, path, body)
            assert answer.status_code == 422, (method, body)
            assert list(answer.json()["errors"]) == [field]


async def test_a_backtest_reports_what_other_settings_would_have_done_and_changes_nothing(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    await judged(world, await regular(world, email="jun@trash.example"), ip_address=PROXY, user_agent="curl/8.0")
    await judged(world, customer, ip_address="203.0.113.1")
    await judged(world, customer, ip_address=TOR, user_agent="curl/8.0")
    await review(world, 1, "fraud")
    await review(world, 2, "legitimate")
    body = {"settings": {"fraud_sensitivity_level": "high", "fraud_block_tor": False}, "days": 7}
    data = (await world.post("/fraud/backtest", body)).json()["data"]
    assert data["checks"] == 3
    assert (data["is_complete"], data["older_engine_checks"]) == (True, 0)
    assert data["before"]["actions"] == {"allowed": 1, "flagged": 1, "blocked": 1, "verification_required": 0}
    assert data["after"]["precision"] == data["after"]["recall"] == 1.0
    assert {(order["check_id"], order["action_before"], order["action_after"]) for order in data["changed"]} >= {
        (1, "flagged", "blocked")
    }
    assert data["changed_count"] == len(data["changed"])
    assert (await world.get("/fraud/settings")).json()["data"]["settings"] == DEFAULTS


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "settings"),
        ({"settings": {}, "days": 0}, "days"),
        ({"settings": {"fraud_action": "ban"}}, "settings.fraud_action"),
    ],
)
async def test_a_bad_backtest_is_rejected(shared_world: World, body: dict[str, Any], field: str) -> None:
    answer = await shared_world.post("/fraud/backtest", body)
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


async def test_an_explanation_of_a_buyer_includes_when_each_reason_ends(world: World) -> None:
    await shop(world)
    customer = await regular(world, email="jun@trash.example")
    for _ in range(3):
        await judged(world, customer, ip_address=DATACENTER)
        world.clock.advance(60_000_000)
    answer = await world.get("/fraud/explain", params={"ip": DATACENTER, "email": "jun@trash.example"})
    data = answer.json()["data"]
    by_name = {row["name"]: row for row in data["signals"]}
    assert data["is_known_customer"] is True
    assert set(by_name) == {"datacenter", "disposable_email", "velocity_email", "order_burst"}
    assert by_name["velocity_email"]["until"] == "2026-12-15T13:00:00Z"
    assert by_name["velocity_email"]["fact"] == "4 orders of this mailbox in 60 minutes, the limit is 3"
    assert by_name["datacenter"]["until"] is None
    assert data["risk_score"] == sum(row["points"] for row in data["signals"])


async def test_an_explanation_without_a_buyer_is_rejected(world: World) -> None:
    answer = await world.get("/fraud/explain")
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == {"ip", "email"}
