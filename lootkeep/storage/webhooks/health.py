"""The recent health of receivers, from the attempts of their newest deliveries."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, func, select

from lootkeep.domain.receivers import Receiver, RecentAttempt
from lootkeep.domain.webhooks import Webhook
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import attempts, deliveries
from lootkeep.storage.webhooks import endpoints

MINUTES = 60
# How many of the newest deliveries are examined: a busy receiver shows less than an hour.
_DELIVERIES = 1_000
# A receiver fails when this many attempts in a row failed.
_FAILURES = 3

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


async def failures(tx: Transaction, webhook_id: int) -> tuple[list[RecentAttempt], bool]:
    """The attempts after the last delivered one, the oldest first, and whether there was one."""
    attempts = await tx.all(_ATTEMPTS, webhook=webhook_id)
    failed = _last_failures(attempts)
    return failed, len(failed) < len(attempts)


async def first_due(tx: Transaction, webhook_id: int) -> list[tuple[int, Instant]]:
    """For each number of failures of pending deliveries, when the first of them is due."""
    return [(count, due_at) for count, due_at in await tx.all(_FIRST_DUE, webhook=webhook_id)]


async def receivers(tx: Transaction, webhooks: Sequence[Webhook], now: Instant) -> list[Receiver]:
    return [await _receiver(tx, webhook, now) for webhook in webhooks]


async def active(tx: Transaction, now: Instant) -> list[Receiver]:
    return await receivers(tx, [webhook for webhook in await endpoints.ROWS.find(tx) if webhook.is_active], now)


async def failing(tx: Transaction, now: Instant) -> list[Receiver]:
    """The active webhooks with latest attempts that all failed, even if nothing is retried any more."""
    return [receiver for receiver in await active(tx, now) if receiver.is_failing]


async def _receiver(tx: Transaction, webhook: Webhook, now: Instant) -> Receiver:
    attempts = await tx.all(_ATTEMPTS, webhook=webhook.id)
    ((waiting,),) = await tx.all(_WAITING, webhook=webhook.id)
    today = [attempt for attempt in attempts if now - attempt.started_at < DAY]
    recent = [attempt for attempt in attempts if now - attempt.started_at < HOUR]
    latencies = sorted(attempt.latency_ms for attempt in recent if attempt.latency_ms is not None)
    failures = _last_failures(attempts)
    delivered = sum(attempt.outcome == "delivered" for attempt in recent)
    return Receiver(
        webhook=webhook,
        minutes=_minutes(recent, now),
        p95_ms=latencies[len(latencies) * 95 // 100] if latencies else None,
        delivered=delivered,
        failed=len(recent) - delivered,
        day=(sum(attempt.outcome == "delivered" for attempt in today), len(today)),
        waiting=waiting,
        is_failing=len(failures) >= _FAILURES,
        failing_since=failures[0].started_at if failures else None,
        last_answer=(attempts[-1].reason or "answered") if attempts else "was never called",
    )


def _last_failures(attempts: Sequence[RecentAttempt]) -> list[RecentAttempt]:
    """The attempts after the last delivered one, the oldest first."""
    last = max((number for number, attempt in enumerate(attempts) if attempt.outcome == "delivered"), default=-1)
    return list(attempts[last + 1 :])


def _minutes(recent: Sequence[RecentAttempt], now: Instant) -> tuple[str, ...]:
    outcomes: list[set[bool]] = [set() for _ in range(MINUTES)]
    for attempt in recent:
        # A worker may have begun it after the page asked for the time.
        outcomes[MINUTES - 1 - max(0, now - attempt.started_at) // MINUTE].add(attempt.outcome == "delivered")
    tones = {frozenset(): "none", frozenset({True}): "ok", frozenset({False}): "bad"}
    return tuple(tones.get(frozenset(minute), "warn") for minute in outcomes)
