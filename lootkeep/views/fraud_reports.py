"""The public JSON of fraud reports: the precision of signals, backtests, and the explanation of a buyer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, get_args

import msgspec

from lootkeep.domain.disputes import Outcome, TruthSource
from lootkeep.domain.fraud.comparison import ChangedOrder, Comparison, Quality
from lootkeep.domain.fraud.judgement import Explanation
from lootkeep.domain.fraud.review import label
from lootkeep.domain.fraud.score import Action, RiskLevel, would_stop
from lootkeep.domain.fraud.signals import SIGNALS
from lootkeep.domain.orders import order_number
from lootkeep.kernel.clock import optional_utc
from lootkeep.views.fields import Moment, field
from lootkeep.views.fraud_rules import TallyView, tally

Share = Annotated[float | None, field("From 0 to 1; null if nothing is known.", 0.92)]


class SignalReportView(msgspec.Struct, frozen=True):
    name: Annotated[str, field("The signal.", "device_reuse")]
    label: Annotated[str, field("As text.", "Other accounts on this device")]
    fired: Annotated[int, field("Checks in which it fired.", 41)]
    right: Annotated[int, field("Of these, known to be fraud; to be legitimate for a signal in favour.", 12)]
    wrong: Annotated[int, field("Of these, known to be the opposite.", 1)]
    precision: Share


class ActionCountsView(msgspec.Struct, frozen=True):
    allowed: Annotated[int, field("Orders that were allowed.", 950)]
    flagged: Annotated[int, field("Orders that were flagged.", 30)]
    blocked: Annotated[int, field("Orders that were blocked.", 15)]
    verification_required: Annotated[int, field("Orders that were held.", 5)]


class BacktestSideView(msgspec.Struct, frozen=True):
    actions: ActionCountsView
    precision: Share
    recall: Share


class ChangedOrderView(msgspec.Struct, frozen=True):
    check_id: Annotated[int, field("The fraud check.", 17)]
    order_id: Annotated[int, field("The order.", 123)]
    order_number: Annotated[str, field("What customers see.", "ORD-000123")]
    score_before: Annotated[int, field("The original result.", 55)]
    score_after: Annotated[int, field("The result with the new settings.", 65)]
    action_before: Annotated[Action, field("The action that was taken.", "flagged")]
    action_after: Annotated[Action, field("The action that would have been taken.", "blocked")]
    review_outcome: Annotated[str | None, field("The outcome of the review.", None)]
    truth: Annotated[Outcome | None, field("The outcome of the order.", "fraud")]
    truth_source: Annotated[TruthSource | None, field("Where the outcome comes from.", "dispute")]


class BacktestView(msgspec.Struct, frozen=True):
    checks: Annotated[int, field("Checks that were judged again.", 1000)]
    older_engine_checks: Annotated[int, field("Of these, made by an older version of the engine, which knew less.", 0)]
    is_complete: Annotated[bool, field("False if only the newest checks were used.", True)]
    before: BacktestSideView
    after: BacktestSideView
    changed_count: Annotated[int, field("Orders whose action would differ.", 8)]
    changed: Annotated[list[ChangedOrderView], field("The newest of them.", [])]
    rule: Annotated[TallyView | None, field("Orders that the rule matches; null without a rule.", None)]


class ExplainedSignalView(msgspec.Struct, frozen=True):
    name: Annotated[str, field("The signal.", "velocity_ip")]
    label: Annotated[str, field("As text.", "Too many orders from one address")]
    points: Annotated[int, field("Its points.", 30)]
    fact: Annotated[
        str | None,
        field("What it saw; null for a rule.", "6 orders from 203.0.113.9 in 60 minutes, the limit is 5"),
    ]
    until: Annotated[Moment | None, field("When it expires; null if it does not.", "2026-11-15T11:30:00Z")]


class ExplanationView(msgspec.Struct, frozen=True):
    risk_score: Annotated[int, field("What an order would score now.", 30)]
    risk_level: Annotated[RiskLevel, field("Its level.", "low")]
    action_taken: Annotated[Action, field("The action that would be taken.", "allowed")]
    is_known_customer: Annotated[bool, field("Whether the e-mail address belongs to a customer.", True)]
    is_whitelisted: Annotated[bool, field("Whether the store trusts this buyer.", False)]
    signals: list[ExplainedSignalView]
    would_stop: Annotated[list[str], field("The signals and rules that would stop an order; empty if none does.", [])]


def signal_report(counts: Mapping[str, int]) -> list[SignalReportView]:
    """One row for each signal of the table, from counts named `vpn.fired`."""
    rows = []
    for signal in SIGNALS:
        fired, frauds, good = (counts.get(f"{signal.name}.{what}", 0) for what in ("fired", "fraud", "legitimate"))
        right, wrong = (frauds, good) if signal.points > 0 else (good, frauds)
        precision = _rounded(right / (right + wrong)) if right + wrong else None
        rows.append(SignalReportView(signal.name, signal.label, fired, right, wrong, precision))
    return rows


def backtest(comparison: Comparison, *, is_complete: bool, has_rule: bool = False) -> BacktestView:
    return BacktestView(
        checks=comparison.checks,
        older_engine_checks=comparison.older_engine_checks,
        is_complete=is_complete,
        before=_side(comparison.before, comparison.quality_before),
        after=_side(comparison.after, comparison.quality_after),
        changed_count=comparison.changed_count,
        changed=[_changed(order) for order in comparison.changed],
        rule=tally(comparison.rule) if has_rule else None,
    )


def explanation(it: Explanation) -> ExplanationView:
    verdict, facts, ends = it.verdict, it.facts, it.ends
    return ExplanationView(
        verdict.risk_score,
        verdict.risk_level,
        verdict.action_taken,
        it.is_known_customer,
        it.is_whitelisted,
        [
            ExplainedSignalView(name, label(name), points, facts.get(name), optional_utc(ends.get(name)))
            for name, points in verdict.signals.items()
        ],
        would_stop(verdict),
    )


def _side(actions: Mapping[Action, int], quality: Quality) -> BacktestSideView:
    counts = ActionCountsView(**{action: actions.get(action, 0) for action in get_args(Action)})
    return BacktestSideView(counts, _rounded(quality.precision), _rounded(quality.recall))


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def _changed(order: ChangedOrder) -> ChangedOrderView:
    check = order.check
    return ChangedOrderView(
        check.id,
        check.order_id,
        order_number(check.order_id),
        order.score_before,
        order.score,
        order.action_before,
        order.action,
        check.review_outcome,
        check.truth,
        check.truth_source,
    )
