"""Retention: data that is stored for a limited time, and deliveries that nobody waits for any more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from lootkeep.deps import Deps
from lootkeep.domain.attempts import REMEMBERED
from lootkeep.domain.fraud.facts import DEVICE_MEMORY
from lootkeep.kernel.clock import DAY, Instant, iso
from lootkeep.storage import (
    alerts as alerts_db,
    bulk as bulk_db,
    emails as emails_db,
    idempotency as idempotency_db,
)
from lootkeep.storage.access import accounts as accounts_db, attempts as attempts_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.fraud import identity as identity_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.webhooks import deliveries as deliveries_db

log = structlog.get_logger(__name__)

# How long an idempotency key can be replayed.
ANSWERS_KEPT_FOR = DAY


async def purge(deps: Deps, now: Instant, events_kept_days: int, mails_kept_days: int) -> None:
    """Removes what is older than it is kept: answers, sessions, deliveries, events, e-mails and the like.

    `now` was checked by the caller. The clock is not read again: it may be set at any moment.
    """
    events_before = Instant(now - events_kept_days * DAY)
    for what, before, batch in (
        ("idempotency keys", Instant(now - ANSWERS_KEPT_FOR), idempotency_db.purge),
        ("sessions", now, accounts_db.purge_sessions),
        ("failed attempts", Instant(now - REMEMBERED), attempts_db.purge),
        ("deliveries", events_before, deliveries_db.QUEUE.purge),
        # Only events that no delivery needs.
        ("events", events_before, outbox_db.purge),
        ("notices of alerts", events_before, alerts_db.purge),
        ("bulk actions", events_before, bulk_db.QUEUE.purge),
        ("payment events", events_before, payment_events_db.QUEUE.purge),
        # What no signal counts any more.
        ("sightings", Instant(now - DEVICE_MEMORY), identity_db.purge),
        ("e-mails", Instant(now - mails_kept_days * DAY), emails_db.QUEUE.purge),
    ):
        count = await _in_batches(deps, partial(batch, before=before))
        if count:
            log.info("old data was deleted", what=what, count=count, before=iso(before))


async def cancel_deliveries(deps: Deps) -> None:
    """Ends the deliveries to webhooks that were disabled or deleted."""
    now = deps.clock.now()
    await _in_batches(deps, lambda tx: deliveries_db.cancel(tx, now))


async def _in_batches(deps: Deps, batch: Callable[[Transaction], Awaitable[int]]) -> int:
    """A bounded batch per transaction, until nothing is left: nobody waits long for the write lock."""
    total, count = 0, 1
    while count:
        async with deps.db.write(is_long=True) as tx:
            count = await batch(tx)
        total += count
    return total
