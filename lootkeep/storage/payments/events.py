"""Sources of payment events, and the events: stored once, applied by a queue, woken by the order that they name."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Text, bindparam, literal_column, select, union, update

from lootkeep.domain.orders import Order
from lootkeep.domain.payments.events import Outcome, PaymentEvent
from lootkeep.domain.payments.sources import PaymentSource
from lootkeep.domain.settlement import Settlement
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import equals_each, subquery
from lootkeep.storage.lists import Listing, Sort
from lootkeep.storage.queue import MAX_COUNTED, SingleQueue, count_up_to
from lootkeep.storage.rows import Rows, columns_of, insertion
from lootkeep.storage.schema import (
    customers,
    orders,
    payment_event_names as names,
    payment_events as events,
    payment_sources as sources,
)

# Literals: otherwise the engines do not use the partial indexes.
_IS_OPEN = events.c.status == literal_column("'waiting'", Text)
_IS_OVER = events.c.status != literal_column("'unmatched'", Text)
_IS_UNMATCHED = events.c.status == literal_column("'unmatched'", Text)

SOURCES = Rows(sources, PaymentSource, sources.c.deleted_at.is_(None))
# Of events, whose source may be deleted since.
ALL_SOURCES = Rows(sources, PaymentSource)
ROWS = Rows(events, PaymentEvent)
QUEUE = SingleQueue(
    events,
    _IS_OPEN,
    PaymentEvent,
    claimed_as="waiting",
    settled={"order_id": bindparam("order")},
    parts=names.c.event_id,
    is_over=_IS_OVER,
)

_SEARCHED = bindparam("wanted_search", type_=Text)
# Two indexes, of which one OR would use none.
_MATCHES_SEARCH = union(
    select(names.c.event_id).where(names.c.name == _SEARCHED),
    select(events.c.id).where(events.c.payer_email == _SEARCHED),
)
LISTING = Listing(
    events,
    PaymentEvent,
    {
        "search": subquery(events.c.id, _MATCHES_SEARCH),
        **equals_each(events, "order_id", "source_id", "status", "type"),
    },
    {"id": Sort(events.c.id)},
    search=lambda term: {"search": term.strip()},
    max_counted=MAX_COUNTED,
)

SOURCE_LISTING = Listing(
    sources, PaymentSource, {}, {"id": Sort(sources.c.id)}, always=(sources.c.deleted_at.is_(None),)
)

_ADD_NAME = insertion(names, "name", "event_id", set_based=True)
# Those of an order: its id, number and external id, and the ids of its payment.
_NAMES_OF_ORDER = 5
_naming = select(names.c.event_id).where(
    names.c.name.in_([bindparam(f"name_{number}", type_=Text) for number in range(_NAMES_OF_ORDER)])
)
# Not one that was never tried, and may wait for more facts, nor one that is being tried.
_ROUSE = Query(
    update(events)
    .where(_IS_OPEN, events.c.lease.is_(None), events.c.attempts_count > 0, events.c.id.in_(_naming))
    .values(due_at=bindparam("now"))
)
_ROUSE_ONE = Query(
    update(events)
    .where(events.c.id == bindparam("event"), _IS_OPEN, events.c.lease.is_(None))
    .values(due_at=bindparam("now"))
)
_UNMATCHED = Query(select(count_up_to(select(events.c.id).where(_IS_UNMATCHED))))
_payer = select(customers.c.id).where(customers.c.email == bindparam("email", type_=Text))
_matches = union(
    select(orders.c.id).where(orders.c.id == bindparam("compared")),
    select(orders.c.id).where(orders.c.customer_id.in_(_payer)),
    select(orders.c.id).where(orders.c.total == bindparam("amount"), orders.c.created_at >= bindparam("since")),
)
_LIKELY = Query(
    select(*columns_of(orders, Order))
    .where(orders.c.id.in_(_matches))
    .order_by(orders.c.id.desc())
    .limit(bindparam("size")),
    Order,
)
_OF_ORDER = Query(
    select(*columns_of(events, PaymentEvent)).where(events.c.order_id == bindparam("of_order")).order_by(events.c.id),
    PaymentEvent,
)


async def add(tx: Transaction, event: PaymentEvent, named: Sequence[str]) -> PaymentEvent | None:
    """None if it was received before."""
    stored = await ROWS.add_if_free(tx, event)
    if stored is None:
        return None
    if named:
        await tx.execute_many(_ADD_NAME, [{"name": name, "event_id": stored.id} for name in named])
    if stored.status == "waiting":
        tx.wake("payment_events")
    return stored


async def settle(
    tx: Transaction, lease: str, event: PaymentEvent, settlement: Settlement, outcome: Outcome, now: Instant
) -> bool:
    """False if the worker no longer holds the event."""
    return await QUEUE.settle(tx, lease, event, settlement, now, order=outcome.order_id)


async def rouse(tx: Transaction, order: Order, now: Instant) -> None:
    """The events that name the order are tried again when the transaction has committed."""
    named = [str(order.id), order.number, order.external_id, order.transaction_id, order.charge_id]
    values = {f"name_{number}": name or order.number for number, name in enumerate(named)}
    await tx.run(_ROUSE, now=now, **values)
    tx.wake("payment_events")


async def rouse_one(tx: Transaction, event_id: int, now: Instant) -> None:
    await tx.run(_ROUSE_ONE, event=event_id, now=now)
    tx.wake("payment_events")


async def count_unmatched(tx: Transaction) -> int:
    """Up to a limit."""
    ((count,),) = await tx.all(_UNMATCHED)
    return int(count)


async def likely(tx: Transaction, event: PaymentEvent, since: Instant, size: int) -> list[Order]:
    """The order it was compared with, those of who paid, and those with the amount; the newest first."""
    values = {"compared": event.order_id, "email": event.payer_email, "amount": event.amount}
    return await tx.all(_LIKELY, **values, since=since, size=size)


async def of_order(tx: Transaction, order_id: int) -> list[PaymentEvent]:
    return await tx.all(_OF_ORDER, of_order=order_id)
