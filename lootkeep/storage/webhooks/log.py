"""Deliveries as they are looked at, and sent again by hand."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, func, select, update

from lootkeep.domain.deliveries import Attempt, Delivery
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.paging import Order, Page
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import WakeWorkers
from lootkeep.storage.query import Query
from lootkeep.storage.tables import attempts, deliveries

_DELIVERY = [deliveries.c[name] for name in Delivery.__struct_fields__]
_THIS = deliveries.c.public_id == bindparam("public")

_GET = Query(select(*_DELIVERY).where(_THIS), Delivery)
_LOCK = Query(select(*_DELIVERY).where(_THIS).with_for_update(), Delivery)
_ATTEMPTS = Query(
    select(*(attempts.c[name] for name in Attempt.__struct_fields__))
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
        # Nobody's: a worker that is sending it just now cannot settle it any more.
        lease="sent again",
        leased_until=None,
        failures=0,
        finished_at=None,
    )
    .returning(*_DELIVERY),
    Delivery,
)
_WAKE = Query(WakeWorkers())
# The filters of the log, by name.
_FILTERS: dict[str, Any] = {
    "status": deliveries.c.status == bindparam("wanted_status"),
    "event_type": deliveries.c.event_type == bindparam("wanted_event_type"),
    "from": deliveries.c.created_at >= bindparam("wanted_from"),
    "to": deliveries.c.created_at < bindparam("wanted_to"),
}


@cache
def _page_query(filters: frozenset[str], order: Order) -> Query[Delivery]:
    first = deliveries.c.id.desc() if order == "desc" else deliveries.c.id
    query = _filtered(select(*_DELIVERY), filters).order_by(first)
    return Query(query.limit(bindparam("size")).offset(bindparam("skip")), Delivery)


@cache
def _total_query(filters: frozenset[str]) -> Query[tuple[Any, ...]]:
    return Query(_filtered(select(func.count()).select_from(deliveries), filters))


def _filtered(query: Select[Any], filters: frozenset[str]) -> Select[Any]:
    chosen = [_FILTERS[name] for name in sorted(filters)]
    return query.where(deliveries.c.webhook_id == bindparam("webhook"), *chosen)


async def page(
    tx: Transaction, webhook_id: int, asked: Page, filters: dict[str, Any], order: Order
) -> tuple[list[Delivery], int]:
    """The webhook's deliveries, newest first; filters are `status`, `event_type`, `from` and `to` (exclusive)."""
    shape = frozenset(filters)
    values = {f"wanted_{name}": value for name, value in filters.items()}
    ((total,),) = await tx.all(_total_query(shape), webhook=webhook_id, **values)
    found = await tx.all(_page_query(shape, order), webhook=webhook_id, size=asked.size, skip=asked.offset, **values)
    return found, int(total)


async def get(tx: Transaction, public_id: str) -> Delivery | None:
    return await tx.one(_GET, public=public_id)


async def get_for_update(tx: Transaction, public_id: str) -> Delivery | None:
    return await tx.one(_LOCK, public=public_id)


async def attempts_of(tx: Transaction, delivery_id: int) -> list[Attempt]:
    return await tx.all(_ATTEMPTS, delivery=delivery_id)


async def send_again(tx: Transaction, delivery_id: int, now: Instant) -> Delivery:
    """Makes the delivery due now, in a new round of retries; a worker that holds it cannot settle it."""
    await tx.run(_WAKE)
    (delivery,) = await tx.all(_SEND_AGAIN, delivery=delivery_id, now=now)
    return delivery
