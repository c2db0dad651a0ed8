"""The records of fraud detection: checks, how they are listed, and their reviews."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from lootkeep.domain.disputes import Outcome, Truth, TruthSource
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.fraud.rule import RuleHit
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.domain.orders import OrderCheck, OrderStatus
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths


class CheckSummary(msgspec.Struct, frozen=True):
    """What a list shows of a check, without the names of order and customer."""

    id: int
    order_id: int
    customer_id: int
    ip_address: str | None
    risk_score: int
    risk_level: RiskLevel
    action_taken: Action
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
    reviewed_at: Instant | None
    review_outcome: ReviewedAs | None
    created_at: Instant


class FraudCheck(CheckSummary, frozen=True):
    """A check as it is stored."""

    email: str
    user_agent: str | None
    # JSON: points by signal name.
    signals: str
    asn_name: str | None
    asn_number: int | None
    review_notes: str | None
    # JSON: the judged facts, and the version of the policy that was used.
    facts: str
    policy_version: int
    engine_version: int
    # JSON: the store's own rules that matched, as they were.
    rule_hits: str
    truth: Outcome | None
    truth_source: TruthSource | None
    truth_at: Instant | None
    owner_id: int | None
    due_at: Instant | None
    expected_loss: Hundredths
    # False once the order was judged again.
    is_latest: bool

    @property
    def summary(self) -> OrderCheck:
        """What its order shows of it."""
        return OrderCheck(*(getattr(self, name) for name in OrderCheck.__struct_fields__))

    @property
    def rules(self) -> list[RuleHit]:
        return msgspec.json.decode(self.rule_hits, type=list[RuleHit])

    @property
    def place(self) -> tuple[Instant, int]:
        """Its position in chronological order."""
        return self.created_at, self.id

    @property
    def points(self) -> dict[str, int]:
        return msgspec.json.decode(self.signals, type=dict[str, int])


def reviewed(check: FraudCheck, review: Review) -> FraudCheck:
    """The last review counts."""
    return replace(
        check,
        is_reviewed=True,
        review_outcome=review.outcome,
        review_notes=review.notes,
        reviewed_by=review.reviewed_by,
        reviewed_at=review.created_at,
    )


def reopened(check: FraudCheck) -> FraudCheck:
    """A check that waits for a review until someone decides: no due time ends it. Its earlier reviews are stored."""
    nothing: dict[str, Any] = dict.fromkeys(("review_outcome", "review_notes", "reviewed_by", "reviewed_at", "due_at"))
    return replace(check, action_taken="verification_required", is_reviewed=False, **nothing)


def settled(check: FraudCheck, truth: Truth | None) -> FraudCheck:
    """The check with the outcome of its order."""
    if truth is None:
        return replace(check, truth=None, truth_source=None, truth_at=None)
    return replace(check, truth=truth.outcome, truth_source=truth.source, truth_at=truth.at)


class CheckEntry(CheckSummary, frozen=True):
    """A check as it is listed."""

    customer_name: str


class CheckDetail(FraudCheck, frozen=True):
    """A check as it is shown alone."""

    customer_name: str
    customer_email: str
    order_status: OrderStatus
    order_total: Hundredths


class Waiting(CheckSummary, frozen=True):
    """A check in the review queue."""

    signals: str
    customer_name: str
    order_total: Hundredths
    order_currency: str
    order_status: OrderStatus
    owner_id: int | None
    owner_name: str | None
    due_at: Instant | None
    expected_loss: Hundredths
    # When the money arrived that is held with its order.
    payment_held_at: Instant | None

    @property
    def points(self) -> dict[str, int]:
        return msgspec.json.decode(self.signals, type=dict[str, int])


class Review(msgspec.Struct, frozen=True):
    """The result of a review; the last one counts, all are stored."""

    id: int
    check_id: int
    outcome: ReviewedAs
    notes: str | None
    reviewed_by: int
    created_at: Instant
