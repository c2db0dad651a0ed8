"""The queue of deliveries: made from events, claimed by workers, settled; the rows are the queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Text, bindparam, exists, func, insert, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain import deliveries as rules
from lootkeep.domain.deliveries import Claimed, Result, Settlement
from lootkeep.domain.webhooks import Webhook
from lootkeep.kernel.clock import Instant, iso
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import IsNotAmong
from lootkeep.storage.query import Query
from lootkeep.storage.tables import attempts, deliveries, events, webhooks
from lootkeep.storage.webhooks import all_webhooks

# Events that one transaction fans out.
_BATCH = 100

_WAITING = Query(
    select(events.c.id, events.c.type, events.c.data, events.c.created_at)
    .where(events.c.fanned_out_at.is_(None))
    .order_by(events.c.id)
    .limit(_BATCH)
    .with_for_update(skip_locked=True)
)
_FANNED_OUT = Query(update(events).where(events.c.id == bindparam("event")).values(fanned_out_at=bindparam("now")))
NEW_DELIVERY: dict[str, Any] = {
    "public_id": bindparam("public_id"),
    "event_id": bindparam("event"),
    "webhook_id": bindparam("webhook"),
    "event_type": bindparam("event_type"),
    "body": bindparam("body"),
    "status": "pending",
    "priority": 0,
    "due_at": bindparam("now"),
    "attempts_count": 0,
    "failures": 0,
    "created_at": bindparam("now"),
}
_ADD = Query(
    postgresql.insert(deliveries).values(NEW_DELIVERY).on_conflict_do_nothing(index_elements=["event_id", "webhook_id"])
)

_DUE = (deliveries.c.status == "pending", deliveries.c.due_at <= bindparam("now"))
_DUE_WEBHOOKS = (
    select(*(webhooks.c[name] for name in Webhook.__struct_fields__))
    .where(
        webhooks.c.deleted_at.is_(None),
        webhooks.c.is_active,
        exists().where(deliveries.c.webhook_id == webhooks.c.id, *_DUE),
    )
    .order_by(webhooks.c.id)
)
_WEBHOOKS_DUE = Query(_DUE_WEBHOOKS, Webhook)
# Held while their deliveries are claimed: one that is deleted meanwhile gets nothing more.
_HOLD_WEBHOOKS_DUE = Query(_DUE_WEBHOOKS.with_for_update(read=True), Webhook)
# What a webhook does not want any more is ended before anything of it is claimed.
_CANCEL_UNWANTED = Query(
    update(deliveries)
    .where(
        deliveries.c.id.in_(
            select(deliveries.c.id)
            .where(
                deliveries.c.webhook_id == bindparam("webhook"),
                IsNotAmong(deliveries.c.event_type, bindparam("wanted", type_=Text)),
                *_DUE,
            )
            .limit(_BATCH)
            .with_for_update(skip_locked=True)
        )
    )
    .values(
        status="cancelled",
        lease=None,
        reason="the webhook is not subscribed to this event type any more",
        finished_at=bindparam("now"),
    )
    .returning(deliveries.c.id)
)
_CLAIM = Query(
    update(deliveries)
    .where(
        deliveries.c.id.in_(
            select(deliveries.c.id)
            .where(
                deliveries.c.webhook_id == bindparam("webhook"), deliveries.c.priority == bindparam("priority"), *_DUE
            )
            .order_by(deliveries.c.due_at)
            .limit(bindparam("size"))
            .with_for_update(skip_locked=True)
        )
    )
    .values(lease=bindparam("lease"), due_at=bindparam("until"), attempts_count=deliveries.c.attempts_count + 1)
    .returning(*(deliveries.c[name] for name in Claimed.__struct_fields__)),
    Claimed,
)
INTERRUPT = Query(
    update(attempts)
    .where(attempts.c.delivery_id == bindparam("delivery"), attempts.c.outcome == "open")
    .values(
        outcome="interrupted",
        finished_at=bindparam("now"),
        reason="the worker stopped before it could record the answer",
    )
)
_START = Query(
    insert(attempts).values(
        delivery_id=bindparam("delivery"), number=bindparam("number"), outcome="open", started_at=bindparam("now")
    )
)
_FINISH = Query(
    update(attempts)
    .where(
        attempts.c.delivery_id == bindparam("delivery"),
        attempts.c.number == bindparam("attempt"),
        attempts.c.outcome == "open",
    )
    .values(
        outcome=bindparam("result"),
        finished_at=bindparam("now"),
        response_code=bindparam("code"),
        latency_ms=bindparam("latency"),
        reason=bindparam("why"),
        excerpt=bindparam("text"),
    )
)
# Fenced by lease and number: an attempt that was given up cannot overwrite what its successor found.
_SETTLE = Query(
    update(deliveries)
    .where(
        deliveries.c.id == bindparam("delivery"),
        deliveries.c.lease == bindparam("held"),
        deliveries.c.attempts_count == bindparam("attempt"),
    )
    .values(
        status=bindparam("new_status"),
        priority=1,
        due_at=bindparam("due"),
        lease=None,
        failures=bindparam("failed"),
        response_code=bindparam("code"),
        reason=bindparam("why"),
        finished_at=bindparam("finished"),
    )
)
# Counting stops here: from then on it is many.
MOST_COUNTED = 10_000
_BACKLOG = Query(select(func.count()).select_from(select(deliveries.c.id).where(*_DUE).limit(MOST_COUNTED).subquery()))
# In the order of the index, so that it ends at the first row.
_NEXT = Query(
    select(deliveries.c.due_at)
    .join(webhooks, webhooks.c.id == deliveries.c.webhook_id)
    .where(deliveries.c.status == "pending", webhooks.c.is_active)
    .order_by(deliveries.c.due_at)
    .limit(1)
)
_ANY_WAITING = Query(select(events.c.id).where(events.c.fanned_out_at.is_(None)).limit(1))


async def has_waiting_events(tx: Transaction) -> bool:
    return await tx.one(_ANY_WAITING) is not None


async def fan_out(tx: Transaction, make_id: Callable[[], str], now: Instant) -> int:
    """Turns waiting events into one delivery per subscribed webhook; tells how many events there were."""
    waiting = await tx.all(_WAITING)
    if not waiting:
        return 0
    receivers = await all_webhooks(tx)
    made = [
        new_delivery(make_id(), event_id, webhook.id, event_type, data, created_at, now)
        for event_id, event_type, data, created_at in waiting
        for webhook in receivers
        if webhook.wants(event_type)
    ]
    if made:
        await tx.many(_ADD, made)
    await tx.many(_FANNED_OUT, [{"event": row[0], "now": now} for row in waiting])
    return len(waiting)


def new_delivery(
    public_id: str, event_id: int, webhook_id: int, event_type: str, data: str, created_at: Instant, now: Instant
) -> dict[str, Any]:
    """The row of a delivery: its body is fixed here for good."""
    body = rules.body(public_id, event_type, iso(created_at), data)
    return {
        "public_id": public_id,
        "event": event_id,
        "webhook": webhook_id,
        "event_type": event_type,
        "body": body,
        "now": now,
    }


async def cancel_unwanted(tx: Transaction, webhook: Webhook, now: Instant) -> int:
    """Ends due deliveries of types that the webhook has dropped; tells how many."""
    found = await tx.all(_CANCEL_UNWANTED, webhook=webhook.id, wanted=" ".join(webhook.event_types), now=now)
    return len(found)


async def webhooks_due(tx: Transaction, now: Instant, *, hold: bool = False) -> list[Webhook]:
    """Active webhooks with something to send; `hold` keeps them as they are until the transaction ends."""
    return await tx.all(_HOLD_WEBHOOKS_DUE if hold else _WEBHOOKS_DUE, now=now)


async def claim(tx: Transaction, webhook_id: int, size: int, lease: str, now: Instant) -> list[Claimed]:
    """Takes due deliveries, first attempts before retries, and writes down each attempt before it is made."""
    held = {"webhook": webhook_id, "lease": lease, "now": now, "until": now + rules.LEASE}
    claimed = await tx.all(_CLAIM, priority=0, size=size, **held)
    if len(claimed) < size:
        claimed += await tx.all(_CLAIM, priority=1, size=size - len(claimed), **held)
    again = [{"delivery": one.id, "now": now} for one in claimed if one.attempts_count > 1]
    if again:
        await tx.many(INTERRUPT, again)
    if claimed:
        await tx.many(_START, [{"delivery": one.id, "number": one.attempts_count, "now": now} for one in claimed])
    return claimed


async def settle(
    tx: Transaction, lease: str, finished: Sequence[tuple[Claimed, Result, Settlement]], now: Instant
) -> None:
    """Writes down what the attempts came to and what becomes of the deliveries."""
    await tx.many(
        _FINISH,
        [
            {
                "delivery": claimed.id,
                "attempt": claimed.attempts_count,
                "result": "delivered" if result.is_delivered else "failed",
                "now": now,
                "code": result.response_code,
                "latency": result.latency_ms,
                "why": result.reason,
                "text": result.excerpt,
            }
            for claimed, result, _ in finished
        ],
    )
    await tx.many(
        _SETTLE,
        [
            {
                "delivery": claimed.id,
                "held": lease,
                "attempt": claimed.attempts_count,
                "new_status": settlement.status,
                "due": settlement.due_at,
                "failed": settlement.failures,
                "code": result.response_code,
                "why": result.reason,
                "finished": None if settlement.status == "pending" else now,
            }
            for claimed, result, settlement in finished
        ],
    )


async def backlog(tx: Transaction, now: Instant) -> tuple[int, Instant | None]:
    """How many deliveries are due, counted up to a bound, and since when the oldest is."""
    ((count,),) = await tx.all(_BACKLOG, now=now)
    oldest = await next_due(tx)
    return int(count), oldest if oldest is not None and oldest <= now else None


async def next_due(tx: Transaction) -> Instant | None:
    """When there will be something to send."""
    found = await tx.one(_NEXT)
    return None if found is None else Instant(found[0])
