"""The inbox: an event is verified, stored once, and answered; a worker applies it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Literal, get_args

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.payments import events as events_rules, paypal as paypal_rules, stripe as stripe_rules
from lootkeep.domain.payments.events import BODY_PURPOSE, PaymentEvent
from lootkeep.domain.payments.reports import Envelope, Rejection, Report, decoded
from lootkeep.domain.payments.sources import SECRET_PURPOSE, PaymentSource, Provider
from lootkeep.kernel.clock import Instant
from lootkeep.storage.payments import events as payment_events_db

Receipt = Literal["received", "repeated"] | Rejection
REJECTIONS: tuple[Rejection, ...] = get_args(Rejection)
Headers = Mapping[bytes, bytes]


async def receive(deps: Deps, slug: str, headers: Headers, body: bytes) -> Receipt:
    """Refused if the source is unknown or inactive, or the signature is wrong, too old or of another account."""
    now = deps.clock.now()
    async with deps.db.read() as tx:
        source = await payment_events_db.SOURCES.find_one(tx, slug=slug)
    if source is None or not source.is_active:
        return "unknown_source"
    envelope = await _verified(deps, source, headers, body, now)
    if isinstance(envelope, str):
        return envelope
    event = events_rules.new(source, envelope, deps.vault.seal(body.decode(), BODY_PURPOSE), now)
    report = envelope.report
    async with deps.db.write() as tx:
        stored = await payment_events_db.add(tx, event, tuple(dict.fromkeys((*report.names, *report.ids))))
        if stored and source.is_worth_noting(now):
            await payment_events_db.SOURCES.save(tx, source, replace(source, last_event_at=now))
    return "received" if stored else "repeated"


def report_of(deps: Deps, event: PaymentEvent, provider: Provider) -> Report:
    """What a stored event says."""
    envelope = _read(provider, body_of(deps, event).encode(), is_test=False)
    return envelope.report if envelope else Report()


def body_of(deps: Deps, event: PaymentEvent) -> str:
    """As it was received; empty once the buyer was erased."""
    return deps.vault.open(event.body, BODY_PURPOSE) if event.body else "{}"


async def _verified(
    deps: Deps, source: PaymentSource, headers: Headers, body: bytes, now: Instant
) -> Envelope | Rejection:
    secrets, is_test = _secrets(deps, source, now), False
    if source.provider == "stripe":
        header = headers.get(stripe_rules.SIGNATURE, b"").decode("latin-1")
        rejection = stripe_rules.rejection(header, body, secrets, now)
    else:
        url = headers.get(paypal_rules.CERTIFICATE_URL, b"").decode("latin-1")
        rejection = await _rejection_by_paypal(deps, secrets, url, headers, body, now)
        is_test = deps.certificates.is_sandbox(url)
    return rejection or _read(source.provider, body, is_test=is_test) or "unreadable"


def _secrets(deps: Deps, source: PaymentSource, now: Instant) -> list[str]:
    """Those that currently count, the newest first."""
    sealed = [source.secret]
    if source.previous_secret and source.previous_secret_until and now < source.previous_secret_until:
        sealed.append(source.previous_secret)
    return [deps.vault.open(secret, SECRET_PURPOSE) for secret in sealed]


async def _rejection_by_paypal(
    deps: Deps, webhook_ids: list[str], url: str, headers: Headers, body: bytes, now: Instant
) -> Rejection | None:
    names = (paypal_rules.TRANSMISSION_ID, paypal_rules.TRANSMISSION_TIME, paypal_rules.ALGORITHM)
    transmission_id, time, algorithm = (headers.get(name, b"").decode("latin-1") for name in names)
    try:
        signature = base64.b64decode(headers.get(paypal_rules.SIGNATURE, b""), validate=True)
    except binascii.Error:
        return "wrong_signature"
    if algorithm != paypal_rules.RSA_SHA256 or not (transmission_id and time and signature):
        return "wrong_signature"
    for webhook_id in webhook_ids:
        text = paypal_rules.signed_text(transmission_id, time, webhook_id, body)
        if await deps.certificates.has_signed(deps.outbound, url, text, signature, now):
            return None if paypal_rules.is_timely(time, now) else "wrong_time"
    return "wrong_signature"


def _read(provider: Provider, body: bytes, *, is_test: bool) -> Envelope | None:
    event = decoded(body)
    if event is None:
        return None
    return stripe_rules.read(event) if provider == "stripe" else paypal_rules.read(event, is_test=is_test)
