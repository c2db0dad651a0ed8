"""Each signal: what triggers it, what does not, and its thresholds."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from lootkeep.domain.fraud.facts import History, OrderFacts, Payment
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.score import judge
from lootkeep.domain.fraud.signals import SIGNALS
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND
from tests.domain.fraud.orders import BROWSER, NOW, order


class SignalCase(NamedTuple):
    signal: str
    points: int
    facts: dict[str, Any]
    policy: dict[str, Any] = {}  # noqa: RUF012  never changed


def made(microseconds_before: int) -> dict[str, Any]:
    return {"customer_created_at": NOW - microseconds_before}


CASES = [
    SignalCase("vpn", 10, {"is_vpn": True}),
    SignalCase("vpn", 10, {"is_vpn": True}, {"fraud_block_vpn": True}),
    SignalCase("vpn", 0, {"is_proxy": True, "is_datacenter": True, "is_tor": True}),
    SignalCase("proxy", 15, {"is_proxy": True}),
    SignalCase("proxy", 0, {"is_vpn": True}),
    SignalCase("datacenter", 10, {"is_datacenter": True}),
    SignalCase("datacenter", 0, {"is_vpn": True}),
    SignalCase("tor", 20, {"is_tor": True}),
    SignalCase("tor", 20, {"is_tor": True, "tor_list_days": 0}),
    SignalCase("tor", 20, {"is_tor": True, "tor_list_days": 14}),
    SignalCase("tor", 10, {"is_tor": True, "tor_list_days": 15}),
    SignalCase("tor", 0, {"tor_list_days": 15}),
    SignalCase("sanctioned_country", 10, {"country": "IR"}),
    SignalCase("sanctioned_country", 10, {"billing_country": "CU"}),
    SignalCase("sanctioned_country", 10, {"country": "KP"}, {"fraud_block_sanctioned_countries": False}),
    SignalCase("sanctioned_country", 0, {"country": "RU", "billing_country": "BY"}),
    SignalCase("sanctioned_country", 0, {"country": None, "billing_country": None}),
    SignalCase("blocked_country", 10, {"country": "FR"}, {"fraud_custom_blocked_countries": frozenset({"FR"})}),
    SignalCase("blocked_country", 10, {"billing_country": "FR"}, {"fraud_custom_blocked_countries": frozenset({"FR"})}),
    SignalCase("blocked_country", 0, {"country": "DE"}, {"fraud_custom_blocked_countries": frozenset({"FR"})}),
    SignalCase("blocked_country", 0, {"country": None}, {"fraud_custom_blocked_countries": frozenset({"FR"})}),
    SignalCase("high_risk_country", 10, {"country": "MM"}),
    SignalCase("high_risk_country", 10, {"billing_country": "SY"}),
    SignalCase("high_risk_country", 0, {"country": "IR"}),
    SignalCase("geo_mismatch", 10, {"country": "FR", "billing_country": "DE"}),
    SignalCase("geo_mismatch", 0, {"country": "FR", "billing_country": "DE", "is_vpn": True}),
    SignalCase("geo_mismatch", 0, {"country": "DE", "billing_country": "DE"}),
    SignalCase("geo_mismatch", 0, {"country": None, "billing_country": "DE"}),
    SignalCase("geo_mismatch", 0, {"country": "FR", "billing_country": None}),
    SignalCase("geo_mismatch", 0, {"country": "FR", "billing_country": "DE", "is_datacenter": True}),
    SignalCase("geo_mismatch", 0, {"country": "FR", "billing_country": "DE"}, {"fraud_check_geo_mismatch": False}),
    SignalCase("velocity_ip", 0, {"address_orders": 4}),
    SignalCase("velocity_ip", 10, {"address_orders": 5}),
    SignalCase("velocity_ip", 10, {"address_orders": 6}),
    SignalCase("velocity_ip", 10, {"address_orders": 60}),
    SignalCase("velocity_ip", 10, {"address_orders": 1}, {"fraud_velocity_limit_orders_per_ip": 1}),
    SignalCase("velocity_ip", 0, {"address_orders": 9}, {"fraud_check_velocity": False}),
    SignalCase("velocity_email", 0, {"mailbox_orders": 2}),
    SignalCase("velocity_email", 20, {"mailbox_orders": 3}),
    SignalCase("velocity_email", 40, {"mailbox_orders": 4}),
    SignalCase("velocity_email", 0, {"mailbox_orders": 3}, {"fraud_velocity_limit_orders_per_email": 4}),
    SignalCase("velocity_email", 0, {"mailbox_orders": 9}, {"fraud_check_velocity": False}),
    SignalCase("order_burst", 0, {"customer_orders_in_day": 0}),
    SignalCase("order_burst", 5, {"customer_orders_in_day": 1}),
    SignalCase("order_burst", 15, {"customer_orders_in_day": 2}),
    SignalCase("order_burst", 35, {"customer_orders_in_day": 4}),
    SignalCase("order_burst", 35, {"customer_orders_in_day": 40}),
    SignalCase("order_burst", 0, {"customer_orders_in_day": 4, "has_older_order": True}),
    SignalCase("order_burst", 0, {"customer_orders_in_day": 4}, {"fraud_check_velocity": False}),
    SignalCase("card_testing", 0, {"declined_payments": 5}),
    SignalCase("card_testing", 20, {"declined_payments": 6}),
    SignalCase("card_testing", 20, {"declined_payments": 10}),
    SignalCase("card_testing", 40, {"declined_payments": 11}),
    SignalCase("card_testing", 40, {"declined_payments": 3}, {"fraud_velocity_limit_declines": 1}),
    SignalCase("card_testing", 0, {"declined_payments": 11}, {"fraud_check_velocity": False}),
    SignalCase("confirmed_fraud", 40, {"instrument_fraud": True, "device_fraud": True}),
    SignalCase("confirmed_fraud", 40, {"mailbox_fraud": True}),
    SignalCase("confirmed_fraud", 20, {"device_fraud": True}),
    SignalCase("confirmed_fraud", 60, {"confirmed_frauds": 1, "device_fraud": True}),
    SignalCase("confirmed_fraud", 0, {"has_dispute": True}),
    SignalCase("large_order", 0, {"amount": 5001}),
    SignalCase("large_order", 0, {"amount": 5000, "large_from": 5000}),
    SignalCase("large_order", 5, {"amount": 5001, "large_from": 5000}),
    SignalCase("disposable_email", 20, {"is_disposable": True}),
    SignalCase("disposable_email", 0, {"is_relay": True, "has_tag": True}),
    SignalCase("disposable_email", 0, {"is_disposable": True}, {"fraud_check_disposable_email": False}),
    SignalCase("relay_email", 5, {"is_relay": True}, {"fraud_check_disposable_email": False}),
    SignalCase("relay_email", 0, {"is_disposable": True}),
    SignalCase("tagged_email", 5, {"has_tag": True}),
    SignalCase("tagged_email", 0, {"is_relay": True}),
    SignalCase("account_age", 20, made(0)),
    SignalCase("account_age", 20, made(MINUTE)),
    SignalCase("account_age", 15, made(MINUTE + 1)),
    SignalCase("account_age", 15, made(HOUR)),
    SignalCase("account_age", 5, made(HOUR + 1)),
    SignalCase("account_age", 5, made(DAY)),
    SignalCase("account_age", 0, made(DAY + 1)),
    SignalCase("account_age", 20, made(-SECOND)),
    SignalCase("account_age", 0, made(-MINUTE - 1)),
    SignalCase("account_age", 0, made(MINUTE), {"fraud_accounts_made_at_checkout": True}),
    SignalCase("account_age", 15, made(HOUR), {"fraud_accounts_made_at_checkout": True}),
    SignalCase("account_age", 0, {"customer_created_at": None}),
    SignalCase("device_reuse", 0, {"device_accounts": 0}),
    SignalCase("device_reuse", 12, {"device_accounts": 1}),
    SignalCase("device_reuse", 12, {"device_accounts": 2}),
    SignalCase("device_reuse", 12, {"device_accounts": 3}),
    SignalCase("device_reuse", 12, {"device_accounts": 5}),
    SignalCase("device_newcomer", 0, {"device_accounts": 3}),
    SignalCase("device_newcomer", 8, {"device_accounts_before": 1}),
    SignalCase("device_newcomer", 24, {"device_accounts_before": 3}),
    SignalCase("device_newcomer", 24, {"device_accounts_before": 5}),
    SignalCase("device_velocity", 0, {"device_accounts": 3}),
    SignalCase("device_velocity", 12, {"device_accounts_in_hour": 1}),
    SignalCase("device_velocity", 36, {"device_accounts_in_hour": 3}),
    SignalCase("device_velocity", 36, {"device_accounts_in_hour": 4}, {"fraud_check_velocity": False}),
    SignalCase("ip_accounts", 0, {"address_orders": 3}),
    SignalCase("ip_accounts", 5, {"address_accounts_in_hour": 1}),
    SignalCase("ip_accounts", 5, {"address_accounts_in_hour": 2}),
    SignalCase("ip_accounts", 5, {"address_accounts_in_hour": 5}),
    SignalCase("user_agent_missing_or_bot", 0, {"user_agent": BROWSER}),
    SignalCase("user_agent_missing_or_bot", 5, {"user_agent": None}),
    SignalCase("user_agent_missing_or_bot", 5, {"user_agent": ""}),
    SignalCase("user_agent_missing_or_bot", 20, {"user_agent": "curl/8.5.0"}),
    SignalCase("user_agent_missing_or_bot", 0, {"user_agent": None, "is_user_agent_asked": False}),
    SignalCase("referral_abuse", 15, {"has_refused_referral": True}),
    SignalCase("referral_abuse", 0, {"has_refused_referral": False}),
    SignalCase("confirmed_fraud", 0, {"confirmed_frauds": 0, "paid_orders": 3}),
    SignalCase("confirmed_fraud", 60, {"confirmed_frauds": 1}),
    SignalCase("confirmed_fraud", 60, {"confirmed_frauds": 2}),
    SignalCase("confirmed_fraud", 20, {"player_fraud": True, "device_fraud": True}),
    SignalCase("confirmed_fraud", 20, {"player_fraud": True}),
    SignalCase("player_accounts", 0, {"player_accounts": 0}),
    SignalCase("player_accounts", 12, {"player_accounts": 1}),
    SignalCase("player_accounts", 36, {"player_accounts": 5}),
    SignalCase("card_accounts", 0, {"instrument_accounts": 0}),
    SignalCase("card_accounts", 12, {"instrument_accounts": 1}),
    SignalCase("card_accounts", 36, {"instrument_accounts": 5}),
    SignalCase("account_cards", 0, {"customer_instruments_in_day": 0}),
    SignalCase("account_cards", 24, {"customer_instruments_in_day": 2}),
    SignalCase("account_cards", 36, {"customer_instruments_in_day": 4}),
    SignalCase("card_country_mismatch", 10, {"payment": Payment(country="FR"), "billing_country": "DE"}),
    SignalCase("card_country_mismatch", 0, {"payment": Payment(country="DE"), "billing_country": "DE"}),
    SignalCase("card_country_mismatch", 0, {"payment": Payment(country="FR"), "billing_country": None}),
    SignalCase("prepaid", 5, {"payment": Payment(funding="prepaid")}),
    SignalCase("prepaid", 0, {"payment": Payment(funding="debit")}),
    SignalCase("three_d_secure", -20, {"payment": Payment(three_d_secure="passed")}),
    SignalCase("three_d_secure", 0, {"payment": Payment(three_d_secure="failed")}),
    SignalCase("trusted_customer", 0, {"first_paid_at": None}),
    SignalCase("trusted_customer", 0, {"first_paid_at": NOW - 90 * DAY, "has_device": False, "has_dispute": True}),
    SignalCase("trusted_customer", 0, {"first_paid_at": NOW - 60 * DAY, "device_known_since": NOW - 90 * DAY}),
    SignalCase("trusted_customer", -15, {"first_paid_at": NOW - 60 * DAY - 1, "device_known_since": NOW - 90 * DAY}),
    SignalCase("trusted_customer", -15, {"first_paid_at": NOW - 90 * DAY, "device_known_since": NOW - DAY}),
    SignalCase("trusted_customer", 0, {"first_paid_at": NOW - 90 * DAY, "device_known_since": NOW - DAY + 1}),
    SignalCase("trusted_customer", 0, {"first_paid_at": NOW - 90 * DAY, "device_known_since": None}),
    SignalCase("trusted_customer", -15, {"first_paid_at": NOW - 90 * DAY, "has_device": False}),
    SignalCase("trusted_customer", 0, {"first_paid_at": NOW - 90 * DAY, "has_device": False, "confirmed_frauds": 1}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.signal}-{case.points}")
def test_a_signal_counts_when_it_should_and_only_then(case: SignalCase) -> None:
    verdict = judge(order(**case.facts), Policy(**case.policy))
    assert verdict.signals.get(case.signal, 0) == case.points


@pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: signal.name)
def test_a_signal_has_cases_in_which_it_counts_and_in_which_it_does_not(signal: Any) -> None:
    points = [case.points for case in CASES if case.signal == signal.name]
    assert 0 in points, f"No case in which {signal.name} does not count."
    assert signal.cap in points, f"No case in which {signal.name} reaches its cap of {signal.cap}."


def test_no_case_is_about_a_signal_that_does_not_exist() -> None:
    assert {case.signal for case in CASES} == {signal.name for signal in SIGNALS}


def test_an_ordinary_order_triggers_nothing() -> None:
    assert judge(order(), Policy()).signals == {}


@pytest.mark.parametrize("facts", [{}, {"user_agent": None}, {"has_tag": True}, {"is_relay": True}])
def test_a_brand_new_customer_who_buys_from_home_is_allowed_everywhere(facts: dict[str, Any]) -> None:
    verdict = judge(order(**made(SECOND), **facts), Policy(fraud_sensitivity_level="high"))
    assert (verdict.action_taken, verdict.risk_score <= 30) == ("allowed", True)


@pytest.mark.parametrize(
    ("others", "is_within_hour", "action"),
    [(1, False, "flagged"), (3, False, "flagged"), (1, True, "flagged"), (2, True, "blocked")],
)
def test_new_accounts_on_one_device_are_flagged_and_within_the_hour_blocked(
    others: int, is_within_hour: bool, action: str
) -> None:
    where = {"device_accounts_in_hour": others, "address_accounts_in_hour": others}
    facts = order(
        **made(SECOND), device_accounts=others, **where if is_within_hour else {"device_accounts_before": others}
    )
    assert judge(facts, Policy()).action_taken == action


def test_minimal_facts_trigger_only_the_missing_user_agent() -> None:
    assert judge(OrderFacts(at=NOW, email=""), Policy()).signals == {"user_agent_missing_or_bot": 5}


def test_the_table_is_well_formed() -> None:
    assert len({signal.name for signal in SIGNALS}) == len({signal.label for signal in SIGNALS}) == len(SIGNALS)
    for signal in SIGNALS:
        assert 0 < abs(signal.points) <= abs(signal.cap) <= 100
        assert (signal.points > 0) == (signal.cap > 0)
        assert signal.setting is None or signal.setting in Policy.__struct_fields__
        assert (signal.measure.__doc__ or "").endswith("."), f"{signal.name} needs an explanation."
        assert signal.measure.__module__.endswith(f".{signal.family}")


def test_history_counts_at_least_as_far_as_the_signals_need() -> None:
    from lootkeep.domain.fraud.facts import ENOUGH_ACCOUNTS

    few, many = (
        History(
            device_accounts=count,
            device_accounts_before=count,
            device_accounts_in_hour=count,
            address_accounts_in_hour=count,
            instrument_accounts=count,
            customer_instruments_in_day=count,
        )
        for count in (ENOUGH_ACCOUNTS, 1000)
    )
    facts = [OrderFacts(at=NOW, email="", history=history) for history in (few, many)]
    assert judge(facts[0], Policy()) == judge(facts[1], Policy())
