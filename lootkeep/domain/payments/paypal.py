"""PayPal: what its signature covers, and its events."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from lootkeep.domain.fraud.facts import Payment
from lootkeep.domain.payments.reports import Envelope, Json, Operation, Report, currency_of, first, part, word, words
from lootkeep.kernel import money
from lootkeep.kernel.clock import DAY, MINUTE, Instant, instant
from lootkeep.kernel.money import Hundredths, NotMoney

TRANSMISSION_ID = b"paypal-transmission-id"
TRANSMISSION_TIME = b"paypal-transmission-time"
SIGNATURE = b"paypal-transmission-sig"
CERTIFICATE_URL = b"paypal-cert-url"
ALGORITHM = b"paypal-auth-algo"
# The only one that PayPal uses.
RSA_SHA256 = "SHA256withRSA"
# PayPal sends an event again for three days, and does not say whether with the time of its first transmission.
MAX_AGE = 4 * DAY
_AHEAD = 5 * MINUTE

METHOD = "paypal"
# How a dispute ended; where PayPal pays both sides, the store keeps its money.
_OUTCOMES: dict[str | None, Operation] = {
    "RESOLVED_BUYER_FAVOUR": "dispute_lost",
    "ACCEPTED": "dispute_lost",
    "RESOLVED_SELLER_FAVOUR": "dispute_won",
    "RESOLVED_WITH_PAYOUT": "dispute_won",
    "CANCELED_BY_BUYER": "dispute_won",
    "DENIED": "dispute_won",
}
_NOT_BY_OWNER = "UNAUTHORISED"


def signed_text(transmission_id: str, time: str, webhook_id: str, body: bytes) -> bytes:
    return f"{transmission_id}|{time}|{webhook_id}|{zlib.crc32(body)}".encode()


def is_timely(time: str, now: Instant) -> bool:
    at = _time(time)
    return at is not None and now - MAX_AGE <= at <= now + _AHEAD


def read(event: Json, *, is_test: bool) -> Envelope | None:
    """None if it has no id or no type."""
    event_id, kind = word(event, "id"), word(event, "event_type")
    if event_id is None or kind is None:
        return None
    resource = event.get("resource")
    make = _EVENTS.get(kind)
    report = make(resource) if make and isinstance(resource, dict) else Report()
    return Envelope(event_id, kind, is_test, replace(report, happened_at=_time(event.get("create_time"))))


def _capture(operation: Operation) -> Callable[[Json], Report]:
    def read_capture(capture: Json) -> Report:
        return Report(
            operation=operation,
            names=_names(capture),
            payment_id=word(capture, "supplementary_data", "related_ids", "order_id"),
            charge_id=word(capture, "id"),
            amount=_amount(capture, "amount"),
            currency=currency_of(capture, "amount", "currency_code"),
            method=METHOD,
            reference=word(capture, "id"),
            reason=word(capture, "status_details", "reason"),
            payment=Payment(payer_email=word(capture, "payer", "email_address")),
        )

    return read_capture


def _refund(refund: Json) -> Report:
    """The capture is named by a link; the sum of all its refunds is part of the refund."""
    so_far = _amount(refund, "seller_payable_breakdown", "total_refunded_amount")
    return Report(
        operation="refunded",
        names=_names(refund),
        payment_id=word(refund, "supplementary_data", "related_ids", "order_id"),
        charge_id=word(refund, "supplementary_data", "related_ids", "capture_id") or _up(refund),
        amount=_amount(refund, "amount") if so_far is None else so_far,
        currency=currency_of(refund, "amount", "currency_code"),
        reference=word(refund, "id"),
    )


def _dispute(operation: Operation | None) -> Callable[[Json], Report]:
    """Without an operation its outcome decides."""

    def read_dispute(dispute: Json) -> Report:
        disputed = first(dispute, "disputed_transactions")
        return Report(
            operation=operation or _OUTCOMES.get(word(dispute, "dispute_outcome", "outcome_code")),
            names=words(word(disputed, "custom"), word(disputed, "invoice_number")),
            charge_id=word(disputed, "seller_transaction_id"),
            amount=_amount(dispute, "dispute_amount"),
            currency=currency_of(dispute, "dispute_amount", "currency_code"),
            reference=word(dispute, "dispute_id"),
            is_fraud=dispute.get("reason") == _NOT_BY_OWNER,
            evidence_due_at=_time(dispute.get("seller_response_due_date")),
        )

    return read_dispute


_EVENTS: dict[str, Callable[[Json], Report]] = {
    "PAYMENT.CAPTURE.COMPLETED": _capture("paid"),
    "PAYMENT.CAPTURE.DENIED": _capture("declined"),
    "PAYMENT.CAPTURE.REFUNDED": _refund,
    "PAYMENT.CAPTURE.REVERSED": _refund,
    "CUSTOMER.DISPUTE.CREATED": _dispute("dispute_opened"),
    "CUSTOMER.DISPUTE.RESOLVED": _dispute(None),
}


def _names(resource: Json) -> tuple[str, ...]:
    return words(word(resource, "custom_id"), word(resource, "invoice_id"))


def _amount(resource: Json, *path: str) -> Hundredths | None:
    text = word(resource, *path, "value")
    try:
        return None if text is None else money.parse(text)
    except NotMoney:
        return None


def _up(refund: Json) -> str | None:
    links = part(refund, "links")
    for link in links if isinstance(links, list) else ():
        if part(link, "rel") == "up" and (url := word(link, "href")):
            return url.rpartition("/")[2] or None
    return None


def _time(value: Any) -> Instant | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        return None if at is None or at.tzinfo is None else instant(at)
    except (ValueError, OverflowError):
        return None
