"""From facts and policy to a verdict: points, score, level and action."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Literal

import msgspec

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import FraudAction, Policy, Sensitivity
from lootkeep.domain.fraud.rule import RuleAction, RuleHit
from lootkeep.domain.fraud.rules import fitting
from lootkeep.domain.fraud.signals import SIGNALS
from lootkeep.domain.fraud.signals.geography import blocked_country, sanctioned_country
from lootkeep.domain.fraud.signals.identity import is_known_buyer
from lootkeep.domain.fraud.signals.signal import Measure
from lootkeep.domain.identity import address
from lootkeep.kernel.clock import HOUR, Instant
from lootkeep.kernel.money import Hundredths

RiskLevel = Literal["low", "medium", "high", "critical"]
Action = Literal["allowed", "flagged", "blocked", "verification_required"]

HIGHEST_SCORE = 100
# The prefix of a rule that gave points.
RULE_SIGNAL = "rule: "
# Raised whenever the same facts may give other points: a check records which engine made it.
ENGINE_VERSION = 4
# For an order without points: one in a hundred is fraud.
ORDINARY_ODDS = 0.01 / 0.99
# The minimum score of each level, the highest first.
LEVELS: tuple[tuple[int, RiskLevel], ...] = ((80, "critical"), (60, "high"), (40, "medium"), (0, "low"))
# The score from which the store's `fraud_action` applies.
THRESHOLDS: dict[Sensitivity, int] = {"low": 80, "medium": 60, "high": 40}
# From this score on someone should review the order, at any sensitivity.
FLAGGED_FROM = 40

# These keep an order from being paid.
STOPPING: tuple[Action, ...] = ("blocked", "verification_required")
_ACTIONS: dict[FraudAction, Action] = {"block": "blocked", "flag": "flagged", "verify": "verification_required"}
# Labels of one connection: only the heaviest counts. An exit in another country is part of the same disguise.
_CONNECTION = frozenset(signal.name for signal in SIGNALS if signal.family == "network") | {"geo_mismatch"}
# How fast someone buys and how often cards are declined: for a buyer the store has known for long, these together
# count at most this much, which stops nobody.
_PACE = frozenset(("velocity_ip", "velocity_email", "order_burst", "card_testing"))
MAX_PACE_POINTS = 30
_SWITCHES = tuple(sorted({signal.setting for signal in SIGNALS if signal.setting}))


class Verdict(msgspec.Struct, frozen=True):
    """The engine's verdict on an order."""

    risk_score: int
    risk_level: RiskLevel
    action_taken: Action
    # Points by signal name, in the order of the table, then those of rules.
    signals: dict[str, int]
    # The store's own rules that matched, including those in shadow mode.
    rules: tuple[RuleHit, ...] = ()


def judge(facts: OrderFacts, policy: Policy) -> Verdict:
    """The same facts under the same policy give the same verdict, today and in a year."""
    signals: dict[str, int] = {}
    for name, points, cap, measure in _active(tuple([getattr(policy, switch) for switch in _SWITCHES])):
        times = measure(facts, policy)
        if times:
            signals[name] = min(points * times, cap) if cap > 0 else max(points * times, cap)
    if policy.fraud_signal_points:
        signals = changed(signals, policy.fraud_signal_points)
    _keep_heaviest(signals)
    if not _PACE.isdisjoint(signals) and is_known_buyer(facts):
        _limit_pace(signals)
    hits: list[RuleHit] = []
    actions: set[RuleAction] = set()
    for rule, hit in fitting(facts, policy.rules):
        hits.append(hit)
        if rule.mode == "on":
            actions.add(rule.action)
            if rule.action == "points":
                signals[RULE_SIGNAL + rule.name] = rule.points
    score = max(0, min(sum(signals.values()), HIGHEST_SCORE))
    return Verdict(score, level(score), decide(facts, policy, score, actions), signals, tuple(hits))


def would_stop(verdict: Verdict) -> list[str]:
    """The signals and rules that count against an order which is stopped; none if it is not."""
    if verdict.action_taken not in STOPPING:
        return []
    rules = [RULE_SIGNAL + hit.name for hit in verdict.rules if hit.mode == "on" and hit.action in ("block", "verify")]
    return [name for name, points in verdict.signals.items() if points > 0] + rules


