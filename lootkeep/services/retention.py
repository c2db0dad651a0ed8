"""Retention: data that is stored for a limited time, and deliveries that nobody waits for any more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lootkeep.deps import Deps
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage import (
    accounts as accounts_db,
    alerts as alerts_db,
    emails as emails_db,
    idempotency as idempotency_db,
    outbox as outbox_db,
    subscriptions as subscriptions_db,
)
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.webhooks import deliveries as deliveries_db

# How long an idempotency key can be replayed.
ANSWERS_KEPT_FOR = DAY


async def purge_answers(deps: Deps) -> None:
    """Removes old idempotency keys."""
    before = Instant(deps.clock.now() - ANSWERS_KEPT_FOR)
    await _in_batches(deps, lambda tx: idempotency_db.purge(tx, before))


async def purge_sessions(deps: Deps) -> None:
    """Removes sessions that have ended."""
    now = deps.clock.now()
    await _in_batches(deps, lambda tx: accounts_db.purge_sessions(tx, now))


async def purge_events(deps: Deps, kept_days: int) -> None:
    """Removes old finished deliveries with their attempts, old events that no delivery needs, and old notices."""
    before = Instant(deps.clock.now() - kept_days * DAY)
    await _in_batches(deps, lambda tx: deliveries_db.QUEUE.purge(tx, before))
    await _in_batches(deps, lambda tx: outbox_db.purge(tx, before))
    await _in_batches(deps, lambda tx: alerts_db.purge(tx, before))


async def purge_emails(deps: Deps, kept_days: int) -> None:
    """Removes old e-mails, in any final state."""
    before = Instant(deps.clock.now() - kept_days * DAY)
    await _in_batches(deps, lambda tx: emails_db.QUEUE.purge(tx, before))


async def expire_subscriptions(deps: Deps) -> None:
    """Ends the subscriptions that were cancelled at the end of a period that is over."""
    now = deps.clock.now()
    await _in_batches(deps, lambda tx: subscriptions_db.expire(tx, now))


async def cancel_deliveries(deps: Deps) -> None:
    """Ends the deliveries to webhooks that were disabled or deleted."""
    now = deps.clock.now()
    await _in_batches(deps, lambda tx: deliveries_db.cancel(tx, now))


async def _in_batches(deps: Deps, batch: Callable[[Transaction], Awaitable[int]]) -> None:
    """A bounded batch per transaction, until nothing is left: nobody waits long for the write lock."""
    more = True
    while more:
        async with deps.db.write(is_long=True) as tx:
            more = await batch(tx) > 0
