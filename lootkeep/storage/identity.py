"""The identity store: which customers were seen with a device, an address, a mailbox or a payment instrument."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, case, select
from sqlalchemy.dialects import postgresql

from lootkeep.domain.identity import Trace
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, sightings

# A chain of referrals is followed so far up.
_MAX_ANCESTORS = 10

_NEW = postgresql.insert(sightings).values(
    kind=bindparam("kind"),
    value=bindparam("seen_with"),
    customer_id=bindparam("customer"),
    first_seen_at=bindparam("now"),
    last_seen_at=bindparam("now"),
)
# History may come in late: the first and the last time are the outermost ever recorded.
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
_REFERRED_BY = Query(select(customers.c.referred_by_id).where(customers.c.id == bindparam("customer")))


class SeenCustomer(NamedTuple):
    """A customer, and what they were seen with at a time."""

    customer_id: int
    traces: Sequence[Trace]
    at: Instant


async def remember(tx: Transaction, seen: Iterable[SeenCustomer]) -> None:
    """What customers, each of them once, were seen with."""
    rows = [
        {"kind": trace.kind, "seen_with": trace.value, "customer": customer.customer_id, "now": customer.at}
        for customer in seen
        for trace in customer.traces
    ]
    if rows:
        await tx.execute_many(_SEE, rows)


async def lock_traces(tx: Transaction, traces: Iterable[Trace]) -> None:
    """Waits until no other transaction judges an order with one of these traces, and makes others wait in turn.

    A customer has one mailbox for good, so orders of one customer come one after the other too.
    """
    names = {f"{trace.kind} {trace.value}" for trace in traces}
    if names:
        await tx.wait_for(*names)


async def seen_with(tx: Transaction, trace: Trace, customer_ids: Iterable[int]) -> set[int]:
    """Those of the customers who were seen with this before, however many others were."""
    found: set[int] = set()
    for customer_id in customer_ids:
        found |= {
            row[0] for row in await tx.all(_WAS_SEEN, kind=trace.kind, seen_with=trace.value, customer=customer_id)
        }
    return found


async def ancestors(tx: Transaction, customer_id: int) -> list[int]:
    """Those who brought the customer here, nearest first."""
    customer_ids: list[int] = []
    while len(customer_ids) < _MAX_ANCESTORS:
        above = await tx.one(_REFERRED_BY, customer=customer_id)
        if above is None or above[0] is None or above[0] in customer_ids:
            break
        customer_id = above[0]
        customer_ids.append(customer_id)
    return customer_ids
