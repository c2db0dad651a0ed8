"""Which rows of each table are read: all of them, or those of a customer, or those changed since a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Boolean, ColumnElement, Table, Text, and_, func, or_, select

from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import StartupError
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, metadata

# Parents before children.
TABLES: tuple[Table, ...] = tuple(metadata.sorted_tables)
# Enough to be fast, few enough for a table of any size.
BATCH = 1_000

Row = tuple[Any, ...]
OLD, NEW = "The database of the store", "The new database"
# The first of these that a table has says when a row was last changed.
_TIMES = ("updated_at", "created_at", "at")


class Field(NamedTuple):
    """A column as others see it."""

    name: str
    # `document`, `money`, `instant`, `flag`, `text` or `number`.
    kind: str
    is_optional: bool


def _fields(table: Table) -> tuple[Field, ...]:
    return tuple(Field(str(column.name), _kind(column), bool(column.nullable)) for column in table.c)


def _kind(column: Any) -> str:
    plain = "flag" if isinstance(column.type, Boolean) else "text" if isinstance(column.type, Text) else "number"
    return str(column.info.get("kind", plain))


FIELDS = {str(table.name): _fields(table) for table in TABLES}
# Those that give out ids.
NUMBERED = tuple(str(table.name) for table in TABLES if "id" in table.c)


class Source(Protocol):
    """One moment of a store."""

    # What the database raises when it fails.
    errors: tuple[type[Exception], ...]

    async def stamp(self) -> str | None:
        """The version of its schema."""
        ...

    def batches(self, query: Query[Row]) -> AsyncIterator[list[Row]]: ...

    async def last_ids(self) -> dict[str, int]:
        """The last id that each table gave out, which may be that of a deleted row."""
        ...

    async def mark_moved(self, destination: str) -> None:
        """Ends the moment: from now on no process can write to this database."""
        ...

    async def close(self) -> None: ...


class Target(Protocol):
    """An empty database that is filled completely or not at all."""

    errors: tuple[type[Exception], ...]

    async def begin(self) -> None:
        """Creates the tables; raises if there is anything in the way."""
        ...

    async def load(self, table: str, batches: AsyncIterator[list[Row]]) -> None: ...

    async def commit(self, last_ids: Mapping[str, int], stamp: str) -> None: ...

    async def close(self) -> None: ...


@contextmanager
def blamed(database: str, errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Two databases are open, and the one that failed is named. Drivers add lines for those who write the SQL."""
    try:
        yield
    except errors as error:
        first, *_ = str(error).splitlines() or [type(error).__name__]
        raise StartupError(f"{database} failed: {first.rstrip('.')}.") from None


class Selection(NamedTuple):
    """What is read; all of the store if nothing is set."""

    customer: int | None = None
    since: Instant | None = None
    only: Sequence[str] = ()


def queries(selection: Selection) -> dict[str, Query[Row]]:
    """What reads the rows of each table, in the order of their keys."""
    conditions = _conditions(selection)
    return {
        table.name: Query(select(*table.c).where(which).order_by(*table.primary_key)) for table, which in conditions
    }


async def count_rows(source: Source, selection: Selection) -> int:
    rows = 0
    for table, which in _conditions(selection):
        async for ((count,),) in source.batches(Query(select(func.count()).select_from(table).where(which))):
            rows += count
    return rows


def _conditions(selection: Selection) -> list[tuple[Table, Any]]:
    of_customer = _of_customer(selection.customer) if selection.customer is not None else None
    since = _since(selection.since) if selection.since is not None else {}
    read = []
    for table in TABLES:
        if (selection.only and table.name not in selection.only) or (
            of_customer is not None and table not in of_customer
        ):
            continue
        parts = [conditions[table] for conditions in (of_customer or {}, since) if table in conditions]
        read.append((table, and_(True, *parts)))
    return read


def _of_customer(customer: int) -> dict[Table, ColumnElement[bool]]:
    """The rows that name the customer, or belong to a row that does."""
    conditions: dict[Table, ColumnElement[bool]] = {customers: customers.c.id == customer}
    for table in TABLES:
        direct = [column == customer for column, parent in _links(table) if parent is customers]
        if table is not customers and (parts := direct or _children(table, conditions)):
            conditions[table] = or_(*parts)
    return conditions


def _since(since: Instant) -> dict[Table, ColumnElement[bool]]:
    """A table without times follows the row it belongs to, its first reference: lines their order, not their product.

    One that belongs to nothing is read whole.
    """
    conditions: dict[Table, ColumnElement[bool]] = {}
    for table in TABLES:
        time = next((name for name in _TIMES if name in table.c), None)
        if time:
            conditions[table] = table.c[time] >= since
        elif parts := _children(table, conditions):
            conditions[table] = parts[0]
    return conditions


def _children(table: Table, conditions: dict[Table, ColumnElement[bool]]) -> list[ColumnElement[bool]]:
    links = [(column, parent) for column, parent in _links(table) if parent in conditions and parent is not table]
    return [column.in_(select(parent.c.id).where(conditions[parent])) for column, parent in links]


def _links(table: Table) -> list[tuple[Any, Table]]:
    return [(column, key.column.table) for column in table.c for key in column.foreign_keys]
