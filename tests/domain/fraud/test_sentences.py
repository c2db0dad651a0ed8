"""Every signal says what it saw in an order, with the number and the time it is about."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.fraud.facts import Payment
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.signals import SIGNALS
from lootkeep.domain.fraud.signals.sentences import SENTENCES, sentences
from lootkeep.kernel.clock import DAY, HOUR, SECOND
from tests.domain.fraud.orders import NOW, order

# By signal: what is said, and the facts it is said of.
SAID: list[tuple[str, str, dict[str, Any]]] = [
    ("vpn", "203.0.113.9 is on a list of VPN exits", {}),
    ("proxy", "203.0.113.9 is on a list of open proxies", {}),
    ("datacenter", "203.0.113.9 belongs to Example Home", {}),
    ("datacenter", "the address belongs to a hosting provider", {"asn_name": None, "ip_address": None}),
    ("tor", "203.0.113.9 is a Tor exit", {}),
    ("tor", "203.0.113.9 is a Tor exit, by a list that was 15 days old", {"tor_list_days": 15}),
    ("sanctioned_country", "bill from Cuba", {"country": None, "billing_country": "CU"}),
    ("blocked_country", "203.0.113.9 and bill from France", {"country": "FR", "billing_country": "FR"}),
    ("high_risk_country", "203.0.113.9 from Myanmar (Burma)", {"country": "MM", "billing_country": None}),
    ("geo_mismatch", "203.0.113.9 from Iran, bill from Germany", {"country": "IR"}),
    ("velocity_ip", "6 orders from 203.0.113.9 in 60 minutes, the limit is 5", {"address_orders": 5}),
    ("velocity_email", "7 orders of this mailbox in 60 minutes, the limit is 3", {"mailbox_orders": 6}),
    ("velocity_email", "102 or more orders of this mailbox in 60 minutes, the limit is 3", {"mailbox_orders": 101}),
    ("order_burst", "4 orders within 24 hours, none older than a week", {"customer_orders_in_day": 3}),
    (
        "large_order",
        "149.00, nine of ten orders of 90 days were at most 49.99",
        {"amount": 149_00, "large_from": 49_99},
    ),
    ("disposable_email", "mailboxes at a.example last for minutes", {}),
    ("disposable_email", "mailboxes last for minutes", {"email": "erased"}),
    ("relay_email", "mailboxes at a.example forward to another one", {}),
    ("tagged_email", "“+7” before the @", {"email": "ada+7@a.example"}),
    ("account_age", "signed up 41 seconds before", {"customer_created_at": NOW - 41 * SECOND}),
    ("account_age", "signed up 1 hour before", {"customer_created_at": NOW - HOUR}),
    ("account_age", "signed up 0 seconds before", {"customer_created_at": NOW + SECOND}),
    ("device_reuse", "2 other accounts in the last 730 days", {"device_accounts": 2}),
    ("device_newcomer", "1 other account used it before this one signed up", {"device_accounts_before": 1}),
    ("device_velocity", "5 or more other accounts in 60 minutes", {"device_accounts_in_hour": 5}),
    ("ip_accounts", "1 other account at 203.0.113.9", {"address_accounts_in_hour": 1}),
    ("user_agent_missing_or_bot", "it calls itself curl/8.5.0", {"user_agent": "curl/8.5.0"}),
    ("user_agent_missing_or_bot", "no user agent was sent", {"user_agent": None}),
    (
        "referral_abuse",
        "the referrer has the same mailbox, device or card, or was referred by this customer",
        {"has_refused_referral": True},
    ),
    ("confirmed_fraud", "2 earlier orders of this customer", {"confirmed_frauds": 2}),
    ("confirmed_fraud", "an order paid with this card", {"instrument_fraud": True, "mailbox_fraud": True}),
    ("confirmed_fraud", "an order of this mailbox", {"mailbox_fraud": True}),
    ("confirmed_fraud", "an order from this device", {"device_fraud": True}),
    ("confirmed_fraud", "an order for this player", {"player_fraud": True}),
    (
        "player_accounts",
        "2 other accounts ordered for rust:1 in the last 730 days",
        {"player_accounts": 2, "player": "rust:1"},
    ),
    ("card_accounts", "1 other account paid with it in the last 730 days", {"instrument_accounts": 1}),
    ("account_cards", "2 other cards in 24 hours", {"customer_instruments_in_day": 2}),
    ("card_testing", "6 declined payments in 60 minutes, the limit is 5", {"declined_payments": 6}),
    ("card_country_mismatch", "card from Poland, bill from Germany", {"payment": Payment(country="PL")}),
    ("prepaid", "issued in Poland", {"payment": Payment(country="PL", funding="prepaid")}),
    ("prepaid", "as the payment provider reports", {}),
    ("three_d_secure", "the bank asked the buyer, who confirmed the payment", {}),
    (
        "trusted_customer",
        "3 paid orders, the first 214 days before",
        {"paid_orders": 3, "first_paid_at": NOW - 214 * DAY},
    ),
]


@pytest.mark.parametrize(("name", "said", "facts"), SAID)
def test_a_signal_says_what_it_saw(name: str, said: str, facts: dict[str, Any]) -> None:
    assert sentences([name], order(**facts), Policy()) == {name: said}


def test_the_window_and_the_limit_are_those_the_order_was_judged_with() -> None:
    policy = Policy(fraud_velocity_window_minutes=15, fraud_velocity_limit_orders_per_email=1)
    said = "2 orders of this mailbox in 15 minutes, the limit is 1"
    assert sentences(["velocity_email"], order(mailbox_orders=1), policy) == {"velocity_email": said}


def test_every_signal_has_a_sentence_and_each_is_tested() -> None:
    names = {signal.name for signal in SIGNALS}
    assert SENTENCES.keys() == names == {name for name, _, _ in SAID}


def test_a_rule_and_a_removed_signal_have_none() -> None:
    assert sentences(["rule: Large first order", "moon_phase"], order(), Policy()) == {}
