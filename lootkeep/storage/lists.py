"""The one way to list, filter, sort, search, page and count the rows of a table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    Table,
    bindparam,
    func,
    literal_column,
    select,
)

from lootkeep.kernel.clock import DAY
from lootkeep.kernel.paging import ListRequest, SortDirection
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import MASKED, Filter, term_filters
from lootkeep.storage.rows import columns_of
from lootkeep.storage.totals import counters

R = TypeVar("R")

MAX_QUERIES = 256

Values = Mapping[str, Any]
# The maintained total of the rows that match these filters; None if there is none.
MaintainedTotal = Callable[[Transaction, Values], Awaitable[int | None]]


@dataclass(frozen=True)
class Sort:
    """What to sort by, and where rows without a value come."""

    by: Any
    nulls: Literal["smallest", "largest"] | None = None

    def ordered(self, by: Any, key: Any, order: SortDirection) -> tuple[Any, Any]:
        if order == "asc":
            first = {"smallest": by.asc().nulls_first(), "largest": by.asc().nulls_last(), None: by.asc()}
            return first[self.nulls], key.asc()
        first = {"smallest": by.desc().nulls_last(), "largest": by.desc().nulls_first(), None: by.desc()}
        return first[self.nulls], key.desc()


class Join(NamedTuple):
    """A joined table with columns that are shown in each row of a page."""

    table: Any
    on: ColumnElement[bool]
    is_optional: bool = False


@dataclass(frozen=True)
class ByDay:
    """How many rows each UTC day has that match, if only these filters are set, by the time of the default order."""

    counts: Callable[[Transaction, Values], Awaitable[list[tuple[int, int]]]]
    filters: AbstractSet[str] = frozenset()


@dataclass(frozen=True)
class Counted:
    """The total is the sum of these counters, if only these filters are set. The first page brings it along."""

    names: Callable[[Values], Iterable[str]]
    filters: AbstractSet[str] = frozenset()

    def knows(self, values: Values) -> bool:
        return values.keys() <= self.filters

    async def __call__(self, tx: Transaction, values: Values) -> int | None:
        return await counters.total(tx, self.names(values)) if self.knows(values) else None


class Shape(NamedTuple):
    """The shape of a request: a query is compiled once per shape."""

    filters: tuple[str, ...]
    sort: str
    order: SortDirection
    # The matches are fetched by the index of their filter, then sorted.
    is_fetched: bool
    # Every row comes with the maintained total.
    has_total: bool
    # The size of a first page as a literal: PostgreSQL plans a LIMIT parameter again each time, which takes longer than
    # the query.
    first_rows: int | None
    # Whether the page is cut from one day on.
    has_day: bool = False


@dataclass(eq=False)
class Listing(Generic[R]):
    """A table as a list.

    The filters are in the order in which they narrow the list down: the first that is set and has an index leads. The
    first sort is the default order.
    """

    table: Table
    record: Callable[..., R]
    filters: Mapping[str, Filter]
    sorts: Mapping[str, Sort]
    maintained: MaintainedTotal | None = None
    by_day: ByDay | None = None
    # More rows than this are not skipped one by one: the page begins at its day.
    max_skipped: int = 100_000
    # The condition of all listed rows.
    always: tuple[ColumnElement[bool], ...] = ()
    # The fields of the record, if they are not only columns of the table.
    columns: tuple[ColumnElement[Any], ...] = ()
    joins: tuple[Join, ...] = ()
    search: Callable[[str], dict[str, Any]] = term_filters
    # Up to this many matches are fetched by the index of their filter and sorted; more are found soon along the index
    # of the sort.
    max_sorted: int = 20_000
    # A log without a maintained total counts at most this many rows from the first one of the page on; None: all.
    max_counted: int | None = None
    _queries: dict[Any, Query[Any]] = field(default_factory=dict)

    def values(self, filters: Mapping[str, Any]) -> dict[str, Any]:
        """By name, with those of a search; with `masks` it must not find parts of e-mails."""
        values = dict(filters)
        masks = values.pop("masks", False)
        if "search" in values:
            term = self.search(values.pop("search"))
            hidden = {name: f"{name}{MASKED}" for name in term if masks and f"{name}{MASKED}" in self.filters}
            values |= {hidden.get(name, name): value for name, value in term.items()}
        return values

    async def page(self, tx: Transaction, request: ListRequest) -> tuple[list[R], int]:
        """The page, and how many rows there are on all pages, unless they are not all counted."""
        values = self.values(request.filters)
        bound = {f"wanted_{name}": value for name, value in values.items()}
        names = tuple(name for name in self.filters if name in values)
        size, skip = request.page.size, request.page.offset
        is_by_sort = self._is_by_sort(names, request.sort)
        if isinstance(self.maintained, Counted) and self.maintained.knows(values) and is_by_sort and not skip:
            shape = Shape(names, request.sort, request.order, is_fetched=False, has_total=True, first_rows=size)
            names_of_counters = counters.joined(self.maintained.names(values))
            rows = await tx.all(self._page(shape), **bound, counters=names_of_counters)
            return [row for _, row in rows], rows[0][0] if rows else 0
        limit = {} if self.max_counted is None else {"counted": skip + self.max_counted}
        total = await self._total(tx, names, values, bound | limit)
        if skip >= total:
            return [], total
        is_fetched = not is_by_sort and total <= self.max_sorted and self.is_counted(request, total)
        cut: dict[str, int] = {"size": size, "skip": skip} if skip else {}
        has_day = skip > self.max_skipped and self._knows_days(request.sort, values)
        if has_day:
            cut |= await self._cut_of_day(tx, request.order, values, skip)
        first_rows = None if skip else size
        shape = Shape(names, request.sort, request.order, is_fetched, False, first_rows, has_day)
        return await tx.all(self._page(shape), **bound, **cut), total

    def _knows_days(self, sort: str, values: Values) -> bool:
        return self.by_day is not None and sort == next(iter(self.sorts)) and values.keys() <= self.by_day.filters

    async def _cut_of_day(self, tx: Transaction, order: SortDirection, values: Values, skip: int) -> dict[str, int]:
        """From which time on, and how many rows of that day come before the page."""
        assert self.by_day
        is_newest_first = order == "desc"
        begin = 0
        for day, count in sorted(await self.by_day.counts(tx, values), reverse=is_newest_first):
            begin = (day + 1 if is_newest_first else day) * DAY
            if count > skip:
                break
            skip -= count
        return {"skip": skip, "day": begin}

    def is_counted(self, request: ListRequest, total: int) -> bool:
        """Whether there are no more rows than the total of this page says."""
        return self.max_counted is None or total < request.page.offset + self.max_counted

    async def _total(self, tx: Transaction, names: tuple[str, ...], values: Values, bound: Values) -> int:
        total = await self.maintained(tx, values) if self.maintained else None
        if total is None:
            ((total,),) = await tx.all(self._compiled(names, lambda: self._count_query(names)), **bound)
        return int(total)

    def _page(self, shape: Shape) -> Query[Any]:
        return self._compiled(shape, lambda: self._page_query(shape))

    def _compiled(self, key: Any, make: Callable[[], Query[Any]]) -> Query[Any]:
        """There are more shapes than anyone uses: the most recently used stay."""
        query = self._queries.pop(key, None) or make()
        self._queries[key] = query
        if len(self._queries) > MAX_QUERIES:
            del self._queries[next(iter(self._queries))]
        return query

    def _leading(self, names: tuple[str, ...]) -> Filter | None:
        return next((self.filters[name] for name in names if self.filters[name].index), None)

    def _is_in_order(self, leading: Filter | None, sort: str) -> bool:
        """Whether the leading filter's index returns its matches in sort order."""
        if leading is None:
            return False
        is_default = sort == next(iter(self.sorts))
        return leading.column is self.sorts[sort].by or (leading.index == "sorted" and is_default)

    def _is_by_sort(self, names: tuple[str, ...], sort: str) -> bool:
        """Whether an index returns the matches in sort order, however many there are."""
        leading = self._leading(names)
        return leading is None or self._is_in_order(leading, sort)

    def _count_query(self, names: tuple[str, ...]) -> Query[tuple[Any, ...]]:
        sort = next(iter(self.sorts))
        conditions = self._conditions(names, sort, is_fetched=True)
        if self.max_counted is None:
            return Query(select(func.count()).select_from(self.table).where(*conditions))
        (key,) = self.table.primary_key
        matches = select(key).where(*conditions).limit(bindparam("counted"))
        if self._is_by_sort(names, sort):
            # By an index: PostgreSQL would look for the first matches in the table, even at its end.
            matches = matches.order_by(self.sorts[sort].by.desc())
        return Query(select(func.count()).select_from(matches.subquery()))

    def _conditions(self, names: tuple[str, ...], sort: str, *, is_fetched: bool) -> list[Any]:
        """SQLite has no statistics and would use any filter's index: only useful ones are shown to it."""
        leading = self._leading(names)
        columns = [self.sorts[sort].by]
        if is_fetched and leading:
            columns = [leading.column]
        if self._is_in_order(leading, sort) and leading:
            columns = [leading.column, self.sorts[sort].by]
        return [
            *self.always,
            *(self.filters[name].clause(is_indexed=_is_among(self.filters[name].column, columns)) for name in names),
        ]

    def _page_query(self, shape: Shape) -> Query[Any]:
        """The page is cut from the keys alone; only its rows are fetched and joined."""
        (key,) = self.table.primary_key
        sort = self.sorts[shape.sort]
        conditions = self._conditions(shape.filters, shape.sort, is_fetched=shape.is_fetched)
        if shape.has_day:
            conditions.append(sort.by < bindparam("day") if shape.order == "desc" else sort.by >= bindparam("day"))
        keys = select(key.label("key"), sort.by.label("position")).where(*conditions)
        if shape.is_fetched:
            fetched = keys.cte("fetched").prefix_with("MATERIALIZED")
            cut = select(fetched.c.key, fetched.c.position)
            cut = cut.order_by(*sort.ordered(fetched.c.position, fetched.c.key, shape.order))
        else:
            cut = keys.order_by(*sort.ordered(sort.by, key, shape.order))
        if shape.first_rows is None:
            page = cut.limit(bindparam("size")).offset(bindparam("skip")).subquery()
        else:
            page = cut.limit(literal_column(str(shape.first_rows), Integer)).subquery()
        rows: Select[Any] = select(*(self.columns or columns_of(self.table, self.record)))
        rows = rows.select_from(page).join(self.table, key == page.c.key)
        for join in self.joins:
            rows = rows.join(join.table, join.on, isouter=join.is_optional)
        rows = rows.order_by(*sort.ordered(page.c.position, page.c.key, shape.order))
        if shape.has_total:
            record = self.record
            total = counters.SUM.scalar_subquery().label("total")
            return Query(
                rows.with_only_columns(total, *rows.selected_columns), lambda total, *row: (total, record(*row))
            )
        return Query(rows, self.record)


def _is_among(column: Any, columns: Iterable[Any]) -> bool:
    return any(column is other for other in columns)
