"""Fan-out: every event becomes one delivery for each subscribed webhook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import deliveries, events
from lootkeep.storage.webhooks import endpoints

# How many events one transaction fans out.
BATCH = 100

_IS_WAITING = events.c.fanned_out_at.is_(None)
_ANY_WAITING = Query(select(events.c.created_at).where(_IS_WAITING).order_by(events.c.id).limit(1))
_WAITING = Query(
    select(events.c.id, events.c.type)
    .where(_IS_WAITING)
    .order_by(events.c.id)
    .limit(BATCH)
    .with_for_update(skip_locked=True)
)
_DATA = Query(select(events.c.id, events.c.data).where(events.c.id == bindparam("event")))
_FANNED_OUT = Query(
    update(events).where(events.c.id == bindparam("event")).values(fanned_out_at=bindparam("now")), set_based=True
)
_NEW: dict[str, Any] = {"status": "pending", "priority": 0, "attempts_count": 0, "failures": 0}
_NEW |= {name: bindparam("now") for name in ("due_at", "created_at")}
_NEW |= {name: bindparam(name) for name in ("public_id", "event_type")}
_NEW |= {"event_id": bindparam("event"), "webhook_id": bindparam("webhook")}
# Each webhook has one delivery of an event: replays rely on that.
INSERT = postgresql.insert(deliveries).values(_NEW)
KEY = ["event_id", "webhook_id"]
_ADD = Query(INSERT.on_conflict_do_nothing(index_elements=KEY).inline(), set_based=True)


async def oldest_waiting(tx: Transaction) -> Instant | None:
    """When the first event without deliveries was recorded."""
    row = await tx.one(_ANY_WAITING)
    return None if row is None else Instant(row[0])


async def fan_out(tx: Transaction, make_id: Callable[[], str], now: Instant) -> dict[int, list[int]]:
    """Turns waiting events into one delivery per subscribed webhook; returns the webhooks of each event."""
    waiting = await tx.all(_WAITING)
    if not waiting:
        return {}
    receivers = [(webhook, webhook.event_types) for webhook in await endpoints.ROWS.find(tx) if webhook.is_active]
    data = {}
    if any(webhook.filter for webhook, _ in receivers):
        data = dict(await tx.fetch_for_each(_DATA, [{"event": event_id} for event_id, _ in waiting]))
    wanted_by = {
        event_id: [
            webhook.id
            for webhook, event_types in receivers
            if event_type in event_types and webhook.fits(data.get(event_id, ""))
        ]
        for event_id, event_type in waiting
    }
    rows = [
        {"public_id": make_id(), "event": event_id, "webhook": webhook_id, "event_type": event_type, "now": now}
        for event_id, event_type in waiting
        for webhook_id in wanted_by[event_id]
    ]
    if rows:
        await tx.execute_many(_ADD, rows)
    await tx.execute_many(_FANNED_OUT, [{"event": event_id, "now": now} for event_id, _ in waiting])
    return wanted_by
