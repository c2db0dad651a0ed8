"""Lists that are filtered and sorted in many ways, each page by an index, however long the list is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar

from sqlalchemy import BindParameter, ColumnElement, Select, Table, bindparam, func, select

from lootkeep.kernel.paging import Order, Page
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import Unindexed
from lootkeep.storage.query import Query

R = TypeVar("R")

_MOST_QUERIES = 256

# A clause with its column as it is, so that its index leads, or kept out of the way of another index.
Clause = Callable[[bool], Any]


@dataclass(frozen=True)
class Filter:
    """One filter: its clause, and whether its index has the rows in the order of `created_at`."""

    clause: Clause
    is_sorted: bool = False


def equals(column: Any, name: str, *, is_sorted: bool = True) -> Filter:
    return Filter(lambda leads: (column if leads else Unindexed(column)) == _wanted(name, column), is_sorted)


def at_least(column: Any, name: str) -> Filter:
    return Filter(lambda leads: (column if leads else Unindexed(column)) >= _wanted(name, column))


def at_most(column: Any, name: str) -> Filter:
    return Filter(lambda leads: (column if leads else Unindexed(column)) <= _wanted(name, column))


def less_than(column: Any, name: str) -> Filter:
    return Filter(lambda leads: (column if leads else Unindexed(column)) < _wanted(name, column))


def _wanted(name: str, column: Any) -> Any:
    return bindparam(f"wanted_{name}", type_=column.type)


@dataclass(frozen=True)
class Sort:
    """What to sort by; of what may be null, nulls count as less than any value."""

    by: Any
    is_nullable: bool = False

    def ordered(self, by: Any, key: Any, order: Order) -> tuple[Any, Any]:
        if order == "desc":
            return (by.desc().nulls_last() if self.is_nullable else by.desc()), key.desc()
        return (by.asc().nulls_first() if self.is_nullable else by.asc()), key.asc()


@dataclass(frozen=True)
class Shape:
    """Which filters are set, the order, and how to go about it: a query is compiled once for each."""

    filters: tuple[str, ...]
    sort: str
    order: Order
    # The matches are gathered by the leading filter's index, then sorted.
    is_gathered: bool


@dataclass(eq=False)
class Listing(Generic[R]):
    """A table as a list. The filters stand in the order in which they narrow it down: the first that is set leads."""

    table: Table
    record: Callable[..., R]
    filters: Mapping[str, Filter]
    sorts: Mapping[str, Sort]
    # What holds of all rows that are listed.
    always: tuple[ColumnElement[bool], ...] = ()
    # So many matches are sorted faster than found one by one along another index.
    few: int = 2_000
    _queries: dict[Any, Query[Any]] = field(default_factory=dict)

    async def total(self, tx: Transaction, wanted: Mapping[str, Any]) -> int:
        """Counted along the leading filter's index."""
        names = self._names(wanted)
        ((total,),) = await tx.all(self._count(names), **_values(wanted))
        return int(total)

    async def page(
        self, tx: Transaction, asked: Page, wanted: Mapping[str, Any], sort: str, order: Order, total: int
    ) -> list[R]:
        """From whichever end is nearer: nothing costs more than the middle."""
        size = min(asked.size, total - asked.offset)
        if size <= 0:
            return []
        from_end = total - asked.offset - size
        is_turned = from_end < asked.offset
        names = self._names(wanted)
        shape = Shape(names, sort, _turned(order) if is_turned else order, self._is_gathered(names, sort, total))
        query = self._compiled(shape, lambda: self._page_query(shape))
        found = await tx.all(query, size=size, skip=from_end if is_turned else asked.offset, **_values(wanted))
        return found[::-1] if is_turned else found

    async def stretch(self, tx: Transaction, wanted: Mapping[str, Any], size: int, skip: int) -> list[R]:
        """Newest first, from a place that is known already."""
        shape = Shape(self._names(wanted), "created_at", "desc", is_gathered=False)
        query = self._compiled(shape, lambda: self._page_query(shape))
        return await tx.all(query, size=size, skip=skip, **_values(wanted))

    def _compiled(self, key: Any, make: Callable[[], Query[Any]]) -> Query[Any]:
        """There are more shapes than anyone asks for: those asked for last stay."""
        query = self._queries.pop(key, None) or make()
        self._queries[key] = query
        if len(self._queries) > _MOST_QUERIES:
            del self._queries[next(iter(self._queries))]
        return query

    def _names(self, wanted: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(name for name in self.filters if name in wanted)

    def _is_gathered(self, names: tuple[str, ...], sort: str, total: int) -> bool:
        if not names or (sort == "created_at" and self.filters[names[0]].is_sorted):
            return False
        return total <= self.few

    def _count(self, names: tuple[str, ...]) -> Query[tuple[Any, ...]]:
        counted = select(func.count()).select_from(self.table)
        return self._compiled(names, lambda: Query(counted.where(*self.always, *self._clauses(names, names[:1]))))

    def _clauses(self, names: tuple[str, ...], leading: tuple[str, ...]) -> list[Any]:
        return [self.filters[name].clause(name in leading) for name in names]

    def _page_query(self, shape: Shape) -> Query[R]:
        """The page is cut from the keys alone; only its rows are fetched."""
        table, sort = self.table, self.sorts[shape.sort]
        keys = select(table.c.id, sort.by.label("place")).where(
            *self.always, *self._clauses(shape.filters, self._leading(shape))
        )
        if shape.is_gathered:
            gathered = keys.cte("gathered").prefix_with("MATERIALIZED")
            order = sort.ordered(gathered.c.place, gathered.c.id, shape.order)
            cut = select(gathered.c.id, gathered.c.place).order_by(*order)
        else:
            cut = keys.order_by(*sort.ordered(sort.by, table.c.id, shape.order))
        page = cut.limit(bindparam("size")).offset(bindparam("skip")).subquery()
        rows: Select[Any] = select(*columns_of(table, self.record)).select_from(page)
        rows = rows.join(table, table.c.id == page.c.id)
        return Query(rows.order_by(*sort.ordered(page.c.place, page.c.id, shape.order)), self.record)

    def _leading(self, shape: Shape) -> tuple[str, ...]:
        """The filters whose index may be used: none when the list is walked along the index of its order."""
        if shape.is_gathered:
            return shape.filters[:1]
        ranges = self._ranges_of(shape.sort)
        if shape.sort == "created_at" and shape.filters and self.filters[shape.filters[0]].is_sorted:
            return (shape.filters[0], *ranges)
        return ranges

    def _ranges_of(self, sort: str) -> tuple[str, ...]:
        """The filters that cut a stretch out of the very index that is walked along."""
        return _RANGES.get(sort, ())


_RANGES: dict[str, tuple[str, ...]] = {
    "created_at": ("from", "to"),
    "total": ("min_total", "max_total"),
    "price": ("min_price", "max_price"),
    "total_spent": ("min_total_spent",),
    "stock": ("in_stock", "out_of_stock"),
    "orders_count": ("has_orders", "has_no_orders"),
}


async def among(tx: Transaction, table: Table, column: str, record: Callable[..., R], values: Sequence[int]) -> list[R]:
    """The rows whose column has one of the values, by id: what goes with the rows of a page."""
    if not values:
        return []
    wanted = sorted(set(values))
    # The last one several times over: so there are few queries of different lengths.
    length = next(size for size in _LENGTHS if size >= len(wanted))
    wanted += wanted[-1:] * (length - len(wanted))
    return await tx.all(_among(table, column, record, length), **{f"of_{i}": value for i, value in enumerate(wanted)})


_LENGTHS = (1, 5, 15, 50, 100)


@cache
def _among(table: Table, column: str, record: Callable[..., R], length: int) -> Query[R]:
    these: list[BindParameter[int]] = [bindparam(f"of_{number}") for number in range(length)]
    query = select(*columns_of(table, record)).where(table.c[column].in_(these))
    return Query(query.order_by(table.c.id), record)


def columns_of(table: Table, record: Callable[..., Any]) -> list[Any]:
    fields: tuple[str, ...] = getattr(record, "__struct_fields__")  # noqa: B009  not every callable has them
    return [table.c[name] for name in fields]


def _turned(order: Order) -> Order:
    return "asc" if order == "desc" else "desc"


def _values(wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {f"wanted_{name}": value for name, value in wanted.items() if value is not None}
