"""The verdict: its score, level and action, compared with a second implementation of the rules."""

from __future__ import annotations

from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from lootkeep.domain.fraud.facts import EmailFacts, History, NetworkFacts, OrderFacts, Payment
from lootkeep.domain.fraud.flags import Flags, flags
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.score import Verdict, decide, judge, level
from lootkeep.domain.fraud.signals import SIGNALS
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from tests.domain.fraud.orders import order

LEVELS = ["low"] * 40 + ["medium"] * 20 + ["high"] * 20 + ["critical"] * 21
BLOCKS = ["vpn", "proxy", "datacenter", "tor", "sanctioned_countries"]
PROOF: dict[str, dict[str, Any]] = {
    "nothing": {},
    "vpn": {"is_vpn": True},
    "proxy": {"is_proxy": True},
    "datacenter": {"is_datacenter": True},
    "tor": {"is_tor": True},
    "sanctioned_countries": {"country": "CU"},
    "billed from a sanctioned country": {"billing_country": "IR"},
    "custom": {"country": "FR"},
    "billed from a custom one": {"billing_country": "FR"},
}
TRUST: dict[str, dict[str, Any]] = {
    "nobody": {},
    "address": {"fraud_whitelisted_ips": frozenset({"203.0.113.9"})},
    "e-mail": {"fraud_whitelisted_emails": frozenset({"ada@a.example"})},
    "others": {
        "fraud_whitelisted_ips": frozenset({"203.0.113.10"}),
        "fraud_whitelisted_emails": frozenset({"bob@a.example"}),
    },
}
SCORES = (0, 39, 40, 59, 60, 79, 80, 100)


def expected(score: int, sensitivity: str, action: str, proof: str, switched_on: str | None, trust: str) -> str:
    """The rules of the contract, implemented without the engine."""
    if trust in ("address", "e-mail"):
        return "allowed"
    if proof in ("custom", "billed from a custom one"):
        return "blocked"
    forbidden = "sanctioned_countries" if proof.startswith("billed from a sanctioned") else proof
    if switched_on is not None and switched_on == forbidden:
        return "blocked"
    if (sensitivity == "low" and score >= 80) or (sensitivity == "medium" and score >= 60):
        return {"block": "blocked", "flag": "flagged", "verify": "verification_required"}[action]
    if sensitivity == "high" and score >= 40:
        return {"block": "blocked", "flag": "flagged", "verify": "verification_required"}[action]
    if score >= 40 or "sanctioned" in proof:
        return "flagged"
    return "allowed"


@pytest.mark.parametrize("sensitivity", ["low", "medium", "high"])
@pytest.mark.parametrize("action", ["block", "flag", "verify"])
@pytest.mark.parametrize("proof", PROOF)
def test_the_decision_follows_the_rules(sensitivity: Any, action: Any, proof: str) -> None:
    facts = order(**PROOF[proof])
    for score, switched_on, trust in product(SCORES, [None, *BLOCKS], TRUST):
        policy = Policy(
            fraud_sensitivity_level=sensitivity,
            fraud_action=action,
            fraud_custom_blocked_countries=frozenset({"FR"}),
            **{f"fraud_block_{name}": name == switched_on for name in BLOCKS},
            **TRUST[trust],
        )
        wanted_result = expected(score, sensitivity, action, proof, switched_on, trust)
        assert decide(facts, policy, score) == wanted_result, (score, switched_on, trust)


@pytest.mark.parametrize("score", range(101))
def test_the_level_follows_from_the_score(score: int) -> None:
    assert level(score) == LEVELS[score]


def test_a_score_is_the_sum_of_its_signals_and_never_above_a_hundred() -> None:
    verdict = judge(order(is_vpn=True, has_tag=True), Policy())
    assert verdict == Verdict(15, "low", "allowed", {"vpn": 10, "tagged_email": 5})
    all_of_it = judge(order(confirmed_frauds=3, device_accounts=3, is_tor=True, is_disposable=True), Policy())
    assert (all_of_it.risk_score, sum(all_of_it.signals.values())) == (100, 112)


