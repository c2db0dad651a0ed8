"""The events of an order, and the results of their deliveries."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import bindparam, select

from lootkeep.domain.deliveries import Attempt, Delivery
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import attempts, deliveries, events


class OrderEvent(msgspec.Struct, frozen=True):
    """An event of an order."""

    id: int
    type: str
    data: str
    created_at: Instant
    fanned_out_at: Instant | None


class _OrderId(msgspec.Struct):
    order_id: int


EVENTS = Rows(events, OrderEvent)

# An event has the time of the step that it announces, and is found by it.
_AT = Query(
    select(*columns_of(events, OrderEvent)).where(events.c.created_at == bindparam("moment")).order_by(events.c.id),
    OrderEvent,
)
_DELIVERIES = Query(
    select(*columns_of(deliveries, Delivery)).where(deliveries.c.event_id == bindparam("event")), Delivery
)
_ATTEMPT = Query(
    select(attempts.c.delivery_id, *columns_of(attempts, Attempt)).where(
        attempts.c.delivery_id == bindparam("delivery"), attempts.c.number == bindparam("last")
    )
)


async def announced(tx: Transaction, order_id: int, moments: Sequence[Instant]) -> list[OrderEvent]:
    """The events of an order that were recorded at one of these times, in order."""
    recorded = await tx.fetch_for_each(_AT, [{"moment": moment} for moment in sorted(set(moments))])
    return [event for event in recorded if event.type.startswith("order.") and _order_id(event) == order_id]


async def deliveries_of(tx: Transaction, event_ids: Sequence[int]) -> list[Delivery]:
    return await tx.fetch_for_each(_DELIVERIES, [{"event": event_id} for event_id in event_ids])


async def last_attempts(tx: Transaction, deliveries: Sequence[Delivery]) -> dict[int, Attempt]:
    """The last attempt of each delivery that has one, by delivery id."""
    asked = [{"delivery": delivery.id, "last": delivery.attempts_count} for delivery in deliveries]
    return {delivery_id: Attempt(*fields) for delivery_id, *fields in await tx.fetch_for_each(_ATTEMPT, asked)}


def _order_id(event: OrderEvent) -> int:
    return msgspec.json.decode(event.data, type=_OrderId).order_id
