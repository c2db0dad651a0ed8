"""The identity store: who was seen with a device, an IP address, a mailbox, a payment instrument or a player."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import Integer, bindparam, case, delete, literal_column, select
from sqlalchemy.dialects import postgresql

from lootkeep.domain.customers import CustomerStatus
from lootkeep.domain.identity import Trace, TraceKind
from lootkeep.kernel.clock import Instant
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, sightings
from lootkeep.storage.schema.customers import AGES

# How far up a chain of referrals is followed.
_MAX_ANCESTORS = 10
# One purge never holds the write lock for long.
_PURGED_AT_ONCE = 500
# How many traces of one customer are shown: a bot may leave thousands.
_MAX_SIGHTINGS = 20

_NEW = postgresql.insert(sightings).values(
    kind=bindparam("kind"),
    value=bindparam("seen_with"),
    customer_id=bindparam("customer"),
    first_seen_at=bindparam("now"),
    last_seen_at=bindparam("now"),
)
# History may be imported later: the first and the last time are the earliest and latest ever recorded.
_SEE = Query(
    _NEW.on_conflict_do_update(
        index_elements=["kind", "value", "customer_id"],
        set_={
            "first_seen_at": case(
                (sightings.c.first_seen_at > _NEW.excluded.first_seen_at, _NEW.excluded.first_seen_at),
                else_=sightings.c.first_seen_at,
            ),
            "last_seen_at": case(
                (sightings.c.last_seen_at < _NEW.excluded.last_seen_at, _NEW.excluded.last_seen_at),
                else_=sightings.c.last_seen_at,
            ),
        },
    ),
    set_based=True,
)
_WAS_SEEN = Query(
    select(sightings.c.customer_id).where(
        sightings.c.kind == bindparam("kind"),
        sightings.c.value == bindparam("seen_with"),
        sightings.c.customer_id == bindparam("customer"),
    )
)
_IS_OLD = sightings.c.last_seen_at < bindparam("before")
_OLDEST = Query(
    select(sightings.c.kind, sightings.c.value, sightings.c.customer_id)
    .where(_IS_OLD, AGES)
    .order_by(sightings.c.last_seen_at)
    .limit(literal_column(str(_PURGED_AT_ONCE), Integer))
)
# Not one that was seen again since it was read.
_REMOVE = Query(
    delete(sightings).where(
        sightings.c.kind == bindparam("seen_kind"),
        sightings.c.value == bindparam("seen_with"),
        sightings.c.customer_id == bindparam("customer"),
        _IS_OLD,
    ),
    set_based=True,
)
_OF_CUSTOMER = Query(
    select(sightings.c.kind, sightings.c.value, sightings.c.first_seen_at, sightings.c.last_seen_at)
    .where(sightings.c.customer_id == bindparam("customer"))
    .order_by(sightings.c.last_seen_at.desc(), sightings.c.kind, sightings.c.value)
    .limit(_MAX_SIGHTINGS)
)
_OTHERS = Query(
    select(customers.c.id, customers.c.name, customers.c.status)
    .join(sightings, sightings.c.customer_id == customers.c.id)
    .where(
        sightings.c.kind == bindparam("kind"),
        sightings.c.value == bindparam("seen_with"),
        sightings.c.customer_id != bindparam("customer"),
    )
    .limit(bindparam("size"))
)
_REFERRED_BY = Query(select(customers.c.referred_by_id).where(customers.c.id == bindparam("customer")))


class SeenCustomer(NamedTuple):
    """A customer, and what they were seen with at a time."""

    customer_id: int
    traces: Sequence[Trace]
    at: Instant


class TraceOwner(msgspec.Struct, frozen=True):
    """Another customer who was seen with the same value."""

    id: int
    name: str
    status: CustomerStatus


class OwnedTrace(msgspec.Struct, frozen=True):
    """What a customer was seen with, and who else was."""

    kind: TraceKind
    value: str
    first_seen_at: Instant
    last_seen_at: Instant
    others: Sequence[TraceOwner]


async def remember(tx: Transaction, seen: Iterable[SeenCustomer]) -> None:
    """What customers, each of them once, were seen with."""
    rows = [
        {"kind": trace.kind, "seen_with": trace.value, "customer": customer.customer_id, "now": customer.at}
        for customer in seen
        for trace in customer.traces
    ]
    if rows:
        await tx.execute_many(_SEE, rows)


async def take_turn(tx: Transaction, customer_id: int, traces: Iterable[Trace]) -> None:
    """Waits until no other transaction judges an order with one of these traces, and then makes others wait.

    This also serialises orders and changes of one customer.
    """
    await customers_db.take_turn(tx, customer_id, *{f"{trace.kind} {trace.value}" for trace in traces})


async def seen_with(tx: Transaction, trace: Trace, customer_ids: Iterable[int]) -> set[int]:
    """Those of the customers who were seen with this before, regardless of how many others were."""
    owners: set[int] = set()
    for customer_id in customer_ids:
        owners |= {
            row[0] for row in await tx.all(_WAS_SEEN, kind=trace.kind, seen_with=trace.value, customer=customer_id)
        }
    return owners


async def of_customer(tx: Transaction, customer_id: int, max_others: int) -> list[OwnedTrace]:
    """The latest first, each with some of the other customers who were seen with it."""
    traces = []
    for kind, value, first_seen_at, last_seen_at in await tx.all(_OF_CUSTOMER, customer=customer_id):
        others = await tx.all(_OTHERS, kind=kind, seen_with=value, customer=customer_id, size=max_others)
        accounts = [TraceOwner(*row) for row in others]
        traces.append(OwnedTrace(kind, value, first_seen_at, last_seen_at, accounts))
    return traces


async def ancestors(tx: Transaction, customer_id: int) -> list[int]:
    """The referrers of the customer, nearest first."""
    customer_ids: list[int] = []
    while len(customer_ids) < _MAX_ANCESTORS:
        above = await tx.one(_REFERRED_BY, customer=customer_id)
        if above is None or above[0] is None or above[0] in customer_ids:
            break
        customer_id = above[0]
        customer_ids.append(customer_id)
    return customer_ids


async def purge(tx: Transaction, before: Instant) -> int:
    """Removes some sightings that no signal counts any more; returns how many, as long as there are any."""
    oldest = await tx.all(_OLDEST, before=before)
    rows = [
        {"seen_kind": kind, "seen_with": value, "customer": customer_id, "before": before}
        for kind, value, customer_id in oldest
    ]
    if rows:
        await tx.execute_many(_REMOVE, rows)
    return len(rows)
