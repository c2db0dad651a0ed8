"""Figures of the tickets that are kept while writing: what each kind adds up to, tickets by day, and the medians."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

from sqlalchemy import BigInteger, bindparam, cast, func, select
from sqlalchemy.dialects import postgresql

from lootkeep.domain.support_tickets import Ticket
from lootkeep.domain.ticket_figures import NOBODY, Figures
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import ticket_counts, ticket_figures

# Deeds on different tickets mostly meet in different shards.
_SHARDS = 4
# How long tickets took is counted in days, in five minutes and in seconds: whoever looks for a rank goes from one to
# the next, and reads at most as many buckets as a day has fives of minutes, and those seconds.
WIDTHS = (86_400, 300, 1)

ALL = "all"
CLOSED = "closed"
Took = Literal["response", "resolution"]

CELL = ("agent", "status", "priority", "category")
SUMS = ("tickets", "responded", "response_seconds", "resolved", "resolution_seconds")

_CELLS = postgresql.insert(ticket_figures).values({name: bindparam(f"new_{name}") for name in (*CELL, "shard", *SUMS)})
_ADD_FIGURES = Query(
    _CELLS.on_conflict_do_update(
        index_elements=[*CELL, "shard"],
        set_={name: ticket_figures.c[name] + _CELLS.excluded[name] for name in SUMS},
    )
)
_NEW = postgresql.insert(ticket_counts).values(
    name=bindparam("counter"), bucket=bindparam("place"), shard=bindparam("part"), value=bindparam("change")
)
_ADD_COUNT = Query(
    _NEW.on_conflict_do_update(
        index_elements=["name", "bucket", "shard"], set_={"value": ticket_counts.c.value + _NEW.excluded.value}
    )
)


def _summed(column: Any) -> Any:
    return cast(func.sum(column), BigInteger)


_key = [ticket_figures.c[name] for name in CELL]
_FIGURES = Query(
    select(*_key, *(_summed(ticket_figures.c[name]).label(name) for name in SUMS)).group_by(*_key), Figures
)


@cache
def _total_query(filters: frozenset[str]) -> Query[tuple[Any, ...]]:
    total = func.coalesce(_summed(ticket_figures.c.tickets), 0)
    return Query(
        select(total).where(*(ticket_figures.c[name] == bindparam(f"wanted_{name}") for name in sorted(filters)))
    )


_BUCKETS = Query(
    select(ticket_counts.c.bucket, _summed(ticket_counts.c.value))
    .where(
        ticket_counts.c.name == bindparam("counter"),
        ticket_counts.c.bucket >= bindparam("first"),
        ticket_counts.c.bucket < bindparam("end"),
    )
    .group_by(ticket_counts.c.bucket)
    .order_by(ticket_counts.c.bucket)
)
_END = 2**62


async def change(tx: Transaction, before: Ticket | None, after: Ticket) -> None:
    """Counts a ticket as it is now and not as it was; always in the same order, as the last step of a deed."""
    shard = after.id % _SHARDS
    figures = _difference(_figures(before) if before else {}, _figures(after))
    for cell, sums in sorted(figures.items()):
        values = zip((*CELL, "shard", *SUMS), (*cell, shard, *sums), strict=True)
        await tx.run(_ADD_FIGURES, **{f"new_{name}": value for name, value in values})
    counted = Counter(_places(after))
    counted.subtract(Counter(_places(before)) if before else {})
    for (name, bucket), difference in sorted(counted.items()):
        if difference:
            await tx.run(_ADD_COUNT, counter=name, place=bucket, part=shard, change=difference)


async def add_figures(tx: Transaction, cell: Sequence[Any], sums: Sequence[int]) -> None:
    values = zip((*CELL, "shard", *SUMS), (*cell, 0, *sums), strict=True)
    await tx.run(_ADD_FIGURES, **{f"new_{name}": value for name, value in values})


async def add_count(tx: Transaction, name: str, bucket: int, difference: int) -> None:
    await tx.run(_ADD_COUNT, counter=name, place=bucket, part=0, change=difference)


async def figures(tx: Transaction) -> list[Figures]:
    """Every kind of ticket there ever was; some have none now."""
    return await tx.all(_FIGURES)


async def total(tx: Transaction, filters: dict[str, Any]) -> int:
    """How many tickets there are with these values of `CELL`."""
    values = {f"wanted_{name}": value for name, value in filters.items()}
    ((found,),) = await tx.all(_total_query(frozenset(filters)), **values)
    return int(found)


async def in_days(tx: Transaction, name: str, since: Instant | None, until: Instant | None) -> dict[int, int]:
    """How many there are of each day, oldest first; the times are whole days, the last excluded."""
    rows = await tx.all(
        _BUCKETS, counter=name, first=0 if since is None else since // DAY, end=_END if until is None else until // DAY
    )
    return dict(rows)


async def median_seconds(tx: Transaction, took: Took) -> float | None:
    """Of an even number, the middle between the two in the middle."""
    widest = await _buckets(tx, took, 0, 0, _END)
    count = sum(value for _, value in widest)
    if count <= 0:
        return None
    ranks = sorted({(count - 1) // 2, count // 2})
    found = [await _at_rank(tx, took, widest, rank) for rank in ranks]
    return sum(found) / len(found)


async def _at_rank(tx: Transaction, took: Took, widest: list[tuple[int, int]], rank: int) -> int:
    """The seconds of the ticket that has so many shorter ones before it."""
    bucket, rank = _holding(widest, rank)
    for level in range(1, len(WIDTHS)):
        parts = WIDTHS[level - 1] // WIDTHS[level]
        bucket, rank = _holding(await _buckets(tx, took, level, bucket * parts, (bucket + 1) * parts), rank)
    return bucket


def _holding(buckets: list[tuple[int, int]], rank: int) -> tuple[int, int]:
    """The bucket in which the rank lies, and the rank within it."""
    last = 0
    for bucket, value in buckets:
        last = bucket
        if rank < value:
            break
        rank -= value
    return last, rank


async def _buckets(tx: Transaction, took: Took, level: int, first: int, end: int) -> list[tuple[int, int]]:
    rows = await tx.all(_BUCKETS, counter=f"{took}.{WIDTHS[level]}", first=first, end=end)
    return [(bucket, value) for bucket, value in rows]


def _figures(ticket: Ticket) -> dict[tuple[Any, ...], tuple[int, ...]]:
    cell = (ticket.assigned_to_id or NOBODY, ticket.status, ticket.priority, ticket.category)
    response, resolution = ticket.response_seconds, ticket.resolution_seconds
    return {cell: (1, int(response is not None), response or 0, int(resolution is not None), resolution or 0)}


def _difference(
    before: dict[tuple[Any, ...], tuple[int, ...]], after: dict[tuple[Any, ...], tuple[int, ...]]
) -> dict[tuple[Any, ...], tuple[int, ...]]:
    nothing = (0,) * len(SUMS)
    changed = {
        cell: tuple(new - old for new, old in zip(after.get(cell, nothing), before.get(cell, nothing), strict=True))
        for cell in before.keys() | after.keys()
    }
    return {cell: sums for cell, sums in changed.items() if any(sums)}


def _places(ticket: Ticket) -> list[tuple[str, int]]:
    """Every bucket in which the ticket counts."""
    day = ticket.created_at // DAY
    names = (ALL, f"status.{ticket.status}", f"priority.{ticket.priority}", f"category.{ticket.category}")
    found = [(name, day) for name in (*names, f"agent.{ticket.assigned_to_id or NOBODY}")]
    if ticket.closed_at is not None:
        found.append((CLOSED, ticket.closed_at // DAY))
    for took, seconds in (("response", ticket.response_seconds), ("resolution", ticket.resolution_seconds)):
        if seconds is not None:
            found += [(f"{took}.{width}", seconds // width) for width in WIDTHS]
    return found
