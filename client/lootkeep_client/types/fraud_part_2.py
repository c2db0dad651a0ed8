"""What `fraud_part_2` has; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from lootkeep_client.types.words import (
    CustomerStatus,
    FraudDecision,
    LinkKind,
    OrderOutcome,
    ReviewOutcome,
    RiskLevel,
    TruthSource,
)


class Reviewed(TypedDict):
    id: int
    is_reviewed: bool
    reviewed_by: int | None
    reviewed_at: str | None
    review_outcome: ReviewOutcome | None
    review_notes: str | None


class CheckReview(TypedDict):
    outcome: ReviewOutcome
    notes: str | None
    reviewed_by: int
    reviewed_at: str


class LinkedAccount(TypedDict):
    id: int
    name: str
    status: CustomerStatus
    orders_count: int
    total_spent: str
    is_fraud: bool
    is_disputed: bool
    depth: int


class Edge(TypedDict):
    kind: LinkKind
    value: str
    customer_id: int
    first_seen_at: str
    last_seen_at: str


class Hub(TypedDict):
    kind: LinkKind
    value: str


class LinkedAccounts(TypedDict):
    accounts: Sequence[LinkedAccount]
    edges: Sequence[Edge]
    hubs: Sequence[Hub]
    is_complete: bool


class Assigned(TypedDict):
    id: int
    owner_id: int | None
    due_at: str | None


class BlockedCountries(TypedDict):
    blocked_countries: Sequence[str]


class DayFigures(TypedDict):
    blocked: int
    flagged: int
    allowed: int


class PeriodFigures(TypedDict):
    blocked: int
    flagged: int


class FraudStats(TypedDict):
    today: DayFigures
    this_week: PeriodFigures
    this_month: PeriodFigures
    pending_review: int
    high_risk_today: int


class JudgedMonth(TypedDict):
    since: str
    orders: int
    frauds: int
    caught: int
    recall: float | None


class FraudDashboard(TypedDict):
    stats: FraudStats
    judged_month: JudgedMonth


class SignalReport(TypedDict):
    name: str
    label: str
    fired: int
    right: int
    wrong: int
    precision: float | None


class ActionCounts(TypedDict):
    allowed: int
    flagged: int
    blocked: int
    verification_required: int


class BacktestSide(TypedDict):
    actions: ActionCounts
    precision: float | None
    recall: float | None


class ChangedOrder(TypedDict):
    check_id: int
    order_id: int
    order_number: str
    score_before: int
    score_after: int
    action_before: FraudDecision
    action_after: FraudDecision
    review_outcome: str | None
    truth: OrderOutcome | None
    truth_source: TruthSource | None


class Tally(TypedDict):
    fired: int
    right: int
    wrong: int
    precision: float | None


class Backtest(TypedDict):
    checks: int
    older_engine_checks: int
    is_complete: bool
    before: BacktestSide
    after: BacktestSide
    changed_count: int
    changed: Sequence[ChangedOrder]
    rule: Tally | None


class ExplainedSignal(TypedDict):
    name: str
    label: str
    points: int
    fact: str | None
    until: str | None


class Explanation(TypedDict):
    risk_score: int
    risk_level: RiskLevel
    action_taken: FraudDecision
    is_known_customer: bool
    is_whitelisted: bool
    signals: Sequence[ExplainedSignal]
