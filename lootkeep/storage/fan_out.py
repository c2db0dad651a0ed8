"""Fan-out: every event becomes one delivery for each webhook that wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.query import Query
from lootkeep.storage.tables import deliveries, events
from lootkeep.storage.webhooks import all_webhooks

# Events that one transaction fans out.
_BATCH = 100

_WAITING = Query(
    select(events.c.id, events.c.type)
    .where(events.c.fanned_out_at.is_(None))
    .order_by(events.c.id)
    .limit(_BATCH)
    .with_for_update(skip_locked=True)
)
_FANNED_OUT = Query(
    update(events).where(events.c.id == bindparam("event")).values(fanned_out_at=bindparam("now")), at_once=True
)
NEW_DELIVERY: dict[str, Any] = {
    "public_id": bindparam("public_id"),
    "event_id": bindparam("event"),
    "webhook_id": bindparam("webhook"),
    "event_type": bindparam("event_type"),
    "status": "pending",
    "priority": 0,
    "due_at": bindparam("now"),
    "attempts_count": 0,
    "failures": 0,
    "created_at": bindparam("now"),
}
_ADD = Query(
    postgresql.insert(deliveries)
    .values(NEW_DELIVERY)
    .on_conflict_do_nothing(index_elements=["event_id", "webhook_id"])
    .inline(),
    at_once=True,
)
_ANY_WAITING = Query(select(events.c.id).where(events.c.fanned_out_at.is_(None)).limit(1))


async def has_waiting_events(tx: Transaction) -> bool:
    return await tx.one(_ANY_WAITING) is not None


async def fan_out(tx: Transaction, make_id: Callable[[], str], now: Instant) -> int:
    """Turns waiting events into one delivery per subscribed webhook; tells how many events there were."""
    waiting = await tx.all(_WAITING)
    if not waiting:
        return 0
    receivers = [(webhook.id, webhook.event_types) for webhook in await all_webhooks(tx) if webhook.is_active]
    made = [
        {"public_id": make_id(), "event": event_id, "webhook": webhook_id, "event_type": event_type, "now": now}
        for event_id, event_type in waiting
        for webhook_id, wanted in receivers
        if event_type in wanted
    ]
    if made:
        await tx.many(_ADD, made)
    await tx.many(_FANNED_OUT, [{"event": event_id, "now": now} for event_id, _ in waiting])
    return len(waiting)
