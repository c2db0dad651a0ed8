"""Events of payment providers: what became of them, and when they are tried again."""

from __future__ import annotations

from typing import Literal

import msgspec

from lootkeep.domain.payments.reports import Envelope, Operation
from lootkeep.domain.payments.sources import PaymentSource
from lootkeep.domain.settlement import Settlement
from lootkeep.kernel import money
from lootkeep.kernel.clock import DAY, SECOND, Instant
from lootkeep.kernel.errors import AppError, Conflict, Unprocessable
from lootkeep.kernel.money import Hundredths

PaymentEventStatus = Literal["waiting", "applied", "unmatched", "ignored"]
PaymentEventReason = Literal[
    "order_not_found",
    "order_ambiguous",
    "payment_missing",
    "amount_differs",
    "currency_differs",
    "already_paid",
    "already_recorded",
    "order_cancelled",
    "order_on_hold",
    "test_mode",
]

MAX_BODY = 256 * 1024
# The purpose that the seal of a body is bound to: it holds the payer's e-mail and the fingerprint of the card.
BODY_PURPOSE = "payment event"
# After each try without its order: at last hourly, for a day.
RETRY_SECONDS = (5, 30, 300, *(3600,) * 24)
# Providers are faster than checkouts, but not by more than this.
TRIED_FOR = DAY
# An intent does not know the card: its charge, which does, usually comes within this time.
CHARGE_WAIT = 5 * SECOND
# Longer than any operation takes.
LEASE = 60 * SECOND

# Which reasons can end: the order, or its payment, may still come.
_TEMPORARY = ("order_not_found", "payment_missing")


class PaymentEvent(msgspec.Struct, frozen=True):
    """An event, and the order that it was applied to or compared with."""

    id: int
    source_id: int
    provider_event_id: str
    type: str
    operation: Operation | None
    status: PaymentEventStatus
    reason: PaymentEventReason | None
    order_id: int | None
    amount: Hundredths | None
    currency: str | None
    payer_email: str | None
    # Sealed, as received; None once the buyer was erased.
    body: str | None
    due_at: Instant
    created_at: Instant
    attempts_count: int = 0
    failures: int = 0
    lease: str | None = None
    finished_at: Instant | None = None

    @property
    def applied_at(self) -> Instant | None:
        return self.finished_at if self.status == "applied" else None


class Outcome(msgspec.Struct, frozen=True):
    """What a try came to."""

    reason: PaymentEventReason | None = None
    order_id: int | None = None

    @property
    def is_applied(self) -> bool:
        return self.reason in (None, "already_recorded")


def new(source: PaymentSource, envelope: Envelope, sealed: str, now: Instant) -> PaymentEvent:
    """The event as it is stored: it waits, or is ignored for good."""
    report = envelope.report
    is_ignored = report.operation is None or (envelope.is_test and not source.is_test)
    return PaymentEvent(
        id=0,
        source_id=source.id,
        provider_event_id=envelope.event_id,
        type=envelope.type,
        operation=report.operation,
        status="ignored" if is_ignored else "waiting",
        reason="test_mode" if is_ignored and report.operation else None,
        order_id=None,
        amount=report.amount,
        currency=report.currency,
        payer_email=report.payment.payer_email and report.payment.payer_email.lower(),
        body=sealed,
        due_at=Instant(now + CHARGE_WAIT) if report.is_without_card else now,
        created_at=now,
        finished_at=now if is_ignored else None,
    )


def settle(event: PaymentEvent, outcome: Outcome, now: Instant) -> Settlement:
    """Applied, unmatched, or tried again later."""
    if outcome.is_applied:
        return Settlement("applied", now, event.failures, outcome.reason)
    ends_at = Instant(event.created_at + TRIED_FOR)
    if outcome.reason not in _TEMPORARY or now >= ends_at:
        return Settlement("unmatched", now, event.failures, outcome.reason)
    waits = RETRY_SECONDS[min(event.failures, len(RETRY_SECONDS) - 1)]
    due_at = Instant(min(now + waits * SECOND, ends_at))
    return Settlement("waiting", due_at, event.failures + 1, outcome.reason)


def alert_text(event: PaymentEvent) -> str:
    amount = "" if event.amount is None else f" ({money.text(event.amount)} {event.currency})"
    return f"A payment event fits no order: {event.type}{amount}"


_SENTENCES: dict[PaymentEventReason, str] = {
    "payment_missing": "The order has no payment yet.",
    "amount_differs": "The amount differs from that of the order. Send accept_difference to apply it anyway.",
    "currency_differs": "The currency differs from that of the order. Send accept_difference to apply it anyway.",
    "already_paid": "The order was already paid, by another payment.",
    "order_cancelled": "The order is cancelled.",
    "order_on_hold": "The order is on hold: review it first.",
}


def rejection(reason: PaymentEventReason) -> AppError:
    """Why the event cannot be applied to the order that was chosen."""
    kind = Unprocessable if reason in ("amount_differs", "currency_differs") else Conflict
    return kind(reason, _SENTENCES[reason])


def require_open(event: PaymentEvent) -> None:
    if event.status not in ("waiting", "unmatched") or event.body is None:
        state = event.status if event.body is not None else "erased"
        raise Conflict(f"event_{state}", f"The event is {state} and cannot be applied.")
