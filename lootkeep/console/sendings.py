"""What each receiver got of an order: sent, answered, waiting for the next attempt, or why nothing was sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lootkeep.domain.deliveries import Attempt, Delivery
from lootkeep.domain.orders import Order
from lootkeep.domain.webhooks import Webhook
from lootkeep.engines.outbound import NOT_PUBLIC
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.orders import events as order_events_db
from lootkeep.storage.orders.events import OrderEvent
from lootkeep.storage.webhooks import endpoints as endpoints_db


@dataclass(frozen=True, slots=True)
class Sent:
    """A delivery with its last attempt."""

    delivery: Delivery
    attempt: Attempt | None

    @property
    def tone(self) -> str:
        if self.delivery.status in ("delivered", "cancelled"):
            return "ok" if self.delivery.status == "delivered" else "quiet"
        return "bad" if self.delivery.status == "failed" or self.delivery.failures else "info"

    @property
    def took(self) -> int | None:
        return self.attempt.latency_ms if self.attempt else None

    @property
    def last_at(self) -> Instant:
        return self.attempt.started_at if self.attempt else self.delivery.created_at

    @property
    def answer(self) -> str:
        """`200`, `404`, or what else came of it."""
        if self.delivery.status == "cancelled":
            return f"Cancelled: {self.delivery.reason}" if self.delivery.reason else "Cancelled"
        return answer_of(self.attempt) if self.attempt else "Queued"


@dataclass(frozen=True, slots=True)
class Sending:
    """One event and one receiver."""

    at: Instant
    event_type: str
    receiver: str
    webhook_id: int
    # Nothing is sent to one that is switched off.
    is_active: bool
    sent: Sent | None
    # Why nothing was sent.
    reason: str


def answer_of(attempt: Attempt) -> str:
    """`404`, or why there was no answer."""
    if attempt.response_code is not None:
        return str(attempt.response_code)
    if attempt.outcome == "open":
        return "Under way"
    if attempt.reason == NOT_PUBLIC:
        return f"Refused by rule: {NOT_PUBLIC}"
    return (attempt.reason or "No answer").capitalize()


async def sendings(tx: Transaction, order: Order, refunded_at: Sequence[Instant]) -> list[Sending]:
    steps = (order.created_at, order.paid_at, order.completed_at, order.cancelled_at, order.updated_at, *refunded_at)
    recorded = await order_events_db.announced(tx, order.id, [at for at in steps if at is not None])
    return await sendings_of(tx, recorded)


async def sendings_of(tx: Transaction, recorded: Sequence[OrderEvent]) -> list[Sending]:
    """In the order of events, then of receivers."""
    latest = await last_sent(tx, await order_events_db.deliveries_of(tx, [event.id for event in recorded]))
    by_receiver = {(sent.delivery.event_id, sent.delivery.webhook_id): sent for sent in latest}
    webhooks = await endpoints_db.ROWS.find(tx)
    sendings = []
    for event in recorded:
        for webhook in webhooks:
            receiver = webhook.name, webhook.id, webhook.is_active
            sent = by_receiver.get((event.id, webhook.id))
            reason = "" if sent else await why_nothing_sent(tx, event, webhook)
            sendings.append(Sending(event.created_at, event.type, *receiver, sent, reason))
    return sendings


def combined(recorded: Sequence[Sending]) -> list[Sending]:
    """What a receiver did not get for one reason is one row, with all the events."""
    rows: dict[int | tuple[int, str], Sending] = {}
    for sending in recorded:
        key = sending.sent.delivery.id if sending.sent else (sending.webhook_id, sending.reason)
        if first := rows.get(key):
            sending = replace(first, event_type=f"{first.event_type} {sending.event_type}")
        rows[key] = sending
    return list(rows.values())


async def last_sent(tx: Transaction, deliveries: Sequence[Delivery]) -> list[Sent]:
    attempts = await order_events_db.last_attempts(tx, deliveries)
    return [Sent(delivery, attempts.get(delivery.id)) for delivery in deliveries]


async def why_nothing_sent(tx: Transaction, event: OrderEvent, webhook: Webhook) -> str:
    """For an event that was recorded and a webhook that has no delivery of it: what was true at its fan-out."""
    if event.fanned_out_at is None:
        return "Not sent yet: it is queued."
    if webhook.created_at >= event.fanned_out_at:
        return "Not sent: this webhook was created later."
    version = await endpoints_db.version_at(tx, webhook.id, event.fanned_out_at)
    reason = version.reason_against(event.type, event.data) if version else None
    return f"Not sent: {reason or 'what this webhook subscribed to then was not recorded'}."
