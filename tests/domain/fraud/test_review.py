"""What a review does to an order, how a check is shown, and the table of countries."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from lootkeep.domain import codes as codes_rules
from lootkeep.domain.fraud import countries
from lootkeep.domain.fraud.judgement import judgement
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.recording import with_judgement
from lootkeep.domain.fraud.review import (
    ACTION_BADGES,
    OUTCOMES,
    RISK_BADGES,
    ReviewedAs,
    consequence,
    detected_signals,
    label,
)
from lootkeep.domain.fraud.score import Action, RiskLevel, judge
from lootkeep.domain.orders import OrderStatus
from tests.domain.fraud.orders import order
from tests.domain.orders import NOW, order as placed_order

STATUSES: tuple[OrderStatus, ...] = get_args(OrderStatus)
STEPS = {
    ("legitimate", "on_hold"): "release",
    ("fraud", "pending"): "cancel",
    ("fraud", "on_hold"): "cancel",
}


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("status", STATUSES)
def test_a_review_changes_an_order_only_in_allowed_states(outcome: ReviewedAs, status: OrderStatus) -> None:
    assert consequence(outcome, placed_order(status=status)) == STEPS.get((outcome, status))


def test_only_a_release_changes_an_order_whose_payment_is_held() -> None:
    held = placed_order(status="on_hold", payment_held_at=NOW)
    assert [consequence(outcome, held) for outcome in ("legitimate", "fraud", "inconclusive")] == [
        "release",
        None,
        None,
    ]


def test_every_level_and_every_action_has_its_badge() -> None:
    assert set(RISK_BADGES) == set(get_args(RiskLevel))
    assert set(ACTION_BADGES) == set(get_args(Action))
    shown = {name: (badge.label, badge.color) for name, badge in [*RISK_BADGES.items(), *ACTION_BADGES.items()]}
    assert shown == {
        "low": ("Low Risk", "green"),
        "medium": ("Medium Risk", "yellow"),
        "high": ("High Risk", "orange"),
        "critical": ("Critical Risk", "red"),
        "allowed": ("Allowed", "green"),
        "flagged": ("Flagged", "yellow"),
        "blocked": ("Blocked", "red"),
        "verification_required": ("Verification Required", "blue"),
    }


def test_signals_are_described_as_text_heaviest_first() -> None:
    verdict = judge(order(has_tag=True, is_proxy=True, is_disposable=True), Policy())
    assert detected_signals(verdict.signals) == ["Disposable e-mail address", "Proxy address", "Tagged e-mail address"]


def test_a_signal_that_is_no_longer_in_the_table_is_reported_by_its_name() -> None:
    assert label("odd_hour") == "Odd hour"


def test_the_countries_exist_and_are_in_one_list_only() -> None:
    assert codes_rules.countries().keys() >= countries.SANCTIONED | countries.HIGH_RISK
    assert not countries.SANCTIONED & countries.HIGH_RISK
    assert {"CU", "IR", "KP"} == countries.SANCTIONED


def test_every_country_has_its_reason_and_the_table_its_date() -> None:
    assert set(countries.REASONS) == countries.SANCTIONED | countries.HIGH_RISK
    assert all(countries.REASONS.values())
    assert re.fullmatch(r"\d{4}-\d\d", countries.AS_OF)


def test_an_order_has_the_level_of_its_check_and_the_country_of_its_ip_address() -> None:
    judged = with_judgement(placed_order(), judgement(order(), Policy(), 1))
    assert (judged.risk_level, judged.ip_country) == ("low", "DE")
