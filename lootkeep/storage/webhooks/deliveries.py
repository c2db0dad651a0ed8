"""The queue of deliveries: claimed in sets per webhook, each attempt recorded before it is made, then settled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, bindparam, insert, literal_column, or_, select, update

from lootkeep.domain.deliveries import LEASE, AttemptResult, ClaimedDelivery
from lootkeep.domain.settlement import Settlement
from lootkeep.domain.webhooks import Webhook
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.queue import Queue, count_up_to
from lootkeep.storage.schema import attempts, deliveries, events, webhooks

# How many deliveries one transaction cancels.
_BATCH = 500
_UNWANTED = "the webhook is no longer subscribed to this event type"
_SWITCHED_OFF = "the webhook was deactivated or deleted"

_THIS = deliveries.c.id == bindparam("item")
_THIS_WEBHOOK = deliveries.c.webhook_id == bindparam("webhook")
# A literal, not a parameter: a cached plan can use the partial index only if it sees the word.
_IS_PENDING = deliveries.c.status == literal_column("'pending'")
_IS_FREE = or_(deliveries.c.leased_until.is_(None), deliveries.c.leased_until <= bindparam("now"))
_IS_DUE = deliveries.c.due_at <= bindparam("now")
_IS_ACTIVE = (webhooks.c.deleted_at.is_(None), webhooks.c.is_active)
# 0 for a first attempt, 1 for a retry. Each is queried separately: the index is sorted by priority first, and has every
# parked retry.
_PRIORITIES: tuple[ColumnElement[Any], ...] = (literal_column("0"), literal_column("1"))
FIRST_ATTEMPT = 0

QUEUE = Queue(
    deliveries,
    _IS_PENDING,
    settled={"priority": 1, "leased_until": None, "response_code": bindparam("code")},
    parts=attempts.c.delivery_id,
)


def _first_due(priority: ColumnElement[Any]) -> ColumnElement[Any]:
    """When a webhook has its first delivery of a priority to send: the first in the index without a lease."""
    of_webhook = (deliveries.c.webhook_id == webhooks.c.id, deliveries.c.priority == priority, _IS_PENDING, _IS_FREE)
    first = select(deliveries.c.due_at).where(*of_webhook).order_by(deliveries.c.due_at).limit(1)
    return first.correlate(webhooks).scalar_subquery()


_NEW_EVENT = select(events.c.id).where(events.c.fanned_out_at.is_(None)).order_by(events.c.id).limit(1)
# One row without a webhook if there is none: its events are fanned out to nobody.
_ONE_ROW = select(literal_column("1").label("one")).subquery()
_FIRST_DUE = Query(
    select(_NEW_EVENT.scalar_subquery(), webhooks.c.id, *map(_first_due, _PRIORITIES))
    .select_from(_ONE_ROW.outerjoin(webhooks, and_(*_IS_ACTIVE)))
    .order_by(webhooks.c.id)
)
_COUNT_DUE = Query(
    select(
        count_up_to(
            select(deliveries.c.id).where(
                deliveries.c.webhook_id.in_(select(webhooks.c.id).where(*_IS_ACTIVE)),
                deliveries.c.priority.in_(_PRIORITIES),
                *(_IS_PENDING, _IS_DUE, _IS_FREE),
            )
        )
    )
)
_COUNT_PENDING = Query(select(count_up_to(select(deliveries.c.id).where(_IS_PENDING))))
# Locked while their deliveries are claimed: a webhook that is deleted meanwhile gets nothing more.
_LOCK_WEBHOOK = Query(
    select(*(webhooks.c[name] for name in Webhook.__struct_fields__))
    .where(webhooks.c.id == bindparam("webhook"), *_IS_ACTIVE)
    .with_for_update(read=True),
    Webhook,
)
_CLAIMABLE = Query(
    select(
        deliveries.c.id,
        deliveries.c.webhook_id,
        deliveries.c.public_id,
        deliveries.c.event_type,
        (deliveries.c.attempts_count + 1).label("attempts_count"),
        deliveries.c.failures,
        events.c.created_at,
        events.c.data,
        deliveries.c.event_id,
        events.c.request_id,
        events.c.traceparent,
        deliveries.c.lease.label("abandoned_by"),
    )
    .join(events, events.c.id == deliveries.c.event_id)
    .where(_THIS_WEBHOOK, deliveries.c.priority == bindparam("priority"), _IS_DUE, _IS_PENDING, _IS_FREE)
    .order_by(deliveries.c.due_at)
    .limit(bindparam("size"))
    .with_for_update(of=deliveries, skip_locked=True),
    ClaimedDelivery,
)
_LEASE = Query(
    update(deliveries)
    .where(_THIS)
    .values(lease=bindparam("worker"), leased_until=bindparam("until"), attempts_count=bindparam("attempt")),
    set_based=True,
)
_START = Query(
    insert(attempts)
    .values(delivery_id=bindparam("item"), number=bindparam("attempt"), outcome="open", started_at=bindparam("now"))
    .inline(),
    set_based=True,
)
_OPEN_ATTEMPT = (attempts.c.delivery_id == bindparam("item"), attempts.c.outcome == "open")
_INTERRUPT = Query(
    update(attempts)
    .where(*_OPEN_ATTEMPT)
    .values(
        outcome="interrupted",
        finished_at=bindparam("now"),
        reason="the worker stopped before it could record the response",
    ),
    set_based=True,
)
_FINISH = Query(
    update(attempts)
    .where(*_OPEN_ATTEMPT, attempts.c.number == bindparam("attempt"))
    .values(
        outcome=bindparam("result"),
        finished_at=bindparam("now"),
        response_code=bindparam("code"),
        latency_ms=bindparam("latency"),
        reason=bindparam("why"),
        excerpt=bindparam("text"),
    ),
    set_based=True,
)
# Locked, so none is enabled meanwhile.
_LOCK_SWITCHED_OFF = Query(select(webhooks.c.id).where(~webhooks.c.is_active).with_for_update(read=True))
# In the order of the index of pending deliveries: a webhook usually has none left there, and many elsewhere.
_CANCELLABLE = Query(
    select(deliveries.c.id)
    # A worker's deliveries are its own until their lease ends.
    .where(_THIS_WEBHOOK, _IS_PENDING, _IS_FREE)
    .order_by(deliveries.c.priority, deliveries.c.due_at)
    .limit(_BATCH)
    .with_for_update(skip_locked=True)
)
_CANCEL = Query(
    update(deliveries)
    .where(_THIS)
    .values(status="cancelled", lease=None, leased_until=None, reason=bindparam("why"), finished_at=bindparam("now")),
    set_based=True,
)


class ClaimSlot(NamedTuple):
    """What a worker may take of one webhook: of which priorities, and how many in total."""

    webhook_id: int
    priorities: Collection[int]
    room: int


class Due(NamedTuple):
    """Active webhooks with something to send, with the priorities of that, and when there will be more to send."""

    webhooks: list[tuple[int, list[int]]]
    next_at: Instant | None
    # Whether events wait for their deliveries.
    has_events: bool


async def due(tx: Transaction, now: Instant) -> Due:
    rows = await tx.all(_FIRST_DUE, now=now)
    webhooks = [
        (webhook_id, [priority for priority, at in enumerate(times) if at is not None and at <= now])
        for _, webhook_id, *times in rows
    ]
    later = (at for _, _, *times in rows for at in times if at is not None and at > now)
    has_events = any(event is not None for event, *_ in rows)
    return Due([webhook for webhook in webhooks if webhook[1]], min(later, default=None), has_events)


async def backlog(tx: Transaction, now: Instant) -> tuple[int, Instant | None]:
    """How many deliveries are due, counted up to a limit, and since when the oldest is."""
    ((count,),) = await tx.all(_COUNT_DUE, now=now)
    rows = await tx.all(_FIRST_DUE, now=now)
    return int(count), min(
        (due for _, _, *times in rows for due in times if due is not None and due <= now), default=None
    )


async def count_pending(tx: Transaction) -> int:
    """How many are due now or later, counted up to a limit."""
    ((count,),) = await tx.all(_COUNT_PENDING)
    return int(count)


async def claim(
    tx: Transaction, slots: Sequence[ClaimSlot], lease: str, now: Instant
) -> tuple[list[tuple[Webhook, ClaimedDelivery]], int]:
    """Takes as many due deliveries as each webhook has room for, and records each attempt before it is made.

    Returns, too, how many were cancelled because their webhook has dropped their type.
    """
    locked = await tx.fetch_for_each(_LOCK_WEBHOOK, [{"webhook": slot.webhook_id} for slot in slots])
    by_webhook = {webhook.id: (webhook, set(webhook.event_types)) for webhook in locked}
    due = await _due(tx, [slot for slot in slots if slot.webhook_id in by_webhook], now)
    claimed = [item for item in due if item.event_type in by_webhook[item.webhook_id][1]]
    unwanted = [item.id for item in due if item.event_type not in by_webhook[item.webhook_id][1]]
    await _cancel(tx, unwanted, _UNWANTED, now)
    if claimed:
        await _start(tx, claimed, lease, now)
    return [(by_webhook[item.webhook_id][0], item) for item in claimed], len(unwanted)


async def _due(tx: Transaction, slots: Sequence[ClaimSlot], now: Instant) -> list[ClaimedDelivery]:
    """First attempts, and retries if there is room."""
    taken: list[ClaimedDelivery] = []
    for priority in range(len(_PRIORITIES)):
        used = Counter(item.webhook_id for item in taken)
        arguments: list[dict[str, Any]] = [
            {"webhook": slot.webhook_id, "priority": priority, "size": slot.room - used[slot.webhook_id], "now": now}
            for slot in slots
            if priority in slot.priorities and slot.room > used[slot.webhook_id]
        ]
        taken += await tx.fetch_for_each(_CLAIMABLE, arguments)
    return taken


async def _start(tx: Transaction, claimed: Sequence[ClaimedDelivery], lease: str, now: Instant) -> None:
    lease_values: dict[str, Any] = {"worker": lease, "until": now + LEASE, "now": now}
    rows = [{"item": item.id, "attempt": item.attempts_count, **lease_values} for item in claimed]
    await tx.execute_many(_LEASE, rows)
    abandoned = [row for row, item in zip(rows, claimed, strict=True) if item.abandoned_by]
    if abandoned:
        await tx.execute_many(_INTERRUPT, abandoned)
    await tx.execute_many(_START, rows)


async def settle(
    tx: Transaction, lease: str, finished: Sequence[tuple[ClaimedDelivery, AttemptResult, Settlement]], now: Instant
) -> None:
    """Records the results of the attempts and the new states of the deliveries."""
    rows = [
        {
            "item": claimed.id,
            "attempt": claimed.attempts_count,
            "result": "delivered" if result.is_delivered else "failed",
            "now": now,
            "code": result.response_code,
            "latency": result.latency_ms,
            "why": result.reason,
            "text": result.excerpt,
        }
        for claimed, result, _ in finished
    ]
    await tx.execute_many(_FINISH, rows)
    items = [(claimed, settlement, {"code": result.response_code}) for claimed, result, settlement in finished]
    await QUEUE.settle_all(tx, lease, items, now)


async def cancel(tx: Transaction, now: Instant) -> int:
    """Ends some deliveries of disabled or deleted webhooks; returns how many."""
    off = [{"webhook": webhook_id, "now": now} for (webhook_id,) in await tx.all(_LOCK_SWITCHED_OFF)]
    pending = [item_id for (item_id,) in await tx.fetch_for_each(_CANCELLABLE, off)][:_BATCH]
    await _cancel(tx, pending, _SWITCHED_OFF, now)
    return len(pending)


async def _cancel(tx: Transaction, ids: Sequence[int], why: str, now: Instant) -> None:
    rows = [{"item": item_id, "why": why, "now": now} for item_id in ids]
    if rows:
        await tx.execute_many(_CANCEL, rows)
        await tx.execute_many(_INTERRUPT, rows)
