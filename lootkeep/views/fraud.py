"""Fraud detection in public: checks in a list and alone, reviews and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

import msgspec

from lootkeep.domain.disputes import Outcome, TruthSource
from lootkeep.domain.fraud import review as review_rules
from lootkeep.domain.fraud.checks import CheckDetail, CheckEntry, FraudCheck, Review, Waiting
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.fraud.rule import RuleAction, RuleMode
from lootkeep.domain.fraud.score import Action, RiskLevel, probability
from lootkeep.domain.fraud.signals.sentences import sentences
from lootkeep.domain.orders import CheckoutStep, Order, OrderStatus, next_step, order_number
from lootkeep.kernel.clock import Instant, utc
from lootkeep.kernel.money import text
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of

CountryCode = Annotated[str | None, field("ISO 3166-1 alpha-2; null if unknown.", "DE")]
Reviewer = Annotated[int | None, field("The user who reviewed it.", None)]
ReviewedAt = Annotated[Moment | None, field("When it was reviewed last.", None)]
ReviewOutcome = Annotated[ReviewedAs | None, field("The outcome of the review.", None)]
Notes = Annotated[str | None, field("The notes of the reviewer.", None)]


class CheckOrderView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the order.", 123)]
    order_number: Annotated[str, field("What customers see.", "ORD-000123")]


class CheckOrderDetailView(CheckOrderView, frozen=True):
    status: Annotated[OrderStatus, field("The status of the order.", "pending")]
    total: Annotated[str, field("The total.", "19.99")]


class CheckCustomerView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the customer.", 31)]
    name: Annotated[str, field("The customer's name.", "Jun Park")]


class CheckCustomerDetailView(CheckCustomerView, frozen=True):
    email: Annotated[str, field("The customer's e-mail address.", "jun@example.com")]


class _Judged(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the check.", 17)]
    order_id: Annotated[int, field("The order that was judged.", 123)]
    customer_id: Annotated[int, field("The customer.", 31)]
    ip_address: Annotated[str | None, field("The IP address of the order.", "203.0.113.9")]
    risk_score: Annotated[int, field("0 to 100.", 55)]
    risk_level: Annotated[
        RiskLevel, field("`low` from 0, `medium` from 40, `high` from 60, `critical` from 80.", "medium")
    ]
    action_taken: Annotated[Action, field("The action that was taken.", "flagged")]
    detected_country: CountryCode
    billing_country: CountryCode
    detected_city: Annotated[str | None, field("Null if unknown.", None)]
    is_vpn: Annotated[bool, field("The IP address belongs to a VPN.", False)]
    is_proxy: Annotated[bool, field("The IP address belongs to an open proxy.", False)]
    is_datacenter: Annotated[bool, field("The IP address belongs to a hosting company.", True)]
    is_tor: Annotated[bool, field("The IP address is a Tor exit.", False)]
    is_sanctioned_country: Annotated[bool, field("The IP country or the billing country is under embargo.", False)]
    has_geo_mismatch: Annotated[bool, field("IP country and billing country differ.", False)]
    has_velocity_violation: Annotated[bool, field("The velocity limits are exceeded.", False)]
    is_disposable_email: Annotated[bool, field("The mailbox is disposable.", True)]
    is_reviewed: Annotated[bool, field("Whether it was reviewed.", False)]
    reviewed_by: Reviewer
    reviewed_at: ReviewedAt
    review_outcome: ReviewOutcome
    created_at: Time


class FraudCheckView(_Judged, frozen=True):
    order: CheckOrderView
    customer: CheckCustomerView


class RuleHitView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("The rule.", 3)]
    name: Annotated[str, field("Its name at that time.", "Fresh and large")]
    action: Annotated[RuleAction, field("Its action.", "verify")]
    mode: Annotated[RuleMode, field("In `shadow` mode it was only counted.", "on")]


class FraudCheckDetailView(_Judged, frozen=True):
    email: Annotated[str, field("The buyer's e-mail address at that time.", "jun@example.com")]
    user_agent: Annotated[str | None, field("The browser's User-Agent.", None)]
    signals: Annotated[dict[str, int], field("Points by signal name.", {"datacenter": 15})]
    facts: Annotated[
        dict[str, str],
        field("Extension: what each signal saw, by name.", {"account_age": "signed up 41 seconds before"}),
    ]
    asn_name: Annotated[str | None, field("The operator of the network; null if unknown.", None)]
    asn_number: Annotated[int | None, field("The autonomous system number.", None)]
    review_notes: Notes
    engine_version: Annotated[int, field("Extension: the version of the engine that judged.", 2)]
    probability: Annotated[
        float, field("Extension: the probability of fraud, from the score and the base odds of this store.", 0.14)
    ]
    policy_version: Annotated[int, field("Extension: the version of the settings and rules it was judged with.", 4)]
    rules: Annotated[list[RuleHitView], field("Extension: the store's own rules that matched.", [])]
    truth: Annotated[Outcome | None, field("Extension: the outcome of the order.", None)]
    truth_source: Annotated[TruthSource | None, field("Extension: the source of the outcome.", None)]
    truth_at: Annotated[Moment | None, field("Extension: when the outcome became known.", None)]
    order: CheckOrderDetailView
    customer: CheckCustomerDetailView


class QueuedCheckView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the check.", 17)]
    risk_score: Annotated[int, field("0 to 100.", 55)]
    risk_level: Annotated[RiskLevel, field("The risk level.", "medium")]
    action_taken: Annotated[Action, field("The action that was taken.", "flagged")]
    detected_signals: Annotated[list[str], field("Labels of the signals, the heaviest first.", ["Datacenter address"])]
    order: CheckOrderView
    order_total: Annotated[str, field("The total of the order.", "19.99")]
    customer: CheckCustomerView
    owner_id: Annotated[int | None, field("The user it is assigned to.", None)]
    due_at: Annotated[Moment | None, field("When the review is due.", "2026-11-16T10:30:00Z")]
    expected_loss: Annotated[str, field("The average loss if the order goes through.", "0.62")]
    created_at: Time


class RiskiestView(msgspec.Struct, frozen=True):
    budget: Annotated[int, field("How many to review per day, from the settings.", 20)]
    checks: list[QueuedCheckView]


class AssignedView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the check.", 17)]
    owner_id: Annotated[int | None, field("The user it is assigned to.", 1)]
    due_at: Annotated[Moment | None, field("When the review is due.", "2026-11-16T10:30:00Z")]


class BadgeView(msgspec.Struct, frozen=True):
    label: Annotated[str, field("For people.", "Medium Risk")]
    color: Annotated[str, field("The colour of the badge.", "yellow")]


class CheckReviewView(msgspec.Struct, frozen=True):
    outcome: Annotated[ReviewedAs, field("The outcome of the review.", "legitimate")]
    notes: Annotated[str | None, field("The notes of the reviewer.", "Called the customer.")]
    reviewed_by: Annotated[int, field("The user who reviewed it.", 1)]
    reviewed_at: Time


class CheckAnswerView(msgspec.Struct, frozen=True):
    check: FraudCheckDetailView
    detected_signals: Annotated[list[str], field("Labels of the signals, the heaviest first.", ["Datacenter address"])]
    risk_badge: BadgeView
    action_badge: BadgeView


class ReviewedView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the check.", 17)]
    is_reviewed: Annotated[bool, field("Always true.", True)]
    reviewed_by: Annotated[int | None, field("The user who reviewed it.", 1)]
    reviewed_at: Annotated[Moment | None, field("When.", "2026-11-15T10:30:00Z")]
    review_outcome: Annotated[ReviewedAs | None, field("The outcome of the review.", "legitimate")]
    review_notes: Notes


class ReviewedOrderView(CheckOrderView, frozen=True):
    status: Annotated[OrderStatus, field("The status of the order.", "pending")]
    next: Annotated[CheckoutStep | None, field("What it waits for; `refund` if it is held and was fraud.", "pay")]


class ReviewedCheckView(ReviewedView, frozen=True):
    order: ReviewedOrderView


class DayFiguresView(msgspec.Struct, frozen=True):
    blocked: Annotated[int, field("Orders that were blocked.", 3)]
    flagged: Annotated[int, field("Orders that were flagged.", 12)]
    allowed: Annotated[int, field("Orders that were allowed.", 240)]


class PeriodFiguresView(msgspec.Struct, frozen=True):
    blocked: Annotated[int, field("Orders that were blocked.", 20)]
    flagged: Annotated[int, field("Orders that were flagged.", 75)]


class FraudStatsView(msgspec.Struct, frozen=True):
    today: DayFiguresView
    this_week: PeriodFiguresView
    this_month: PeriodFiguresView
    pending_review: Annotated[int, field("Checks that were not allowed and have no review.", 9)]
    high_risk_today: Annotated[int, field("Checks of today with level high or critical.", 4)]


class JudgedMonthView(msgspec.Struct, frozen=True):
    since: Annotated[
        Moment, field("The start of the month, the newest one that is 90 days old.", "2026-07-01T00:00:00Z")
    ]
    orders: Annotated[int, field("Orders that were checked.", 1200)]
    frauds: Annotated[int, field("Of these, orders that were fraud.", 20)]
    caught: Annotated[int, field("Of the frauds, orders that were not allowed.", 17)]
    recall: Annotated[float | None, field("The share of frauds that was caught; null without frauds.", 0.85)]


class FraudDashboardView(msgspec.Struct, frozen=True):
    stats: FraudStatsView
    # Extension: how the engine did, by what orders turned out to be.
    judged_month: JudgedMonthView


CheckCounts = Mapping[tuple[str, str], int]


_ENTRY = view_of(FraudCheckView, CheckEntry, "order", "customer")
_DETAIL = view_of(FraudCheckDetailView, CheckDetail, "signals", "facts", "rules", "probability", "order", "customer")
reviewed: Callable[[FraudCheck], ReviewedView] = view_of(ReviewedView, FraudCheck)
_REVIEWED = view_of(ReviewedCheckView, FraudCheck, "order")
assigned: Callable[[FraudCheck], AssignedView] = view_of(AssignedView, FraudCheck)


def reviewed_check(check: FraudCheck, order: Order) -> ReviewedCheckView:
    step = ReviewedOrderView(order.id, order.number, order.status, next_step(order, check.summary))
    return _REVIEWED(check, order=step)


def check_entry(entry: CheckEntry) -> FraudCheckView:
    return _ENTRY(
        entry,
        order=CheckOrderView(entry.order_id, order_number(entry.order_id)),
        customer=CheckCustomerView(entry.customer_id, entry.customer_name),
    )


_QUEUED = view_of(QueuedCheckView, Waiting, "detected_signals", "order", "customer")


def queued(check: Waiting) -> QueuedCheckView:
    return _QUEUED(
        check,
        detected_signals=review_rules.detected_signals(check.points),
        order=CheckOrderView(check.order_id, order_number(check.order_id)),
        customer=CheckCustomerView(check.customer_id, check.customer_name),
    )


def check(detail: CheckDetail, policy: Policy, odds: float) -> CheckAnswerView:
    """`policy` is the one it was judged with."""
    points = detail.points
    number, total = order_number(detail.order_id), text(detail.order_total)
    return CheckAnswerView(
        check=_DETAIL(
            detail,
            signals=points,
            facts=sentences(points, facts_of(detail), policy),
            probability=round(probability(detail.risk_score, odds), 4),
            rules=[RuleHitView(hit.id, hit.name, hit.action, hit.mode) for hit in detail.rules],
            order=CheckOrderDetailView(detail.order_id, number, detail.order_status, total),
            customer=CheckCustomerDetailView(detail.customer_id, detail.customer_name, detail.customer_email),
        ),
        detected_signals=review_rules.detected_signals(points),
        risk_badge=_badge(review_rules.RISK_BADGES[detail.risk_level]),
        action_badge=_badge(review_rules.ACTION_BADGES[detail.action_taken]),
    )


def review(stored: Review) -> CheckReviewView:
    return CheckReviewView(stored.outcome, stored.notes, stored.reviewed_by, utc(stored.created_at))


def judged_month(start: Instant, counts: CheckCounts, frauds: Mapping[str, int]) -> JudgedMonthView:
    total = sum(frauds.values())
    caught = total - frauds.get("allowed", 0)
    recall = round(caught / total, 4) if total else None
    return JudgedMonthView(utc(start), sum(counts.values()), total, caught, recall)


def dashboard(
    *, today: CheckCounts, week: CheckCounts, month: CheckCounts, pending_review: int, judged: JudgedMonthView
) -> FraudDashboardView:
    high = sum(count for (level, _), count in today.items() if level in ("high", "critical"))
    return FraudDashboardView(
        FraudStatsView(
            DayFiguresView(_taken(today, "blocked"), _taken(today, "flagged"), _taken(today, "allowed")),
            PeriodFiguresView(_taken(week, "blocked"), _taken(week, "flagged")),
            PeriodFiguresView(_taken(month, "blocked"), _taken(month, "flagged")),
            pending_review,
            high,
        ),
        judged,
    )


def _taken(counts: CheckCounts, action: str) -> int:
    return sum(count for (_, taken), count in counts.items() if taken == action)


def _badge(badge: review_rules.Badge) -> BadgeView:
    return BadgeView(badge.label, badge.color)
