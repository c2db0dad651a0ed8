"""Invariants of the table of signals, and honest buyers who must stay below 40 points."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from lootkeep.domain.fraud.facts import Payment
from lootkeep.domain.fraud.flags import flags
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.score import FLAGGED_FROM, judge
from lootkeep.domain.fraud.signals import BY_NAME, SIGNALS
from lootkeep.kernel.clock import DAY, HOUR, SECOND, Instant
from tests.domain.fraud.orders import NOW, order

# What thousands of strangers share. Those who hide on purpose are fewer than those who only live or travel somewhere.
HIDING = {"proxy", "tor", "disposable_email"}
SHARED = {signal.name for signal in SIGNALS if signal.family in ("network", "geography", "email")} | {
    "velocity_ip",
    "ip_accounts",
}
SECOND_ACCOUNT = {"device_accounts": 1, "device_accounts_before": 1}
NETWORK = ("is_vpn", "is_proxy", "is_datacenter", "is_tor")


def test_a_trait_that_strangers_share_never_outranks_a_link_between_two_accounts() -> None:
    link = judge(order(**SECOND_ACCOUNT), Policy()).risk_score
    assert {name for name in SHARED if BY_NAME[name].cap > link} == set()
    assert {name for name in SHARED - HIDING if BY_NAME[name].cap > BY_NAME["device_reuse"].points} == set()


@pytest.mark.parametrize("labels", list(product((False, True), repeat=4)), ids=str)
def test_only_the_heaviest_signal_of_the_network_family_counts(labels: tuple[bool, ...]) -> None:
    facts = dict(zip(NETWORK, labels, strict=True))
    signals = judge(order(**facts), Policy()).signals
    alone = [judge(order(**{name: True}), Policy()).risk_score for name, is_so in facts.items() if is_so]
    assert list(signals.values()) == ([max(alone)] if alone else [])


def test_a_vpn_abroad_counts_once_and_both_signals_are_reported() -> None:
    facts = order(is_vpn=True, country="NL", billing_country="DE")
    assert judge(facts, Policy()).signals == {"vpn": 10}
    assert flags(facts, Policy()).has_geo_mismatch
    assert judge(order(country="NL", billing_country="DE"), Policy()).signals == {"geo_mismatch": 10}


def test_an_embargo_is_at_least_flagged_and_blocked_when_its_switch_says_so() -> None:
    facts = order(country="IR", billing_country="IR")
    for is_blocked, action in ((True, "blocked"), (False, "flagged")):
        verdict = judge(facts, Policy(fraud_block_sanctioned_countries=is_blocked))
        assert (verdict.action_taken, verdict.signals) == (action, {"sanctioned_country": 10})


def since(before: int) -> Instant:
    return Instant(NOW - before)


FIRST_ORDER: dict[str, Any] = {"customer_created_at": since(30 * SECOND)}
REGULAR: dict[str, Any] = {
    "first_paid_at": since(200 * DAY),
    "device_known_since": since(200 * DAY),
    "has_older_order": True,
}
HONEST: dict[str, dict[str, Any]] = {
    "first order over a VPN with a relay address": FIRST_ORDER
    | {"is_vpn": True, "is_datacenter": True, "country": "NL", "is_relay": True},
    "first order over a VPN at home with a relay address": FIRST_ORDER | {"is_vpn": True, "is_relay": True},
    "first order over a VPN abroad that no list of datacenters has": FIRST_ORDER
    | {"is_vpn": True, "country": "NL", "is_relay": True},
    "regular in an internet cafe": REGULAR
    | {
        "device_accounts": 5,
        "device_accounts_before": 5,
        "device_accounts_in_hour": 1,
        "address_accounts_in_hour": 5,
    },
    "regular over a proxy abroad": REGULAR | {"is_proxy": True, "country": "TH", "is_relay": True},
    "owner of a family computer": {
        "device_accounts": 3,
        "device_accounts_in_hour": 1,
        "address_accounts_in_hour": 1,
    },
    "second in the family, an hour after signing up": {
        "customer_created_at": since(HOUR),
        "device_accounts": 1,
        "device_accounts_before": 1,
    },
    "traveller": REGULAR | {"country": "TH", "address_accounts_in_hour": 5, "device_known_since": None},
    "first order of a traveller": FIRST_ORDER | {"country": "TH", "address_accounts_in_hour": 3},
    "student dormitory": FIRST_ORDER | {"address_orders": 20, "address_accounts_in_hour": 5},
    "expatriate with a card from home": FIRST_ORDER | {"billing_country": "US", "large_from": 100, "amount": 10_000},
    "resident of a high-risk country": FIRST_ORDER | {"country": "MM", "billing_country": "MM"},
    "privacy first": FIRST_ORDER | {"user_agent": None, "is_relay": True, "has_device": False, "large_from": 1},
    "three gifts on the first day": {"customer_created_at": since(HOUR), "customer_orders_in_day": 2},
    "spouse with the family's card": FIRST_ORDER | {"instrument_accounts": 1, "address_accounts_in_hour": 1},
    "second card after a decline": FIRST_ORDER | {"customer_instruments_in_day": 1},
    "first order after five declined payments": FIRST_ORDER
    | {"declined_payments": 5, "customer_instruments_in_day": 1},
    "student at an address of card testers": {"customer_created_at": since(HOUR), "declined_payments": 10},
    "teenager with a prepaid card": FIRST_ORDER | {"payment": Payment(funding="prepaid"), "is_relay": True},
    "card from home, living abroad": FIRST_ORDER | {"payment": Payment(country="US")},
    "big spender": REGULAR | {"customer_orders_in_day": 4, "mailbox_orders": 4, "large_from": 1, "amount": 900},
    "behind a carrier's gateway": FIRST_ORDER | {"address_orders": 100, "address_accounts_in_hour": 5},
    "office with a proxy": REGULAR | {"is_proxy": True, "address_accounts_in_hour": 5, "address_orders": 9},
    "new telephone": REGULAR | {"device_known_since": None, "large_from": 1, "amount": 900},
    "used telephone": FIRST_ORDER | {"device_accounts": 1, "device_accounts_before": 0},
}


@pytest.mark.parametrize("who", HONEST)
def test_honest_buyers_stay_below_the_review_threshold(who: str) -> None:
    verdict = judge(order(**HONEST[who]), Policy(fraud_sensitivity_level="high"))
    assert verdict.risk_score < FLAGGED_FROM, verdict.signals
    assert verdict.action_taken == "allowed"


KNOWN: dict[str, Any] = REGULAR | {"old_paid_orders": 3}
FAST: dict[str, Any] = {"mailbox_orders": 9, "address_orders": 20, "declined_payments": 11}


def test_pace_and_declines_of_a_known_buyer_count_at_most_thirty_and_all_are_shown() -> None:
    points = judge(order(**KNOWN | FAST), Policy()).signals
    assert points == {"velocity_ip": 3, "velocity_email": 14, "card_testing": 13, "trusted_customer": -15}


@pytest.mark.parametrize(
    "change",
    [
        {"old_paid_orders": 2},
        {"has_dispute": True},
        {"device_known_since": since(60 * DAY)},
        {"device_known_since": None, "instrument_known_since": since(DAY)},
    ],
    ids=str,
)
def test_who_is_not_known_long_enough_is_judged_as_anyone(change: dict[str, Any]) -> None:
    points = judge(order(**KNOWN | FAST | change), Policy()).signals
    assert (points["velocity_email"], points["card_testing"]) == (40, 40)


def test_a_card_that_was_known_for_long_is_enough_and_a_confirmed_fraud_counts_in_full() -> None:
    card = KNOWN | FAST | {"device_known_since": None, "instrument_known_since": since(61 * DAY)}
    assert sum(judge(order(**card), Policy()).signals.values()) == 30
    assert judge(order(**card | {"mailbox_fraud": True}), Policy()).signals["confirmed_fraud"] == 40