def changed(points: Mapping[str, int], changes: Mapping[str, int]) -> dict[str, int]:
    """Points with these changes: points against an order never become points in its favour, nor the reverse."""
    result = {name: value + changes.get(name, 0) for name, value in points.items()}
    return {name: value for name, value in result.items() if value * points[name] > 0}


def _keep_heaviest(signals: dict[str, int]) -> None:
    labels = _CONNECTION & signals.keys()
    if len(labels) > 1:
        heaviest = max(signals[name] for name in labels)
        first = next(name for name in signals if name in labels and signals[name] == heaviest)
        for name in labels - {first}:
            del signals[name]


def _limit_pace(signals: dict[str, int]) -> None:
    """Each keeps its share, so that all are shown and the sum is exact."""
    names = [name for name in signals if name in _PACE]
    total = sum(signals[name] for name in names)
    if total > MAX_PACE_POINTS:
        for name in names:
            signals[name] = max(1, signals[name] * MAX_PACE_POINTS // total)
        heaviest = max(names, key=signals.__getitem__)
        signals[heaviest] += MAX_PACE_POINTS - sum(signals[name] for name in names)


def expected_loss(score: int, total: Hundredths) -> Hundredths:
    """The average loss of the store, with the odds of an ordinary store."""
    return Hundredths(round(total * probability(score, ORDINARY_ODDS)))


def probability(score: int, odds: float) -> float:
    """Ten points double the odds."""
    raised = odds * 2 ** (score / 10)
    return raised / (1 + raised)


def due_at(action: Action, policy: Policy, at: Instant) -> Instant | None:
    """When the review is due; an allowed order needs none."""
    return None if action == "allowed" else Instant(at + policy.fraud_review_due_hours * HOUR)


def level(score: int) -> RiskLevel:
    return next(name for least, name in LEVELS if score >= least)


def decide(facts: OrderFacts, policy: Policy, score: int, rules: Collection[RuleAction] = ()) -> Action:
    """Whom the store trusts is allowed, what it forbids is blocked; only then the score counts.

    `rules` is what the store's own rules want: to verify or to flag makes a decision stricter, never milder.
    """
    if "allow" in rules or is_whitelisted(facts, policy) or not policy.fraud_detection_enabled:
        return "allowed"
    if "block" in rules or _is_forbidden(facts, policy):
        return "blocked"
    action = _by_score(facts, policy, score)
    if "verify" in rules and action != "blocked":
        return "verification_required"
    return "flagged" if "flag" in rules and action == "allowed" else action


def _by_score(facts: OrderFacts, policy: Policy, score: int) -> Action:
    if score >= THRESHOLDS[policy.fraud_sensitivity_level]:
        return _ACTIONS[policy.fraud_action]
    # An embargo is the law, not a probability: it is always reviewed.
    return "flagged" if score >= FLAGGED_FROM or sanctioned_country(facts, policy) else "allowed"


def is_whitelisted(facts: OrderFacts, policy: Policy) -> bool:
    if facts.email.lower() in policy.fraud_whitelisted_emails:
        return True
    # Parsed only if there is something to compare with.
    ips = policy.fraud_whitelisted_ips
    return bool(ips and facts.ip_address) and address(str(facts.ip_address)) in ips


def _is_forbidden(facts: OrderFacts, policy: Policy) -> bool:
    network = facts.network
    return bool(
        (policy.fraud_block_vpn and network.is_vpn)
        or (policy.fraud_block_proxy and network.is_proxy)
        or (policy.fraud_block_datacenter and network.is_datacenter)
        or (policy.fraud_block_tor and network.is_tor)
        or (policy.fraud_block_sanctioned_countries and sanctioned_country(facts, policy))
        or blocked_country(facts, policy)
    )


@cache
def _active(switched_on: tuple[bool, ...]) -> tuple[tuple[str, int, int, Measure], ...]:
    """The active signals, unpacked once for each setting of the switches."""
    on = {switch for switch, is_so in zip(_SWITCHES, switched_on, strict=True) if is_so}
    rows = [signal for signal in SIGNALS if signal.setting is None or signal.setting in on]
    return tuple((row.name, row.points, row.cap, row.measure) for row in rows)
