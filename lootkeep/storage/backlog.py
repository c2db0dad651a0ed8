"""How many deliveries wait in the queue, and when the next is due."""

from __future__ import annotations

from sqlalchemy import ScalarSelect, func, literal_column, select

from lootkeep.kernel.clock import Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.deliveries import DUE, FREE, PENDING, SENDING
from lootkeep.storage.query import Query
from lootkeep.storage.tables import deliveries, webhooks

# Counting stops here: from then on it is many.
MOST_COUNTED = 10_000
_BACKLOG = Query(
    select(func.count()).select_from(
        select(deliveries.c.id)
        .where(deliveries.c.webhook_id.in_(select(webhooks.c.id).where(*SENDING)), *DUE)
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


_FIRST_DUE = Query(select(_first("0"), _first("1")).select_from(webhooks).where(*SENDING))


async def waiting(tx: Transaction, now: Instant) -> tuple[int, Instant | None]:
    """How many deliveries are due, counted up to a bound, and since when the oldest is."""
    ((count,),) = await tx.all(_BACKLOG, now=now)
    return int(count), min((due for due in await _first_due(tx, now) if due <= now), default=None)


async def next_due(tx: Transaction, now: Instant) -> Instant | None:
    """When there will be something more to send than what is due already."""
    return min((due for due in await _first_due(tx, now) if due > now), default=None)


async def _first_due(tx: Transaction, now: Instant) -> list[Instant]:
    """Of each webhook and priority."""
    return [due for row in await tx.all(_FIRST_DUE, now=now) for due in row if due is not None]
