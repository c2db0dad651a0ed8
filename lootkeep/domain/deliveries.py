"""Deliveries: their states, the retry schedule, and the outcome of an attempt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from lootkeep.domain.settlement import Settlement
from lootkeep.kernel.clock import SECOND, Instant, iso

DeliveryStatus = Literal["pending", "delivered", "failed", "cancelled"]
AttemptOutcome = Literal["open", "delivered", "failed", "interrupted"]

# The delay after each failure; after the last one the delivery has failed.
RETRY_SECONDS = (300, 1800, 7200, 21600, 43200)
DEADLINE_SECONDS = 10
# After this time a worker that has not settled has lost its claim. Longer than the deadline; otherwise two could send
# at once.
LEASE = 30 * SECOND
# Spreads the retries of many deliveries; always late, never early.
_JITTER = 0.1


class Delivery(msgspec.Struct, frozen=True):
    """One event on its way to one webhook."""

    id: int
    public_id: str
    event_id: int
    webhook_id: int
    event_type: str
    status: DeliveryStatus
    due_at: Instant
    leased_until: Instant | None
    attempts_count: int
    failures: int
    response_code: int | None
    reason: str | None
    created_at: Instant
    finished_at: Instant | None

    @property
    def next_attempt_at(self) -> Instant | None:
        """While a worker holds it, when that worker loses its claim."""
        if self.status != "pending":
            return None
        return self.due_at if self.leased_until is None else max(self.due_at, self.leased_until)


class Attempt(msgspec.Struct, frozen=True):
    """One request that was sent, or was about to be."""

    number: int
    outcome: AttemptOutcome
    started_at: Instant
    finished_at: Instant | None
    response_code: int | None
    latency_ms: int | None
    reason: str | None
    excerpt: str | None


class ClaimedDelivery(msgspec.Struct, frozen=True):
    """A delivery that this worker has claimed and must send now, with the data of its event."""

    id: int
    webhook_id: int
    public_id: str
    event_type: str
    attempts_count: int
    failures: int
    created_at: Instant
    data: str
    event_id: int
    # What caused the event.
    request_id: str | None
    traceparent: str | None
    # The worker that held it and never settled: its attempt is closed before the next one starts.
    abandoned_by: str | None

    @property
    def body(self) -> bytes:
        return body(self.public_id, self.event_type, iso(self.created_at), self.data).encode()


class AttemptResult(msgspec.Struct, frozen=True):
    """The outcome of one attempt."""

    is_delivered: bool
    response_code: int | None
    latency_ms: int
    reason: str | None
    excerpt: str | None


def settle(result: AttemptResult, failures: int, now: Instant, delays: Sequence[int], chance: float) -> Settlement:
    """Delivered, due again after the next delay, or failed for good. `chance` in 0..1 chooses the jitter."""
    if result.is_delivered:
        return Settlement("delivered", now, failures, result.reason)
    failures += 1
    if failures > len(delays):
        return Settlement("failed", now, failures, result.reason)
    delay = delays[failures - 1] * SECOND
    due_at = Instant(now + delay + int(delay * _JITTER * chance))
    return Settlement("pending", due_at, failures, result.reason)


def given_up_at(due_at: Instant, failures: int, delays: Sequence[int]) -> Instant:
    """When a pending delivery fails for good if every attempt fails, starting with the one at `due_at`."""
    return Instant(due_at + sum(delays[failures:]) * SECOND)


def max_wait(delay_seconds: int) -> int:
    """In microseconds, with the maximum jitter."""
    return int(delay_seconds * SECOND * (1 + _JITTER))


def body(delivery_id: str, event_type: str, created_at: str, data: str) -> str:
    """What a delivery carries, made again for each attempt of what never changes: this form must not change either."""
    return f'{{"id":"{delivery_id}","event_type":"{event_type}","created_at":"{created_at}","data":{data}}}'
