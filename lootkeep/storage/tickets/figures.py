"""Statistics of support tickets: the totals of each kind, the tickets of a day, and the medians."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import BigInteger, bindparam, cast, func, literal_column, select

from lootkeep.domain.ticket_figures import TicketFigures
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import support_tickets, ticket_figures
from lootkeep.storage.schema.support_tickets import RESOLUTION, RESPONSE
from lootkeep.storage.totals.declared import TICKETS


def _summed(column: Any) -> Any:
    return cast(func.sum(column), BigInteger)


_key = [ticket_figures.c[name] for name in TICKETS.key]
_FIGURES = Query(
    select(*_key, *(_summed(ticket_figures.c[name]).label(name) for name in TICKETS.sums)).group_by(*_key),
    TicketFigures,
)


@cache
def _total_query(filters: frozenset[str]) -> Query[tuple[Any, ...]]:
    total = func.coalesce(_summed(ticket_figures.c.tickets), 0)
    return Query(
        select(total).where(*(ticket_figures.c[name] == bindparam(f"wanted_{name}") for name in sorted(filters)))
    )


def _between(time: Any) -> Query[tuple[Any, ...]]:
    return Query(
        select(func.count()).select_from(support_tickets).where(time >= bindparam("since"), time < bindparam("until"))
    )


_CREATED = _between(support_tickets.c.created_at)
_CLOSED = _between(support_tickets.c.closed_at)


def _middle(seconds: str, end: Any) -> Query[tuple[Any, ...]]:
    """Read from an index of the durations."""
    taken: Any = literal_column(f"({seconds})", BigInteger)
    query = select(taken).select_from(support_tickets).where(end.is_not(None)).order_by(taken)
    return Query(query.limit(bindparam("size")).offset(bindparam("skip")))


_RESPONSES = _middle(RESPONSE, support_tickets.c.first_response_at)
_RESOLUTIONS = _middle(RESOLUTION, support_tickets.c.resolved_at)


async def figures(tx: Transaction) -> list[TicketFigures]:
    """Every kind of ticket that ever existed; some have none now."""
    return await tx.all(_FIGURES)


async def total(tx: Transaction, filters: dict[str, Any]) -> int:
    """How many tickets there are with these values of the key."""
    values = {f"wanted_{name}": value for name, value in filters.items()}
    ((count,),) = await tx.all(_total_query(frozenset(filters)), **values)
    return int(count)


async def created(tx: Transaction, since: Instant, until: Instant) -> int:
    ((count,),) = await tx.all(_CREATED, since=since, until=until)
    return int(count)


async def closed(tx: Transaction, since: Instant, until: Instant) -> int:
    ((count,),) = await tx.all(_CLOSED, since=since, until=until)
    return int(count)


async def median_response(tx: Transaction, responded: int) -> float | None:
    return await _median(tx, _RESPONSES, responded)


async def median_resolution(tx: Transaction, resolved: int) -> float | None:
    return await _median(tx, _RESOLUTIONS, resolved)


async def _median(tx: Transaction, query: Query[tuple[Any, ...]], count: int) -> float | None:
    """In seconds; of an even number, the mean of the two middle values."""
    seconds = [row[0] for row in await tx.all(query, size=2 - count % 2, skip=max(0, count - 1) // 2)]
    return sum(seconds) / len(seconds) if seconds else None
