"""Stripe: its signature, and its events."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from typing import Any, cast, get_args

from msgspec.structs import replace

from lootkeep.domain.fraud.facts import Funding, Payment, ThreeDSecure
from lootkeep.domain.payments.reports import (
    Envelope,
    Json,
    Operation,
    Rejection,
    Report,
    currency_of,
    first,
    minor_units,
    part,
    seconds,
    word,
    words,
)
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.money import MAX_AMOUNT, Hundredths

SIGNATURE = b"stripe-signature"
# How far the time of a signature may be off, in either direction.
TOLERANCE_SECONDS = 300
_MAX_TIME_DIGITS = 12

# Amounts are in the smallest unit of the currency: not always hundredths. ISK and UGX have two decimals here.
_NO_DECIMALS = frozenset(
    ("BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF")
)
_THREE_DECIMALS = frozenset(("BHD", "JOD", "KWD", "OMR", "TND"))
_CLOSED: dict[str | None, Operation] = {"won": "dispute_won", "lost": "dispute_lost"}
_THREE_D_SECURE: dict[str | None, ThreeDSecure] = {"authenticated": "passed", "failed": "failed"}


def rejection(header: str, body: bytes, secrets: Sequence[str], now: Instant) -> Rejection | None:
    """None if one of the signatures of scheme v1 is right, and its time is about now."""
    pairs = [item.strip().partition("=") for item in header.split(",")]
    times = [value for name, _, value in pairs if name == "t"]
    if len(times) != 1 or not (times[0].isascii() and times[0].isdigit()) or len(times[0]) > _MAX_TIME_DIGITS:
        return "wrong_signature"
    signed = times[0].encode() + b"." + body
    # The key is the whole secret, as it is shown.
    digests = [hmac.digest(secret.encode(), signed, "sha256").hex().encode() for secret in secrets]
    signatures = [value.encode() for name, _, value in pairs if name == "v1"]
    if not any(hmac.compare_digest(signature, digest) for signature in signatures for digest in digests):
        return "wrong_signature"
    return "wrong_time" if abs(now // SECOND - int(times[0])) > TOLERANCE_SECONDS else None


def read(event: Json) -> Envelope | None:
    """None if it has no id or no type."""
    event_id, kind = word(event, "id"), word(event, "type")
    if event_id is None or kind is None:
        return None
    described = part(event, "data", "object")
    make = _EVENTS.get(kind)
    report = make(described) if make and isinstance(described, dict) else Report()
    report = replace(report, happened_at=seconds(event.get("created")))
    return Envelope(event_id, kind, event.get("livemode") is False, report)


def _charge(operation: Operation, amount: str) -> Callable[[Json], Report]:
    def read_charge(charge: Json) -> Report:
        if operation == "paid" and charge.get("captured") is False:
            # Only authorised: the intent reports the money when it is taken.
            return Report()
        currency = currency_of(charge, "currency")
        kind = word(charge, "payment_method_details", "type")
        return Report(
            operation=operation,
            **_named(charge),
            payment_id=_id_of(charge, "payment_intent"),
            charge_id=word(charge, "id"),
            amount=hundredths(charge.get(amount), currency),
            currency=currency,
            method=kind,
            reference=word(charge, "id"),
            reason=word(charge, "failure_code") or word(charge, "outcome", "reason"),
            fingerprint=word(charge, "payment_method_details", "card", "fingerprint"),
            payment=_card(charge),
        )

    return read_charge


def _intent(intent: Json) -> Report:
    currency = currency_of(intent, "currency")
    return Report(
        operation="paid",
        **_named(intent),
        payment_id=word(intent, "id"),
        charge_id=_id_of(intent, "latest_charge"),
        amount=hundredths(intent.get("amount_received"), currency),
        currency=currency,
        method=word({"type": first(intent, "payment_method_types")}, "type"),
        payment=Payment(payer_email=word(intent, "receipt_email")),
        is_without_card=True,
    )


def _dispute(operation: Operation | None) -> Callable[[Json], Report]:
    """Without an operation its status decides; an inquiry is not a dispute."""

    def read_dispute(dispute: Json) -> Report:
        status = word(dispute, "status")
        if status is None or status.startswith("warning_"):
            return Report()
        currency = currency_of(dispute, "currency")
        return Report(
            operation=operation or _CLOSED.get(status),
            **_named(dispute),
            payment_id=_id_of(dispute, "payment_intent"),
            charge_id=_id_of(dispute, "charge"),
            amount=hundredths(dispute.get("amount"), currency),
            currency=currency,
            reference=word(dispute, "id"),
            is_fraud=dispute.get("reason") == "fraudulent",
            evidence_due_at=seconds(part(dispute, "evidence_details", "due_by")),
        )

    return read_dispute


def _warning(warning: Json) -> Report:
    return Report(
        operation="early_warning",
        payment_id=_id_of(warning, "payment_intent"),
        charge_id=_id_of(warning, "charge"),
        reference=word(warning, "id"),
        is_fraud=True,
    )


_EVENTS: dict[str, Callable[[Json], Report]] = {
    "charge.succeeded": _charge("paid", "amount"),
    "payment_intent.succeeded": _intent,
    "charge.failed": _charge("declined", "amount"),
    "charge.refunded": _charge("refunded", "amount_refunded"),
    "charge.dispute.created": _dispute("dispute_opened"),
    "charge.dispute.closed": _dispute(None),
    "radar.early_fraud_warning.created": _warning,
}


def hundredths(amount: Any, currency: str | None) -> Hundredths | None:
    """None if it is not an amount that an order can have."""
    units = minor_units(amount)
    if units is None or currency is None:
        return None
    if currency in _NO_DECIMALS:
        units *= 100
    elif currency in _THREE_DECIMALS:
        units, rest = divmod(units, 10)
        if rest:
            return None
    return Hundredths(units) if units <= MAX_AMOUNT else None


def _named(described: Json) -> dict[str, Any]:
    order_id, number, external_id = (
        word(described, "metadata", name) for name in ("order_id", "order_number", "external_id")
    )
    return {"names": words(order_id, number, external_id), "external_id": external_id}


def _id_of(described: Json, name: str) -> str | None:
    """An id, or the object with it."""
    return word(described, name) or word(described, name, "id")


def _card(charge: Json) -> Payment:
    card = part(charge, "payment_method_details", "card")
    email = word(charge, "billing_details", "email") or word(charge, "receipt_email")
    if not isinstance(card, dict):
        return Payment(payer_email=email)
    funding, country, digits = word(card, "funding"), word(card, "country"), word(card, "iin")
    return Payment(
        bin=digits if digits and digits.isdigit() and 6 <= len(digits) <= 8 else None,
        country=country if country and len(country) == 2 and country.isascii() and country.isupper() else None,
        funding=cast(Funding, funding) if funding in get_args(Funding) else None,
        three_d_secure=_THREE_D_SECURE.get(word(card, "three_d_secure", "result"), "not_used"),
        payer_email=email,
    )
