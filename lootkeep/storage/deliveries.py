"""The queue of deliveries: claimed by workers, settled; the rows are the queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ScalarSelect, Text, bindparam, insert, literal_column, or_, select, update

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
DUE = (
    PENDING,
    deliveries.c.priority.in_((literal_column("0"), literal_column("1"))),
    deliveries.c.due_at <= bindparam("now"),
    FREE,
)
SENDING = (webhooks.c.deleted_at.is_(None), webhooks.c.is_active)


def _is_due(priority: str) -> ScalarSelect[int]:
    """Limited, or PostgreSQL would rather gather all that is due of all webhooks."""
    return (
        select(literal_column("1"))
        .where(
            deliveries.c.webhook_id == webhooks.c.id,
            PENDING,
            deliveries.c.priority == literal_column(priority),
            deliveries.c.due_at <= bindparam("now"),
            FREE,
        )
        .limit(1)
        .scalar_subquery()
    )


class Due(msgspec.Struct, frozen=True):
    """A webhook, and whether it has first attempts and retries to send."""

    webhook_id: int
    has_first: int | None
    has_again: int | None


_WEBHOOKS_DUE = Query(
    select(webhooks.c.id.label("webhook_id"), _is_due("0").label("has_first"), _is_due("1").label("has_again"))
    .where(*SENDING)
    .order_by(webhooks.c.id),
    Due,
)
# Held while their deliveries are claimed: one that is deleted meanwhile gets nothing more.
_HOLD = Query(
    select(*(webhooks.c[name] for name in Webhook.__struct_fields__))
    .where(webhooks.c.id == bindparam("webhook"), *SENDING)
    .with_for_update(read=True),
    Webhook,
)
# What a webhook does not want any more is ended instead of claimed.
_CANCEL_UNWANTED = Query(
    update(deliveries)
    .where(
        deliveries.c.id.in_(
            select(deliveries.c.id)
            .where(
                deliveries.c.webhook_id == bindparam("webhook"),
                IsNotAmong(deliveries.c.event_type, bindparam("wanted", type_=Text)),
                *DUE,
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


class Turn(NamedTuple):
    """A webhook that is held, what it has to send, and how much of it now."""

    webhook: Webhook
    due: Due
    room: int


async def webhooks_due(tx: Transaction, now: Instant) -> list[Due]:
    """Active webhooks with something to send."""
    return [due for due in await tx.all(_WEBHOOKS_DUE, now=now) if due.has_first or due.has_again]


async def hold(tx: Transaction, rooms: Sequence[tuple[Due, int]]) -> list[Turn]:
    """Keeps these webhooks as they are until the transaction ends; without those that want nothing any more."""
    found = await tx.each(_HOLD, [{"webhook": due.webhook_id} for due, _ in rooms])
    held = {webhook.id: webhook for webhook in found}
    return [Turn(held[due.webhook_id], due, room) for due, room in rooms if due.webhook_id in held]


async def claim(tx: Transaction, turns: Sequence[Turn], lease: str, now: Instant) -> tuple[list[Claimed], int]:
    """Takes as many due deliveries as each webhook has room for, and writes down each attempt before it is made.

    Tells, too, how many were ended because their webhook has dropped their type.
    """
    found = await _claimable(tx, turns, now)
    wanted = {webhook.id: set(webhook.event_types) for webhook, _, _ in turns}
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


async def _claimable(tx: Transaction, turns: Sequence[Turn], now: Instant) -> list[Claimed]:
    """First attempts, and retries where room is left."""
    first = [_asked(turn, 0, turn.room, now) for turn in turns if turn.due.has_first]
    found = await tx.each(_CLAIMABLE, first) if first else []
    taken = Counter(one.webhook_id for one in found)
    left = [(turn, turn.room - taken[turn.webhook.id]) for turn in turns if turn.due.has_again]
    again = [_asked(turn, 1, room, now) for turn, room in left if room > 0]
    return found + await tx.each(_CLAIMABLE, again) if again else found


def _asked(turn: Turn, priority: int, size: int, now: Instant) -> dict[str, Any]:
    return {"webhook": turn.webhook.id, "priority": priority, "size": size, "now": now}


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
