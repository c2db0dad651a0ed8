"""The attempts of the newest deliveries to a receiver, and what waits for it."""

from __future__ import annotations

from sqlalchemy import bindparam, func, select

from lootkeep.domain.receivers import RecentAttempt
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import attempts, deliveries

# How many of the newest deliveries are examined: a busy receiver shows less than an hour.
_DELIVERIES = 1_000

_newest = (
    select(deliveries.c.id)
    .where(deliveries.c.webhook_id == bindparam("webhook"))
    .order_by(deliveries.c.id.desc())
    .limit(_DELIVERIES)
    .cte("newest")
)
_ATTEMPTS = Query(
    select(*(attempts.c[name] for name in RecentAttempt.__struct_fields__))
    .join(_newest, _newest.c.id == attempts.c.delivery_id)
    .where(
        attempts.c.finished_at.is_not(None),
        # Implied by the join: PostgreSQL then reads the end of the key, not all attempts.
        attempts.c.delivery_id >= select(func.min(_newest.c.id)).scalar_subquery(),
    )
    .order_by(attempts.c.started_at),
    RecentAttempt,
)
_LAST_DELIVERED = (
    select(func.max(deliveries.c.id))
    .where(deliveries.c.webhook_id == bindparam("webhook"), deliveries.c.status == "delivered")
    .scalar_subquery()
)
_FIRST_FAILURE = Query(
    select(*(attempts.c[name] for name in RecentAttempt.__struct_fields__))
    .join(deliveries, deliveries.c.id == attempts.c.delivery_id)
    .where(
        deliveries.c.webhook_id == bindparam("webhook"),
        deliveries.c.id > func.coalesce(_LAST_DELIVERED, 0),
        attempts.c.finished_at.is_not(None),
    )
    .order_by(deliveries.c.id, attempts.c.number)
    .limit(1),
    RecentAttempt,
)
_WAITING = Query(
    select(func.count()).where(
        deliveries.c.webhook_id == bindparam("webhook"), deliveries.c.status == "pending", deliveries.c.failures > 0
    )
)

_FIRST_DUE = Query(
    select(deliveries.c.failures, func.min(deliveries.c.due_at))
    .where(deliveries.c.webhook_id == bindparam("webhook"), deliveries.c.status == "pending")
    .group_by(deliveries.c.failures)
)


async def recent_attempts(tx: Transaction, webhook_id: int) -> list[RecentAttempt]:
    """In chronological order; if all of them failed, from the first failure on, however long ago that was."""
    newest = await tx.all(_ATTEMPTS, webhook=webhook_id)
    if any(attempt.outcome == "delivered" for attempt in newest):
        return newest
    first = await tx.one(_FIRST_FAILURE, webhook=webhook_id)
    if first is None or (newest and newest[0].started_at <= first.started_at):
        return newest
    return [first, *newest]


async def count_waiting(tx: Transaction, webhook_id: int) -> int:
    """Deliveries that failed, and will be tried again."""
    ((count,),) = await tx.all(_WAITING, webhook=webhook_id)
    return int(count)


async def first_due(tx: Transaction, webhook_id: int) -> list[tuple[int, Instant]]:
    """For each number of failures of pending deliveries, when the first of them is due."""
    return [(count, due_at) for count, due_at in await tx.all(_FIRST_DUE, webhook=webhook_id)]