def test_a_score_is_never_below_zero() -> None:
    trusted = judge(order(first_paid_at=0, device_known_since=0), Policy())
    assert trusted == Verdict(0, "low", "allowed", {"trusted_customer": -15})


def test_a_verdict_lists_its_signals_in_the_order_of_the_table() -> None:
    verdict = judge(order(confirmed_frauds=1, is_vpn=True, mailbox_orders=9, country="MM"), Policy())
    assert list(verdict.signals) == [signal.name for signal in SIGNALS if signal.name in verdict.signals]


def test_a_trusted_buyer_is_allowed_and_the_signals_are_still_recorded() -> None:
    policy = Policy(fraud_whitelisted_emails=frozenset({"ada@a.example"}))
    verdict = judge(order(email="Ada@A.Example", is_tor=True, confirmed_frauds=2), policy)
    assert (verdict.action_taken, verdict.risk_score, verdict.risk_level) == ("allowed", 80, "critical")
    assert set(verdict.signals) == {"tor", "confirmed_fraud"}


@pytest.mark.parametrize("written", ["2001:DB8:0:0:0:0:0:1", "2001:db8::1", "2001:0db8::0001%eth0"])
def test_an_ip_is_trusted_in_any_notation(written: str) -> None:
    policy = Policy(fraud_whitelisted_ips=frozenset({"2001:db8::1"}))
    assert judge(order(ip_address=written, is_tor=True), policy).action_taken == "allowed"


def test_an_ipv4_address_mapped_into_ipv6_is_trusted_as_ipv4() -> None:
    policy = Policy(fraud_whitelisted_ips=frozenset({"203.0.113.9"}))
    assert judge(order(ip_address="::ffff:203.0.113.9", is_tor=True), policy).action_taken == "allowed"


def test_a_list_of_trusted_ips_does_not_trust_a_buyer_without_an_ip() -> None:
    policy = Policy(fraud_whitelisted_ips=frozenset({"203.0.113.9"}))
    assert judge(order(ip_address=None, is_tor=True), policy).action_taken == "blocked"


SUSPICIOUS = order(country="IR", billing_country="DE", mailbox_orders=3, is_disposable=True)


def test_the_flags_report_what_the_signals_found() -> None:
    assert flags(SUSPICIOUS, Policy()) == Flags(
        has_geo_mismatch=True, has_velocity_violation=True, is_sanctioned_country=True, is_disposable_email=True
    )
    assert flags(order(), Policy()) == Flags(
        has_geo_mismatch=False, has_velocity_violation=False, is_sanctioned_country=False, is_disposable_email=False
    )


@pytest.mark.parametrize(
    ("switch", "flag"),
    [
        ("fraud_check_geo_mismatch", "has_geo_mismatch"),
        ("fraud_check_velocity", "has_velocity_violation"),
        ("fraud_check_disposable_email", "is_disposable_email"),
    ],
)
def test_a_disabled_check_raises_no_flag_and_does_not_affect_the_others(switch: str, flag: str) -> None:
    before = msgspec.structs.asdict(flags(SUSPICIOUS, Policy()))
    after = msgspec.structs.asdict(flags(SUSPICIOUS, msgspec.structs.replace(Policy(), **{switch: False})))
    assert after == before | {flag: False}


def test_an_ip_alone_can_exceed_the_velocity() -> None:
    assert flags(order(address_orders=5), Policy()).has_velocity_violation
    assert not flags(order(address_orders=4, mailbox_orders=2), Policy()).has_velocity_violation


