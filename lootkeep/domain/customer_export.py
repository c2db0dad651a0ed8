"""Data about a customer that no other view shows, as separate records."""

from __future__ import annotations

import msgspec

from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.identity import TraceKind
from lootkeep.domain.payments.events import PaymentEvent
from lootkeep.kernel.clock import Instant


class SentEmail(msgspec.Struct, frozen=True):
    """An e-mail to the customer, of a campaign or not; its body is sealed."""

    kind: str
    to_email: str
    subject: str
    status: str
    finished_at: Instant | None


class HeldTrace(msgspec.Struct, frozen=True):
    """A device, IP address, mailbox or payment instrument that the customer was seen with."""

    kind: TraceKind
    value: str
    first_seen_at: Instant
    last_seen_at: Instant


class StaffChange(msgspec.Struct, frozen=True):
    """A change that staff made to the customer."""

    action: str
    before: str
    after: str
    created_at: Instant


class HeldData(msgspec.Struct, frozen=True):
    """Data about a customer that has no list."""

    checks: list[FraudCheck]
    traces: list[HeldTrace]
    payment_events: list[PaymentEvent]
    emails: list[SentEmail]
    changes: list[StaffChange]
