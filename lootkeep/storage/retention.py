"""Removing what is old, in bounded batches that find their rows by an index."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, exists, select, update

from lootkeep.kernel.clock import Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.deliveries import FREE, INTERRUPT, PENDING
from lootkeep.storage.query import Query
from lootkeep.storage.tables import attempts, deliveries, events, webhooks

_BATCH = 500

_OLD_DELIVERIES = (
    select(deliveries.c.id)
    .where(deliveries.c.finished_at < bindparam("before"))
    .order_by(deliveries.c.finished_at)
    .limit(_BATCH)
    # One that is being sent again at this moment is not old.
    .with_for_update(skip_locked=True)
)
_FIND = Query(_OLD_DELIVERIES)
_PURGE_ATTEMPTS = Query(delete(attempts).where(attempts.c.delivery_id == bindparam("delivery")), at_once=True)
_PURGE_DELIVERY = Query(delete(deliveries).where(deliveries.c.id == bindparam("delivery")), at_once=True)
_PURGE_EVENTS = Query(
    delete(events)
    .where(
        events.c.id.in_(
            select(events.c.id)
            .where(
                events.c.created_at < bindparam("before"),
                events.c.fanned_out_at.is_not(None),
                ~exists().where(deliveries.c.event_id == events.c.id),
            )
            .order_by(events.c.created_at, events.c.id)
            .limit(_BATCH)
        )
    )
    .returning(events.c.id)
)
# Held, so that none is switched on meanwhile.
_OFF = Query(select(webhooks.c.id).where(~webhooks.c.is_active).with_for_update(read=True))
# In the order of the index of what is pending: a webhook has most often nothing left there, and much elsewhere.
_CANCELLABLE = Query(
    select(deliveries.c.id)
    # What a worker holds is its own, until it is given up.
    .where(deliveries.c.webhook_id == bindparam("webhook"), PENDING, FREE)
    .order_by(deliveries.c.priority, deliveries.c.due_at)
    .limit(_BATCH)
    .with_for_update(skip_locked=True)
)
_CANCEL = Query(
    update(deliveries)
    .where(deliveries.c.id == bindparam("delivery"))
    .values(
        status="cancelled",
        lease=None,
        leased_until=None,
        reason="the webhook was switched off or deleted",
        finished_at=bindparam("now"),
    ),
    at_once=True,
)


async def purge_deliveries(tx: Transaction, before: Instant) -> int:
    """Deliveries that ended before; the attempts go first, for they belong to them."""
    rows = [{"delivery": delivery_id} for (delivery_id,) in await tx.all(_FIND, before=before)]
    if rows:
        await tx.many(_PURGE_ATTEMPTS, rows)
        await tx.many(_PURGE_DELIVERY, rows)
    return len(rows)


async def purge_events(tx: Transaction, before: Instant) -> int:
    return len(await tx.all(_PURGE_EVENTS, before=before))


async def cancel_deliveries(tx: Transaction, now: Instant) -> int:
    off = [{"webhook": webhook_id, "now": now} for (webhook_id,) in await tx.all(_OFF)]
    found = await tx.each(_CANCELLABLE, off) if off else []
    cancelled = [{"delivery": delivery_id, "now": now} for (delivery_id,) in found[:_BATCH]]
    if cancelled:
        await tx.many(_CANCEL, cancelled)
        await tx.many(INTERRUPT, cancelled)
    return len(cancelled)
