"""What an event of any provider says, in the words of the store."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from lootkeep.domain.fraud.facts import Payment
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.money import MAX_AMOUNT, Hundredths

Operation = Literal["paid", "declined", "refunded", "dispute_opened", "dispute_won", "dispute_lost", "early_warning"]
# Why the inbox refuses an event: counted, and never said to the sender.
Rejection = Literal["unknown_source", "wrong_signature", "wrong_time", "unreadable"]
Json = dict[str, Any]

_MAX_WORD = 255
# No event is from before: a time that is too small is not a time.
_MIN_SECONDS, _MAX_SECONDS = 1_000_000_000, 10_000_000_000


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """An event; without an operation it says nothing about an order."""

    operation: Operation | None = None
    happened_at: Instant | None = None
    # What the order may be called, in the order in which it is looked for.
    names: tuple[str, ...] = ()
    # The one of these that the event calls so: it is never the id of another order.
    external_id: str | None = None
    # The provider's ids: of the payment, and of the charge that took the money.
    payment_id: str | None = None
    charge_id: str | None = None
    amount: Hundredths | None = None
    currency: str | None = None
    method: str | None = None
    # The provider's id of a dispute or of a declined charge, and its reason.
    reference: str | None = None
    reason: str | None = None
    is_fraud: bool = False
    # Until when evidence is taken in a dispute.
    evidence_due_at: Instant | None = None
    # Of the card; only its hash is stored.
    fingerprint: str | None = None
    payment: Payment = Payment()
    # It does not know the card, and another event of the payment does.
    is_without_card: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(it for it in (self.payment_id, self.charge_id) if it))

    @property
    def transaction_id(self) -> str | None:
        return self.payment_id or self.charge_id


class Envelope(msgspec.Struct, frozen=True):
    """What every event has."""

    event_id: str
    type: str
    # Whether it is of the provider's test mode.
    is_test: bool
    report: Report


def decoded(body: bytes) -> Json | None:
    """The object of an event; None for anything else."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def part(value: Any, *path: str) -> Any:
    """What is at the path; None if it leads nowhere."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def word(value: Any, *path: str) -> str | None:
    """The text at the path, if it can be stored and shown."""
    text = part(value, *path)
    return text if isinstance(text, str) and 0 < len(text) <= _MAX_WORD and text.isprintable() else None


def words(*texts: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))


def first(value: Any, name: str) -> Any:
    items = part(value, name)
    return items[0] if isinstance(items, list) and items else None


def currency_of(value: Any, *path: str) -> str | None:
    code = word(value, *path)
    return code.upper() if code and len(code) == 3 and code.isascii() and code.isalpha() else None


def minor_units(value: Any) -> int | None:
    is_amount = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_AMOUNT
    return value if is_amount else None


def seconds(value: Any) -> Instant | None:
    """A Unix time."""
    is_time = isinstance(value, int) and _MIN_SECONDS <= value <= _MAX_SECONDS
    return Instant(value * SECOND) if is_time else None
