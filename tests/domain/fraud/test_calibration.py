"""Probabilities next to scores, and what past orders say about the points of signals."""

from __future__ import annotations

import random

import pytest

from lootkeep.domain.fraud.calibration import (
    MAX_CHANGE,
    PastCheck,
    base_odds,
    calibrate,
    truth_known,
)
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.score import ORDINARY_ODDS, judge, probability
from lootkeep.kernel.clock import Instant
from tests.domain.fraud.orders import order

NOW = Instant(0)


def test_ten_points_double_the_odds() -> None:
    odds = [probability(score, 0.02) / (1 - probability(score, 0.02)) for score in (0, 10, 40)]
    assert odds == pytest.approx([0.02, 0.04, 0.32])


def test_an_order_without_points_has_odds_of_one_in_a_hundred_until_fifty_are_labelled() -> None:
    few = base_odds([(0, "fraud", "allowed", 49), (0, None, "allowed", 1000)], NOW)
    assert (few.odds, few.labels, few.frauds) == (ORDINARY_ODDS, 49, 49)
    enough = base_odds([(0, "fraud", "allowed", 50), (0, None, "allowed", 950)], NOW)
    assert probability(0, enough.odds) == pytest.approx(0.05, abs=0.001)


def test_the_base_odds_predict_the_observed_number_of_frauds() -> None:
    counts = [(0, None, "allowed", 9000), (40, "fraud", "flagged", 60), (40, "legitimate", "flagged", 40)]
    measured = base_odds(counts, NOW)
    expected = sum(count * probability(score, measured.odds) for score, _, _, count in counts)
    assert expected == pytest.approx(60.5, abs=0.1)


def test_a_stopped_order_is_unlabelled_unless_it_was_reviewed() -> None:
    assert [truth_known(truth, "blocked") for truth in (None, "fraud", "legitimate", "inconclusive")] == [
        None,
        True,
        False,
        None,
    ]
    assert truth_known(None, "allowed") is False


def past(share_with: float, share_without: float = 0.01, count: int = 20_000) -> list[PastCheck]:
    """Every tenth order has the signal."""
    rng = random.Random(1)
    checks = []
    for number in range(count):
        has_it = number % 10 == 0
        is_fraud = rng.random() < (share_with if has_it else share_without)
        checks.append(PastCheck({"vpn": 10} if has_it else {}, is_fraud))
    return checks


def test_accurate_points_are_kept() -> None:
    result = calibrate(past(0.02), 1000, NOW)
    (fit,) = result.signals
    assert (fit.change, fit.points_given, result.changes) == (0, 10.0, {})
    assert fit.lift_low < 2 < fit.lift_high
    assert fit.sentence == "The points match the orders."


@pytest.mark.parametrize(("share", "change"), [(0.001, -MAX_CHANGE), (0.30, MAX_CHANGE)])
def test_inaccurate_points_change_by_at_most_ten(share: float, change: int) -> None:
    result = calibrate(past(share), 1000, NOW)
    assert result.changes["vpn"] == pytest.approx(change, abs=3)
    assert abs(result.changes["vpn"]) <= MAX_CHANGE
    assert "try" in result.signals[0].sentence


def test_changes_are_tested_on_the_last_fifth_by_time() -> None:
    checks = past(0.30)
    result = calibrate(checks, 1000, NOW)
    assert (result.trial.orders, result.base.orders) == (4000, 16_000)
    assert result.trial.frauds == sum(check.is_fraud for check in checks[16_000:])
    assert result.trial.auc_before == result.trial.auc_after


def test_with_few_labelled_orders_nothing_is_proposed() -> None:
    result = calibrate(past(0.3), 49, NOW)
    assert (result.changes, result.base.odds) == ({}, ORDINARY_ODDS)
    assert result.signals[0].sentence == "There is too little data."
    assert calibrate([], 0, NOW).signals == []


def test_accepted_changes_never_flip_the_sign_of_points() -> None:
    facts = order(is_vpn=True)
    assert judge(facts, Policy(fraud_signal_points={"vpn": -4, "tor": 9})).signals == {"vpn": 6}
    assert judge(facts, Policy(fraud_signal_points={"vpn": -10})).signals == {}
    assert judge(facts, Policy(fraud_signal_points={"vpn": -40})).signals == {}