counts = st.integers(0, 200)
codes = st.none() | st.sampled_from(["DE", "FR", "CU", "MM", "US"])
any_order = st.builds(
    OrderFacts,
    at=st.integers(0, 2**50).map(Instant),
    email=st.sampled_from(["ada@a.example", "Bob+x@mozmail.com", ""]),
    ip_address=st.none() | st.ip_addresses().map(str),
    amount=st.integers(0, 10**6).map(Hundredths),
    customer_created_at=st.none() | st.integers(0, 2**50).map(Instant),
    billing_country=codes,
    user_agent=st.none() | st.text(max_size=30) | st.sampled_from(["curl/8", "Mozilla/5.0"]),
    is_user_agent_asked=st.booleans(),
    network=st.builds(
        NetworkFacts,
        country=codes,
        is_vpn=st.booleans(),
        is_proxy=st.booleans(),
        is_datacenter=st.booleans(),
        is_tor=st.booleans(),
        tor_list_days=st.none() | st.integers(0, 400),
    ),
    mail=st.builds(EmailFacts, is_disposable=st.booleans(), is_relay=st.booleans(), has_tag=st.booleans()),
    payment=st.builds(
        Payment,
        country=codes,
        funding=st.none() | st.sampled_from(["credit", "prepaid"]),
        three_d_secure=st.none() | st.sampled_from(["passed", "failed"]),
    ),
    history=st.builds(
        History,
        instrument_accounts=counts,
        customer_instruments_in_day=counts,
        address_orders=counts,
        mailbox_orders=counts,
        customer_orders_in_day=counts,
        has_older_order=st.booleans(),
        device_accounts=counts,
        device_accounts_before=counts,
        device_accounts_in_hour=counts,
        address_accounts_in_hour=counts,
        confirmed_frauds=counts,
        first_paid_at=st.none() | st.integers(0, 2**50).map(Instant),
        device_known_since=st.none() | st.integers(0, 2**50).map(Instant),
        large_from=st.none() | st.integers(0, 10**6).map(Hundredths),
        has_refused_referral=st.booleans(),
    ),
)
some_codes = st.frozensets(st.sampled_from(["FR", "US"]))
any_policy = st.builds(
    Policy,
    fraud_sensitivity_level=st.sampled_from(["low", "medium", "high"]),
    fraud_action=st.sampled_from(["block", "flag", "verify"]),
    **{name: st.booleans() for name in Policy.__struct_fields__ if name.startswith(("fraud_block", "fraud_check"))},
    fraud_velocity_limit_orders_per_ip=st.integers(1, 100),
    fraud_velocity_limit_orders_per_email=st.integers(1, 50),
    fraud_custom_blocked_countries=some_codes,
    fraud_whitelisted_ips=st.frozensets(st.ip_addresses().map(str), max_size=2),
)


@given(any_order, any_policy)
def test_a_score_is_between_0_and_100_and_every_signal_within_its_cap(facts: OrderFacts, policy: Policy) -> None:
    verdict = judge(facts, policy)
    caps = {signal.name: signal.cap for signal in SIGNALS}
    assert 0 <= verdict.risk_score <= 100
    assert verdict.risk_score == max(0, min(100, sum(verdict.signals.values())))
    assert all(0 < points <= caps[name] or 0 > points >= caps[name] for name, points in verdict.signals.items())


@given(any_order, any_policy)
def test_stored_facts_reproduce_the_verdict(facts: OrderFacts, policy: Policy) -> None:
    stored = msgspec.json.encode((facts, policy))
    kept_facts, kept_policy = msgspec.json.decode(stored, type=tuple[OrderFacts, Policy])
    assert judge(kept_facts, kept_policy) == judge(facts, policy) == judge(facts, policy)


@given(any_order, any_policy, st.sampled_from(sorted({signal.setting for signal in SIGNALS if signal.setting})))
def test_a_switch_disables_only_its_own_signals(facts: OrderFacts, policy: Policy, switch: str) -> None:
    on = judge(facts, msgspec.structs.replace(policy, **{switch: True})).signals
    off = judge(facts, msgspec.structs.replace(policy, **{switch: False})).signals
    own = {signal.name for signal in SIGNALS if signal.setting == switch}
    assert off == {name: points for name, points in on.items() if name not in own}
