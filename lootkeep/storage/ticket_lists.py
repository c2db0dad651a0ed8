"""Tickets as they are listed: kept figures tell how many there are, and so which way to them is short."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal

import msgspec
from sqlalchemy import Select, bindparam, func, literal_column, select

from lootkeep.domain.customers import folded
from lootkeep.domain.support_tickets import TicketCategory, TicketEntry, TicketPriority, TicketStatus
from lootkeep.domain.ticket_figures import NOBODY
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.paging import Order, Page
from lootkeep.storage import ticket_counts
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import SHORTEST_INDEXED_TERM, Contains, ContainsShort, Unindexed
from lootkeep.storage.query import Query
from lootkeep.storage.support_tickets import ENTRY
from lootkeep.storage.tables import customers, support_tickets, users

Sort = Literal["created_at", "last_message_at"]

# So many tickets are sorted, or skipped in an index, sooner than a place to start from is looked up.
FEW = 1000
_NUMBER = re.compile(r"tkt-0*([1-9][0-9]{0,17})")

# The filters whose tickets are counted, as the figures call them, and where they lie.
_COUNTED: dict[str, Any] = {
    "status": support_tickets.c.status,
    "priority": support_tickets.c.priority,
    "category": support_tickets.c.category,
    "agent": support_tickets.c.assigned_to_id,
}
_COLUMNS: dict[str, Any] = _COUNTED | {
    "nobody": support_tickets.c.assigned_to_id,
    "customer_id": support_tickets.c.customer_id,
    "order_id": support_tickets.c.order_id,
    "number": support_tickets.c.id,
}
# Every value of a column that is not asked for: with them the index of cells is one.
_CHOICES: dict[str, Any] = {"status": TicketStatus, "priority": TicketPriority, "category": TicketCategory}
# By last message there are indexes for the two by which staff work.
_WALKED: dict[Sort, tuple[str, ...]] = {
    "created_at": ("status", "priority", "category", "agent"),
    "last_message_at": ("status", "agent"),
}


class Wanted(msgspec.Struct, frozen=True):
    """The filters of the list; what is None is not asked for."""

    status: TicketStatus | None = None
    priority: TicketPriority | None = None
    category: TicketCategory | None = None
    # A user's id, or NOBODY.
    agent: int | None = None
    customer_id: int | None = None
    order_id: int | None = None
    # Whole days, the last excluded.
    since: Instant | None = None
    until: Instant | None = None
    term: str = ""

    @property
    def counted(self) -> dict[str, Any]:
        """The filters by which figures are kept."""
        return {name: value for name in _COUNTED if (value := getattr(self, name)) is not None}

    @property
    def is_slow(self) -> bool:
        """Whether finding them may take milliseconds."""
        return bool(self.term) or self.since is not None or self.until is not None or len(self.counted) > 1


class _Shape(msgspec.Struct, frozen=True):
    """What a query of the list looks like: for each there is one statement."""

    filters: frozenset[str]
    sort: Sort = "created_at"
    order: Order = "desc"
    # The filter whose index is walked, in the order of the list.
    along: str | None = None
    # Or all matching are fetched, and sorted.
    is_sorted: bool = False
    by_cells: bool = False


async def page(tx: Transaction, asked: Page, wanted: Wanted, sort: Sort, order: Order) -> tuple[list[TicketEntry], int]:
    """A page of the list, and how many there are in all."""
    values = _values(wanted)
    shape = _Shape(frozenset(values), sort, order)
    if values.keys() & {"term", "short_term", "number", "customer_id", "order_id"}:
        narrow = msgspec.structs.replace(shape, is_sorted=True)
        return await _counted_page(tx, asked, narrow, values)
    if wanted.since is not None or wanted.until is not None:
        return await _page_of_days(tx, asked, wanted, shape, values)
    total = await ticket_counts.total(tx, wanted.counted)
    if asked.offset >= total:
        return [], total
    if total <= FEW:
        return await _fetch(tx, asked.size, asked.offset, _short_way(shape), values), total
    shape = msgspec.structs.replace(shape, along=await _shortest_walk(tx, wanted, sort))
    if asked.offset >= FEW and sort == "created_at" and len(wanted.counted) <= 1:
        return await _far_page(tx, asked, wanted, shape, values), total
    return await _fetch(tx, asked.size, asked.offset, shape, values), total


def _short_way(shape: _Shape) -> _Shape:
    """When few are asked for: exactly those, or with no filter at all, the whole short list."""
    return msgspec.structs.replace(shape, is_sorted=True, by_cells=True) if shape.filters else shape


async def _page_of_days(
    tx: Transaction, asked: Page, wanted: Wanted, shape: _Shape, values: dict[str, Any]
) -> tuple[list[TicketEntry], int]:
    """Of one kind the days are counted; of a mixture the tickets of the rarer kind are, within the days."""
    if len(wanted.counted) > 1:
        shape = msgspec.structs.replace(shape, is_sorted=shape.sort != "created_at", along=_alone(wanted))
        return await _counted_page(tx, asked, shape, values)
    total = sum((await ticket_counts.in_days(tx, _day_name(wanted), wanted.since, wanted.until)).values())
    if asked.offset >= total:
        return [], total
    if shape.sort != "created_at":
        shape = msgspec.structs.replace(shape, is_sorted=True)
        return await _fetch(tx, asked.size, asked.offset, shape, values), total
    shape = msgspec.structs.replace(shape, along=_alone(wanted))
    if asked.offset >= FEW:
        return await _far_page(tx, asked, wanted, shape, values), total
    return await _fetch(tx, asked.size, asked.offset, shape, values), total


async def _counted_page(
    tx: Transaction, asked: Page, shape: _Shape, values: dict[str, Any]
) -> tuple[list[TicketEntry], int]:
    ((total,),) = await tx.all(_total_query(shape), **_bound(values))
    if asked.offset >= total:
        return [], int(total)
    return await _fetch(tx, asked.size, asked.offset, shape, values), int(total)


async def _far_page(
    tx: Transaction, asked: Page, wanted: Wanted, shape: _Shape, values: dict[str, Any]
) -> list[TicketEntry]:
    """From the day on in which the page begins: it costs what the first page does."""
    days = await ticket_counts.in_days(tx, _day_name(wanted), wanted.since, wanted.until)
    edge, skip = ticket_counts.place(days, asked.offset, shape.order)
    values = values | {"until" if shape.order == "desc" else "since": edge}
    return await _fetch(tx, asked.size, skip, msgspec.structs.replace(shape, filters=frozenset(values)), values)


async def _fetch(tx: Transaction, size: int, skip: int, shape: _Shape, values: dict[str, Any]) -> list[TicketEntry]:
    return await tx.all(_page_query(shape), size=size, skip=skip, **_bound(values))


def _values(wanted: Wanted) -> dict[str, Any]:
    """The filters that are asked for, by the names of their conditions."""
    found = {
        name: value
        for name in wanted.__struct_fields__
        if (value := getattr(wanted, name)) is not None and name != "term"
    }
    if found.get("agent") == NOBODY:
        found["nobody"] = found.pop("agent")
    term = folded(wanted.term)
    if match := _NUMBER.fullmatch(term):
        found["number"] = int(match[1])
    elif term:
        found["short_term" if len(term) < SHORTEST_INDEXED_TERM else "term"] = term
    return found


def _bound(values: dict[str, Any]) -> dict[str, Any]:
    return {f"wanted_{name}": value for name, value in values.items() if name != "nobody"}


async def _shortest_walk(tx: Transaction, wanted: Wanted, sort: Sort) -> str | None:
    """Of the filters that have an index in this order, the one with the fewest tickets."""
    filters = {name: value for name, value in wanted.counted.items() if name in _WALKED[sort]}
    if len(filters) > 1:
        totals = {name: await ticket_counts.total(tx, {name: value}) for name, value in filters.items()}
        rarest = min(totals, key=lambda name: totals[name])
        filters = {rarest: filters[rarest]}
    return _alone(Wanted(**filters))


def _alone(wanted: Wanted) -> str | None:
    """The condition of the only filter there is, or of the first."""
    name = next(iter(wanted.counted), None)
    return "nobody" if name == "agent" and wanted.agent == NOBODY else name


def _day_name(wanted: Wanted) -> str:
    """What the tickets of this filter are called where they are counted by day."""
    return next((f"{name}.{value}" for name, value in wanted.counted.items()), ticket_counts.ALL)


@cache
def _total_query(shape: _Shape) -> Query[tuple[Any, ...]]:
    return Query(_filtered(select(func.count()).select_from(support_tickets), shape))


@cache
def _page_query(shape: _Shape) -> Query[TicketEntry]:
    """The page is cut from the keys alone; only its rows are joined."""
    keys = _filtered(select(support_tickets.c.id), shape).order_by(*_ordered(shape, is_free=shape.is_sorted))
    cut = keys.limit(bindparam("size")).offset(bindparam("skip")).subquery()
    return Query(
        select(*ENTRY)
        .select_from(cut)
        .join(support_tickets, support_tickets.c.id == cut.c.id)
        .join(customers, customers.c.id == support_tickets.c.customer_id)
        .outerjoin(users, users.c.id == support_tickets.c.assigned_to_id)
        .order_by(*_ordered(shape, is_free=False)),
        TicketEntry,
    )


def _ordered(shape: _Shape, *, is_free: bool) -> list[Any]:
    """By the sort and then the id; `is_free` keeps the engine from walking the index of that order."""
    column: Any = support_tickets.c[shape.sort]
    columns: list[Any] = [Unindexed(column) if is_free else column, support_tickets.c.id]
    return [each.desc() for each in columns] if shape.order == "desc" else columns


def _filtered(query: Select[Any], shape: _Shape) -> Select[Any]:
    query = query.where(*(_condition(name, shape) for name in sorted(shape.filters)))
    if shape.by_cells:
        for name in _CHOICES.keys() - shape.filters:
            query = query.where(_COLUMNS[name].in_([literal_column(f"'{word}'") for word in _CHOICES[name].__args__]))
    return query


def _condition(name: str, shape: _Shape) -> Any:
    text: Any = support_tickets.c.search_text
    is_searched = bool(shape.filters & {"term", "short_term"})
    created_at: Any = Unindexed(support_tickets.c.created_at) if is_searched else support_tickets.c.created_at
    if name == "since":
        return created_at >= bindparam("wanted_since")
    if name == "until":
        return created_at < bindparam("wanted_until")
    if name in ("term", "short_term"):
        contains = Contains if name == "term" else ContainsShort
        return contains(text, bindparam(f"wanted_{name}", type_=text.type))
    column = _COLUMNS[name] if _leads(name, shape) else Unindexed(_COLUMNS[name])
    return column.is_(None) if name == "nobody" else column == bindparam(f"wanted_{name}")


def _leads(name: str, shape: _Shape) -> bool:
    """Whether the engine may go by the index of this filter."""
    leading = next((key for key in ("number", "order_id", "customer_id") if key in shape.filters), shape.along)
    return shape.by_cells or name == leading
