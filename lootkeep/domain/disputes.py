"""The outcome of an order: disputes, reviews and refunds as labels, each with its time and its source."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import msgspec

from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import Conflict

DisputeKind = Literal["early_warning", "dispute", "dispute_won", "dispute_lost"]
DisputeReason = Literal["fraudulent", "other"]
Outcome = Literal["fraud", "legitimate"]
# The source of a label: a reviewer, a refund, or the bank.
TruthSource = Literal["review", "refund", "early_warning", "dispute", "dispute_lost"]

# Banks report late: an order that nobody reviewed has no outcome before this age.
JUDGED_AFTER = 90 * DAY


# How long evidence is taken: usually, by which disputes without a deadline are sorted, and at most.
USUAL_DEADLINE = 14 * DAY
MAX_DEADLINE = 120 * DAY

# If an order was stopped, the absence of reports says nothing.
SILENCE_IS_GOOD = ("allowed", "flagged")


class Dispute(msgspec.Struct, frozen=True):
    """What the payment provider reports about a payment that its owner does not recognise."""

    id: int
    order_id: int
    kind: DisputeKind
    reason: DisputeReason
    external_id: str | None
    at: Instant
    created_at: Instant
    # Until when the provider takes evidence, if it says so.
    evidence_due_at: Instant | None = None


class Truth(msgspec.Struct, frozen=True):
    """The outcome of an order, its source, and since when it is known."""

    outcome: Outcome
    source: TruthSource
    at: Instant


class StaffLabel(msgspec.Struct, frozen=True):
    """The label of a review, or of a refund for fraud."""

    outcome: ReviewedAs
    source: Literal["review", "refund"]
    at: Instant


def check_disputable(order: Order) -> None:
    if order.received_at is None:
        raise Conflict("order_not_paid", f"Order {order.number} was never paid and cannot be disputed.")


def open_disputes(disputes: Sequence[Dispute]) -> list[Dispute]:
    """Those that were not won later, in order of time."""
    won = [dispute for dispute in disputes if dispute.kind == "dispute_won"]
    names = {dispute.external_id for dispute in disputes if dispute.kind == "dispute"} - {None}
    open_ = [it for it in disputes if it.kind != "dispute_won" and not any(_ends(won_, it, names) for won_ in won)]
    return sorted(open_, key=lambda dispute: (dispute.at, dispute.id))


def _ends(outcome: Dispute, dispute: Dispute, names: Collection[str | None]) -> bool:
    """An order may have several disputes: an outcome that names one is about that one, and no warning outlives it."""
    is_about = outcome.external_id not in names or outcome.external_id == dispute.external_id
    return dispute.at <= outcome.at and (is_about or dispute.kind == "early_warning")


def truth(disputes: Sequence[Dispute], staff: Sequence[StaffLabel]) -> Truth | None:
    """The bank overrides the staff, and the latest word of the staff counts; a dispute that was won does not count."""
    frauds = [dispute for dispute in open_disputes(disputes) if dispute.reason == "fraudulent"]
    last = max(staff, key=lambda label: label.at, default=None)
    times = [dispute.at for dispute in frauds]
    if last and last.outcome == "fraud":
        times.append(last.at)
    if frauds:
        source: TruthSource = frauds[-1].kind  # type: ignore[assignment]  # a won one is not open
        return Truth("fraud", source, min(times))
    if last is None or last.outcome == "inconclusive":
        return None
    return Truth(last.outcome, last.source, last.at)


def is_disputed(disputes: Sequence[Dispute]) -> bool:
    """Whether a dispute is open or lost; a warning is not a dispute."""
    return any(dispute.kind != "early_warning" for dispute in open_disputes(disputes))


def is_final(disputes: Sequence[Dispute], staff: Sequence[StaffLabel]) -> bool:
    """Whether the money is lost or the fraud confirmed, so that what was handed over is revoked."""
    last = max(staff, key=lambda label: label.at, default=None)
    is_lost = any(dispute.kind == "dispute_lost" for dispute in open_disputes(disputes))
    return is_lost or (last is not None and last.outcome == "fraud")


def judged_as(
    truth: Outcome | None, source: TruthSource | None, action: str, created_at: Instant, now: Instant
) -> Outcome | None:
    """How reports count an order: by its review immediately, otherwise once it is old enough to count as good."""
    if source == "review" or created_at <= now - JUDGED_AFTER:
        return truth or ("legitimate" if action in SILENCE_IS_GOOD else None)
    return None
