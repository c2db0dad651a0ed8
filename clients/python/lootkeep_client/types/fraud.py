"""What `fraud` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from lootkeep_client.types.words import (
    CheckoutStep,
    CustomerStatus,
    FraudAction,
    FraudDecision,
    FraudRuleAction,
    FraudRuleMode,
    FraudSensitivity,
    FraudWhenDue,
    LinkKind,
    OrderOutcome,
    OrderStatus,
    ReviewOutcome,
    RiskLevel,
    TruthSource,
)


class FraudSettingsChanges(TypedDict):
    fraud_detection_enabled: NotRequired[bool]
    fraud_sensitivity_level: NotRequired[FraudSensitivity]
    fraud_action: NotRequired[FraudAction]
    fraud_block_vpn: NotRequired[bool]
    fraud_block_proxy: NotRequired[bool]
    fraud_block_datacenter: NotRequired[bool]
    fraud_block_tor: NotRequired[bool]
    fraud_block_sanctioned_countries: NotRequired[bool]
    fraud_check_geo_mismatch: NotRequired[bool]
    fraud_check_velocity: NotRequired[bool]
    fraud_check_disposable_email: NotRequired[bool]
    fraud_judge_at_payment: NotRequired[bool]
    fraud_accounts_made_at_checkout: NotRequired[bool]
    fraud_signal_points: NotRequired[Mapping[str, int]]
    fraud_velocity_limit_orders_per_ip: NotRequired[int]
    fraud_velocity_limit_orders_per_email: NotRequired[int]
    fraud_velocity_limit_declines: NotRequired[int]
    fraud_velocity_window_minutes: NotRequired[int]
    fraud_review_due_hours: NotRequired[int]
    fraud_review_when_due: NotRequired[FraudWhenDue]
    fraud_review_daily_budget: NotRequired[int]
    fraud_custom_blocked_countries: NotRequired[Sequence[str]]
    fraud_whitelisted_ips: NotRequired[Sequence[str]]
    fraud_whitelisted_emails: NotRequired[Sequence[str]]


class TriedRuleBody(TypedDict):
    id: NotRequired[int | None]
    expression: str
    action: FraudRuleAction
    points: NotRequired[int]


class WhitelistedIps(TypedDict):
    whitelisted_ips: Sequence[str]


class WhitelistedEmails(TypedDict):
    whitelisted_emails: Sequence[str]


class FraudSettings(TypedDict):
    fraud_detection_enabled: NotRequired[bool]
    fraud_sensitivity_level: NotRequired[FraudSensitivity]
    fraud_action: NotRequired[FraudAction]
    fraud_block_vpn: NotRequired[bool]
    fraud_block_proxy: NotRequired[bool]
    fraud_block_datacenter: NotRequired[bool]
    fraud_block_tor: NotRequired[bool]
    fraud_block_sanctioned_countries: NotRequired[bool]
    fraud_check_geo_mismatch: NotRequired[bool]
    fraud_check_velocity: NotRequired[bool]
    fraud_check_disposable_email: NotRequired[bool]
    fraud_judge_at_payment: NotRequired[bool]
    fraud_accounts_made_at_checkout: NotRequired[bool]
    fraud_signal_points: NotRequired[Mapping[str, int]]
    fraud_velocity_limit_orders_per_ip: NotRequired[int]
    fraud_velocity_limit_orders_per_email: NotRequired[int]
    fraud_velocity_limit_declines: NotRequired[int]
    fraud_velocity_window_minutes: NotRequired[int]
    fraud_review_due_hours: NotRequired[int]
    fraud_review_when_due: NotRequired[FraudWhenDue]
    fraud_review_daily_budget: NotRequired[int]
    fraud_custom_blocked_countries: NotRequired[Sequence[str]]
    fraud_whitelisted_ips_count: NotRequired[int]
    fraud_whitelisted_emails_count: NotRequired[int]


class FraudSettingsAnswer(TypedDict):
    settings: FraudSettings
    sanctioned_countries: Sequence[str]
    high_risk_countries: Sequence[str]
    missing_lists: Sequence[str]


class CheckOrder(TypedDict):
    id: int
    order_number: str


class CheckCustomer(TypedDict):
    id: int
    name: str


class QueuedCheck(TypedDict):
    id: int
    risk_score: int
    risk_level: RiskLevel
    action_taken: FraudDecision
    detected_signals: Sequence[str]
    order: CheckOrder
    order_total: str
    customer: CheckCustomer
    owner_id: int | None
    due_at: str | None
    expected_loss: str
    created_at: str


class Riskiest(TypedDict):
    budget: int
    checks: Sequence[QueuedCheck]


class FraudCheck(TypedDict):
    id: int
    order_id: int
    customer_id: int
    ip_address: str | None
    risk_score: int
    risk_level: RiskLevel
    action_taken: FraudDecision
    detected_country: str | None
    billing_country: str | None
    detected_city: str | None
    is_vpn: bool
    is_proxy: bool
    is_datacenter: bool
    is_tor: bool
    is_sanctioned_country: bool
    has_geo_mismatch: bool
    has_velocity_violation: bool
    is_disposable_email: bool
    is_reviewed: bool
    reviewed_by: int | None
    reviewed_at: str | None
    review_outcome: ReviewOutcome | None
    created_at: str
    order: CheckOrder
    customer: CheckCustomer


class RuleHit(TypedDict):
    id: int
    name: str
    action: FraudRuleAction
    mode: FraudRuleMode


class CheckOrderDetail(TypedDict):
    id: int
    order_number: str
    status: OrderStatus
    total: str


class CheckCustomerDetail(TypedDict):
    id: int
    name: str
    email: str


class FraudCheckDetail(TypedDict):
    id: int
    order_id: int
    customer_id: int
    ip_address: str | None
    risk_score: int
    risk_level: RiskLevel
    action_taken: FraudDecision
    detected_country: str | None
    billing_country: str | None
    detected_city: str | None
    is_vpn: bool
    is_proxy: bool
    is_datacenter: bool
    is_tor: bool
    is_sanctioned_country: bool
    has_geo_mismatch: bool
    has_velocity_violation: bool
    is_disposable_email: bool
    is_reviewed: bool
    reviewed_by: int | None
    reviewed_at: str | None
    review_outcome: ReviewOutcome | None
    created_at: str
    email: str
    user_agent: str | None
    signals: Mapping[str, int]
    facts: Mapping[str, str]
    asn_name: str | None
    asn_number: int | None
    review_notes: str | None
    engine_version: int
    probability: float
    policy_version: int
    rules: Sequence[RuleHit]
    truth: OrderOutcome | None
    truth_source: TruthSource | None
    truth_at: str | None
    order: CheckOrderDetail
    customer: CheckCustomerDetail


class Badge(TypedDict):
    label: str
    color: str


class CheckAnswer(TypedDict):
    check: FraudCheckDetail
    detected_signals: Sequence[str]
    risk_badge: Badge
    action_badge: Badge


class ReviewedOrder(TypedDict):
    id: int
    order_number: str
    status: OrderStatus
    next: CheckoutStep | None


class ReviewedCheck(TypedDict):
    id: int
    is_reviewed: bool
    reviewed_by: int | None
    reviewed_at: str | None
    review_outcome: ReviewOutcome | None
    review_notes: str | None
    order: ReviewedOrder


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
    would_stop: Sequence[str]


class Reviewed(TypedDict):
    id: int
    is_reviewed: bool
    reviewed_by: int | None
    reviewed_at: str | None
    review_outcome: ReviewOutcome | None
    review_notes: str | None
