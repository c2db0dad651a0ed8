"""The queue of deliveries: claimed by workers, settled; the rows are the queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ScalarSelect, Text, bindparam, exists, func, insert, literal_column, or_, select, update

from lootkeep.domain import deliveries as rules
from lootkeep.domain.deliveries import Claimed, Result, Settlement
from lootkeep.domain.webhooks import Webhook
from lootkeep.kernel.clock import Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import IsNotAmong
from lootkeep.storage.query import Query
from lootkeep.storage.tables import attempts, deliveries, events, webhooks

# Deliveries that one statement ends.
_BATCH = 100

# Written out, not a parameter: a plan that is made once may use the partial index only if it sees the word.
PENDING = deliveries.c.status == literal_column("'pending'")
FREE = or_(deliveries.c.leased_until.is_(None), deliveries.c.leased_until <= bindparam("now"))
# Both priorities are named: the index goes by priority first, and holds every parked retry.
_DUE = (
    PENDING,
    deliveries.c.priority.in_((literal_column("0"), literal_column("1"))),
    deliveries.c.due_at <= bindparam("now"),
    FREE,
)
_SENDING = (webhooks.c.deleted_at.is_(None), webhooks.c.is_active)
_DUE_WEBHOOKS = (
    select(*(webhooks.c[name] for name in Webhook.__struct_fields__))
    .where(*_SENDING, exists().where(deliveries.c.webhook_id == webhooks.c.id, *_DUE))
    .order_by(webhooks.c.id)
)
_WEBHOOKS_DUE = Query(_DUE_WEBHOOKS, Webhook)
# Held while their deliveries are claimed: one that is deleted meanwhile gets nothing more.
_HOLD_WEBHOOKS_DUE = Query(_DUE_WEBHOOKS.with_for_update(read=True), Webhook)
# What a webhook does not want any more is ended instead of claimed.
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
        leased_until=None,
        reason="the webhook is not subscribed to this event type any more",
        finished_at=bindparam("now"),
    )
    .returning(deliveries.c.id)
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
        deliveries.c.lease.label("abandoned_by"),
    )
    .join(events, events.c.id == deliveries.c.event_id)
    .where(
        deliveries.c.webhook_id == bindparam("webhook"),
        deliveries.c.priority == bindparam("priority"),
        deliveries.c.due_at <= bindparam("now"),
        PENDING,
        FREE,
    )
    .order_by(deliveries.c.due_at)
    .limit(bindparam("size"))
    .with_for_update(of=deliveries, skip_locked=True),
    Claimed,
)
_LEASE = Query(
    update(deliveries)
    .where(deliveries.c.id == bindparam("delivery"))
    .values(lease=bindparam("worker"), leased_until=bindparam("until"), attempts_count=bindparam("attempt")),
    at_once=True,
)
INTERRUPT = Query(
    update(attempts)
    .where(attempts.c.delivery_id == bindparam("delivery"), attempts.c.outcome == "open")
    .values(
        outcome="interrupted",
        finished_at=bindparam("now"),
        reason="the worker stopped before it could record the answer",
    ),
    at_once=True,
)
_START = Query(
    insert(attempts)
    .values(delivery_id=bindparam("delivery"), number=bindparam("attempt"), outcome="open", started_at=bindparam("now"))
    .inline(),
    at_once=True,
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
    ),
    at_once=True,
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
        leased_until=None,
        failures=bindparam("failed"),
        response_code=bindparam("code"),
        reason=bindparam("why"),
        finished_at=bindparam("finished"),
    ),
    at_once=True,
)
# Counting stops here: from then on it is many.
MOST_COUNTED = 10_000
_BACKLOG = Query(
    select(func.count()).select_from(
        select(deliveries.c.id)
        .where(deliveries.c.webhook_id.in_(select(webhooks.c.id).where(*_SENDING)), *_DUE)
        .limit(MOST_COUNTED)
        .subquery()
    )
)


def _first(priority: str) -> ScalarSelect[int]:
    """When a webhook has its first delivery of a priority to send: the first of the index that nobody holds."""
    return (
        select(deliveries.c.due_at)
        .where(
            deliveries.c.webhook_id == webhooks.c.id, deliveries.c.priority == literal_column(priority), PENDING, FREE
        )
        .order_by(deliveries.c.due_at)
        .limit(1)
        .scalar_subquery()
    )


_FIRST_DUE = Query(select(_first("0"), _first("1")).select_from(webhooks).where(*_SENDING))


async def webhooks_due(tx: Transaction, now: Instant, *, hold: bool = False) -> list[Webhook]:
    """Active webhooks with something to send; `hold` keeps them as they are until the transaction ends."""
    return await tx.all(_HOLD_WEBHOOKS_DUE if hold else _WEBHOOKS_DUE, now=now)


async def claim(
    tx: Transaction, rooms: Sequence[tuple[Webhook, int]], lease: str, now: Instant
) -> tuple[list[Claimed], int]:
    """Takes as many due deliveries as each webhook has room for, and writes down each attempt before it is made.

    Tells, too, how many were ended because their webhook has dropped their type.
    """
    found = await _claimable(tx, rooms, now)
    wanted = {webhook.id: set(webhook.event_types) for webhook, _ in rooms}
    claimed = [one for one in found if one.event_type in wanted[one.webhook_id]]
    unwanting = {one.webhook_id for one in found if one.event_type not in wanted[one.webhook_id]}
    cancelled: list[dict[str, Any]] = []
    for webhook_id in unwanting:
        words = " ".join(wanted[webhook_id])
        ended = await tx.all(_CANCEL_UNWANTED, webhook=webhook_id, wanted=words, now=now)
        cancelled += [{"delivery": delivery_id, "now": now} for (delivery_id,) in ended]
    if cancelled:
        await tx.many(INTERRUPT, cancelled)
    if claimed:
        await _start(tx, claimed, lease, now)
    return claimed, len(cancelled)


async def _claimable(tx: Transaction, rooms: Sequence[tuple[Webhook, int]], now: Instant) -> list[Claimed]:
    """First attempts, and retries where room is left."""
    asked = [{"webhook": webhook.id, "priority": 0, "size": size, "now": now} for webhook, size in rooms]
    found = await tx.each(_CLAIMABLE, asked)
    taken = Counter(one.webhook_id for one in found)
    left = [{**one, "priority": 1, "size": room} for one in asked if (room := one["size"] - taken[one["webhook"]]) > 0]
    return found + await tx.each(_CLAIMABLE, left) if left else found


async def _start(tx: Transaction, claimed: Sequence[Claimed], lease: str, now: Instant) -> None:
    held: dict[str, Any] = {"worker": lease, "until": now + rules.LEASE, "now": now}
    rows = [{"delivery": one.id, "attempt": one.attempts_count, **held} for one in claimed]
    await tx.many(_LEASE, rows)
    interrupted = [row for row, one in zip(rows, claimed, strict=True) if one.abandoned_by]
    if interrupted:
        await tx.many(INTERRUPT, interrupted)
    await tx.many(_START, rows)


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
    return int(count), min((due for due in await _first_due(tx, now) if due <= now), default=None)


async def next_due(tx: Transaction, now: Instant) -> Instant | None:
    """When there will be something more to send than what is due already."""
    return min((due for due in await _first_due(tx, now) if due > now), default=None)


async def _first_due(tx: Transaction, now: Instant) -> list[Instant]:
    """Of each webhook and priority."""
    return [due for row in await tx.all(_FIRST_DUE, now=now) for due in row if due is not None]
