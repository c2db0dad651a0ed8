"""Deliveries as they are shown, and sent again by hand."""

from __future__ import annotations

from sqlalchemy import bindparam, select, update

from lootkeep.domain.deliveries import Attempt, Delivery
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import equals, equals_each, within
from lootkeep.storage.lists import Listing, Sort
from lootkeep.storage.queue import MAX_COUNTED
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import attempts, deliveries

ROWS = Rows(deliveries, Delivery)

_ATTEMPTS = Query(
    select(*columns_of(attempts, Attempt))
    .where(attempts.c.delivery_id == bindparam("delivery"))
    .order_by(attempts.c.number),
    Attempt,
)
_SEND_AGAIN = Query(
    update(deliveries)
    .where(deliveries.c.id == bindparam("delivery"))
    .values(
        status="pending",
        priority=0,
        due_at=bindparam("now"),
        # Without a lease: a worker that is sending it right now can no longer settle it.
        lease="sent again",
        leased_until=None,
        failures=0,
        finished_at=None,
    )
    .returning(*columns_of(deliveries, Delivery)),
    Delivery,
)

LISTING = Listing(
    deliveries,
    Delivery,
    {
        "webhook_id": equals(deliveries.c.webhook_id, "webhook_id"),
        **equals_each(deliveries, "status", "event_type", index=None),
        **within(deliveries.c.created_at),
    },
    {"created_at": Sort(deliveries.c.id)},
    max_counted=MAX_COUNTED,
)


async def attempts_of(tx: Transaction, delivery_id: int) -> list[Attempt]:
    return await tx.all(_ATTEMPTS, delivery=delivery_id)


async def send_again(tx: Transaction, delivery_id: int, now: Instant) -> Delivery:
    """Makes the delivery due now, with new retries; a worker that holds it cannot settle it."""
    tx.wake("deliveries")
    (delivery,) = await tx.all(_SEND_AGAIN, delivery=delivery_id, now=now)
    return delivery
