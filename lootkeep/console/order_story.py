"""An order's story: one timeline from placed to delivered, with why, by whom, and what each receiver got."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lootkeep.console.sendings import Sending, sendings
from lootkeep.deps import Deps
from lootkeep.domain.disputes import Dispute
from lootkeep.domain.fraud.checks import CheckDetail
from lootkeep.domain.fraud.review import consequence
from lootkeep.domain.fraud.review import label as signal_label
from lootkeep.domain.fraud.signals import BY_NAME
from lootkeep.domain.orders import ALLOWED, FRAUD, OrderDetails, Refund
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing
from lootkeep.storage import access as access_db
from lootkeep.storage import customers as customers_db
from lootkeep.storage import disputes as disputes_db
from lootkeep.storage import fraud_checks, order_events, order_lists, payment_attempts
from lootkeep.storage import orders as orders_db
from lootkeep.storage.engine.database import Transaction

_HELD = {
    "allowed": ("ok", "Checked: score {}, {}"),
    "flagged": ("warn", "Flagged: score {}, {}"),
    "verification_required": ("warn", "Held for review: score {}, {}"),
    "blocked": ("bad", "Blocked: score {}, {}"),
}
_REVIEWED = {
    "legitimate": ("ok", "Approved by {}"),
    "fraud": ("bad", "Rejected as fraud by {}"),
    "inconclusive": ("quiet", "Reviewed by {}, inconclusive"),
}

_DISPUTED = {
    "early_warning": ("warn", "Early warning of the bank"),
    "dispute": ("bad", "Payment disputed"),
    "dispute_won": ("ok", "Dispute won"),
    "dispute_lost": ("bad", "Dispute lost"),
}


@dataclass(frozen=True, slots=True)
class Bar:
    """A reason with its points, as a share of the most it can count."""

    label: str
    points: int
    width: int
    tone: str


@dataclass(frozen=True, slots=True)
class Moment:
    """One entry of a timeline; `part` says what kind of `values` there are to show."""

    at: Instant
    tone: str
    title: str
    text: str = ""
    part: str = ""
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Story:
    """An order, everything that happened to it, and what can be done to it now."""

    details: OrderDetails
    check: CheckDetail | None
    moments: Sequence[Moment]

    @property
    def steps(self) -> set[str]:
        return {step for step, statuses in ALLOWED.items() if self.details.order.status in statuses}

    @property
    def can_review(self) -> bool:
        return self.check is not None and consequence("legitimate", self.details.order.status) is not None


async def load(deps: Deps, order_id: int) -> Story:
    async with deps.db.read() as tx:
        order = existing(await orders_db.get(tx, order_id), "Order")
        (details,) = await order_lists.sales(tx, [order])
        check = await fraud_checks.get(tx, details.check.id) if details.check else None
        return Story(details, check, await _moments(tx, details, check))


async def _moments(tx: Transaction, details: OrderDetails, check: CheckDetail | None) -> list[Moment]:
    """In the order of time."""
    refunds = await order_events.refunds_of(tx, details.order.id)
    moments = [await _placed(tx, details)]
    if check is not None:
        moments += [_checked(check), *await reviews(tx, check)]
    moments += [*_steps(details), *(_refunded(refund, details) for refund in refunds)]
    disputes = await disputes_db.of_order(tx, details.order.id)
    moments += [_disputed(dispute) for dispute in disputes]
    for attempt in await payment_attempts.of_order(tx, details.order.id):
        moments.append(Moment(attempt.at, "warn", "Payment declined", attempt.reason or ""))
    referral = await _referral(tx, details)
    moments.sort(key=lambda moment: moment.at)
    recorded = await sendings(
        tx,
        details.order,
        [*(refund.created_at for refund in refunds), *(dispute.created_at for dispute in disputes)],
    )
    last = max([moment.at for moment in moments] + [sending.at for sending in recorded])
    return [*moments, *referral, *_sent(recorded, last)]


async def _placed(tx: Transaction, details: OrderDetails) -> Moment:
    referrer_id = details.customer.referred_by_id
    referrer = await customers_db.get(tx, referrer_id) if referrer_id is not None else None
    return Moment(details.order.created_at, "info", "Placed", part="placed", values={"referrer": referrer})


def _checked(check: CheckDetail) -> Moment:
    tone, title = _HELD[check.action_taken]
    points = sorted(check.points.items(), key=lambda item: -item[1])
    bars = [bar(name, value) for name, value in points]
    title = title.format(check.risk_score, check.risk_level)
    return Moment(check.created_at, tone, title, part="bars", values={"bars": bars})


def bar(name: str, points: int) -> Bar:
    signal = BY_NAME.get(name)
    width = min(100, 100 * points // signal.cap) if signal and signal.cap else 100
    tone = "bad" if points >= 30 else "warn" if points > 0 else "ok"
    return Bar(signal_label(name), points, width, tone)


async def reviews(tx: Transaction, check: CheckDetail) -> list[Moment]:
    moments = []
    for review in await fraud_checks.reviews_of(tx, check.id):
        person = await access_db.user(tx, review.reviewed_by)
        tone, title = _REVIEWED[review.outcome]
        text = f"“{review.notes}”" if review.notes else ""
        moments.append(Moment(review.created_at, tone, title.format(person.name if person else "someone"), text))
    return moments


def _steps(details: OrderDetails) -> Iterator[Moment]:
    order = details.order
    if order.paid_at is not None:
        yield Moment(order.paid_at, "ok", "Paid", part="paid")
    if order.completed_at is not None:
        yield Moment(order.completed_at, "ok", "Fulfilled", order.fulfillment_note or "")
    if order.cancelled_at is not None:
        text = (
            "Stopped by fraud detection or a reviewer." if order.cancel_reason == FRAUD else order.cancel_reason or ""
        )
        yield Moment(order.cancelled_at, "bad", "Cancelled", text)


def _refunded(refund: Refund, details: OrderDetails) -> Moment:
    is_full = refund.amount == details.order.total
    title = "Refunded in full" if is_full else "Refunded in part"
    return Moment(refund.created_at, "quiet", title, refund.reason or "", "refund", {"refund": refund})


def _disputed(dispute: Dispute) -> Moment:
    tone, title = _DISPUTED[dispute.kind]
    text = "The owner of the card did not buy." if dispute.reason == "fraudulent" else ""
    return Moment(dispute.at, tone, title, text)


async def _referral(tx: Transaction, details: OrderDetails) -> list[Moment]:
    """The first payment of a referred customer counts for who brought them."""
    customer = details.customer
    is_first = details.order.paid_at is not None and customer.first_order_at == details.order.paid_at
    if customer.referred_by_id is None or not is_first or details.order.paid_at is None:
        return []
    referrer = await customers_db.get(tx, customer.referred_by_id)
    return [Moment(details.order.paid_at, "ok", "Referral counted", part="referral", values={"referrer": referrer})]


def _sent(recorded: Sequence[Sending], at: Instant) -> list[Moment]:
    """What receivers got, after everything else: deliveries go on while the story does."""
    if not recorded:
        return []
    due = [sending.sent for sending in recorded if sending.sent is not None]
    done = [sent for sent in due if sent.delivery.status == "delivered"]
    title = "Sent to no receiver" if not due else f"{len(done)} of {len(due)} deliveries arrived"
    tone = "quiet" if not due else "ok" if len(done) == len(due) else "bad"
    return [Moment(at, tone, title, part="sendings", values={"sendings": recorded})]
