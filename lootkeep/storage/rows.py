"""The one way to read and write single rows of a table: a record in, a record out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import asdict, replace
from sqlalchemy import BindParameter, ColumnElement, FromClause, Table, bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query

R = TypeVar("R")
S = TypeVar("S", bound=msgspec.Struct)


# Before the name of a table that consoles show.
SHOWN = "shown:"


class Rows(Generic[S]):
    """The rows of a table as records, whose fields are columns of the table.

    `always` are conditions for every read, such as "not deleted". `derived` are columns that are properties of the
    record, such as search text. `totals` names the source of the maintained totals that every write is counted in.
    The database numbers new rows, unless the key of the table belongs to another: `accounts.user_id`. With `key_share`
    a row is locked as by an UPDATE: a new row that refers to it neither waits nor deadlocks. With `is_shown`
    open consoles hear of every write.
    """

    def __init__(
        self,
        table: Table,
        record: type[S],
        *always: ColumnElement[bool],
        derived: Sequence[str] = (),
        totals: str | None = None,
        key_share: bool = False,
        is_shown: bool = False,
    ) -> None:
        (self._key,) = table.primary_key
        self._table, self._record, self._always = table, record, always
        self._is_numbered = table.autoincrement_column is self._key
        self._derived, self._totals, self._key_share = derived, totals, key_share
        self._is_shown = is_shown
        self._this = self._key == bindparam("row")
        self._select = select(*columns_of(table, record))
        self._get = Query(self._select.where(self._this, *always), record)
        self._lock = Query(self._select.where(self._this, *always).with_for_update(key_share=key_share), record)
        self._remove = Query(delete(table).where(self._this))
        # One query for each set of columns that is searched or written, made when it is first needed.
        self._finding: dict[tuple[bool, tuple[str, ...]], Query[S]] = {}
        self._ids: dict[str, Query[tuple[Any, ...]]] = {}
        self._adding: dict[tuple[str, ...], Query[Any]] = {}
        self._adding_free: dict[tuple[str, ...], Query[S]] = {}
        self._saving: dict[tuple[str, ...], Query[Any]] = {}

    async def get(self, tx: Transaction, row_id: int | str) -> S | None:
        return await tx.one(self._get, row=row_id)

    async def lock(self, tx: Transaction, row_id: int) -> S | None:
        """Locked until the transaction ends: two operations on one row run one after the other."""
        return await tx.one(self._lock, row=row_id)

    async def get_many(self, tx: Transaction, row_ids: Iterable[int]) -> dict[int, S]:
        return await self._many(tx, self._get, row_ids)

    async def lock_many(self, tx: Transaction, row_ids: Iterable[int]) -> dict[int, S]:
        """In the order of their ids, so no two transactions deadlock."""
        return await self._many(tx, self._lock, row_ids)

    async def _many(self, tx: Transaction, query: Query[S], row_ids: Iterable[int]) -> dict[int, S]:
        rows = await tx.fetch_for_each(query, [{"row": row_id} for row_id in sorted(set(row_ids))])
        return {getattr(row, self._key.name): row for row in rows}

    async def find(self, tx: Transaction, **equal: Any) -> list[S]:
        """The rows with these values, by id."""
        return await self._find(tx, equal, is_locked=False)

    async def find_one(self, tx: Transaction, **equal: Any) -> S | None:
        rows = await self._find(tx, equal, is_locked=False)
        return rows[0] if rows else None

    async def lock_one(self, tx: Transaction, **equal: Any) -> S | None:
        rows = await self._find(tx, equal, is_locked=True)
        return rows[0] if rows else None

    async def _find(self, tx: Transaction, equal: dict[str, Any], *, is_locked: bool) -> list[S]:
        shape = (is_locked, tuple(equal))
        if shape not in self._finding:
            conditions = (self._table.c[name] == bindparam(f"of_{name}") for name in equal)
            query = self._select.where(*conditions, *self._always).order_by(self._key)
            self._finding[shape] = Query(
                query.with_for_update(key_share=self._key_share) if is_locked else query, self._record
            )
        return await tx.all(self._finding[shape], **{f"of_{name}": value for name, value in equal.items()})

    async def ids_by(self, tx: Transaction, column: str, values: Iterable[str]) -> dict[str, int]:
        """The ids of the rows with one of these values, which are unique in the column."""
        if column not in self._ids:
            this = self._table.c[column]
            self._ids[column] = Query(select(this, self._key).where(this == bindparam("wanted"), *self._always))
        return dict(await tx.fetch_for_each(self._ids[column], [{"wanted": value} for value in dict.fromkeys(values)]))

    async def add(self, tx: Transaction, new: S, **other: Any) -> S:
        """Stores a new record and assigns its id; `other` are values of columns that are not fields of the record."""
        (stored,) = await self.add_many(tx, [new], **other)
        return stored

    async def add_many(self, tx: Transaction, new: Sequence[S], **other: Any) -> list[S]:
        key, rows = self._key.name, [self._new_values(record) | other for record in new]
        ids = tx.take_ids(self._table.name, len(new)) if self._is_numbered else [getattr(record, key) for record in new]
        if ids is None:
            ids = await tx.insert(self._query_to_add(tuple(other)), rows)
        else:
            rows = [row | {key: row_id} for row, row_id in zip(rows, ids, strict=True)]
            await tx.execute_many(self._query_to_add((key, *other)), rows)
        new = [replace(record, **{key: row_id}) for record, row_id in zip(new, ids, strict=True)]
        for record in new:
            self._count(tx, None, record)
        return list(new)

    async def add_if_free(self, tx: Transaction, new: S, **other: Any) -> S | None:
        """The same; None if a unique value of the record is taken."""
        stored = await self.add_free(tx, [new], **other)
        return stored[0] if stored else None

    async def add_free(self, tx: Transaction, new: Sequence[S], **other: Any) -> list[S]:
        """Those with no unique value that is taken."""
        names = tuple(other)
        if names not in self._adding_free:
            # ON CONFLICT reads the same in both dialects; SQLAlchemy spells it in the dialect modules only.
            query = postgresql.insert(self._table).values(self._parameters(names)).on_conflict_do_nothing()
            self._adding_free[names] = Query(query.returning(*columns_of(self._table, self._record)), self._record)
        rows = [self._new_values(record) | other for record in new]
        stored = await tx.fetch_for_each(self._adding_free[names], rows)
        for record in stored:
            self._count(tx, None, record)
        return stored

    async def save(self, tx: Transaction, before: S, after: S) -> S:
        """Writes the columns that differ."""
        old, new = self._values(before), self._values(after)
        changed = {name: value for name, value in new.items() if value != old[name]}
        if changed:
            names = tuple(changed)
            if names not in self._saving:
                query = update(self._table).where(self._this).values({name: bindparam(name) for name in names})
                self._saving[names] = Query(query)
            await tx.run(self._saving[names], row=getattr(after, self._key.name), **changed)
            self._count(tx, before, after)
        return after

    async def remove(self, tx: Transaction, row: S) -> None:
        await tx.run(self._remove, row=getattr(row, self._key.name))
        self._count(tx, row, None)

    def _query_to_add(self, other: tuple[str, ...]) -> Query[Any]:
        if other not in self._adding:
            self._adding[other] = Query(insert(self._table).values(self._parameters(other)), set_based=True)
        return self._adding[other]

    def _new_values(self, record: S) -> dict[str, Any]:
        values = self._values(record)
        return values if self._is_numbered else values | {self._key.name: getattr(record, self._key.name)}

    def _values(self, record: S) -> dict[str, Any]:
        values = asdict(record)
        del values[self._key.name]
        return values | {name: getattr(record, name) for name in self._derived}

    def _parameters(self, other: tuple[str, ...]) -> dict[str, Any]:
        fields = (name for name in self._record.__struct_fields__ if name != self._key.name or not self._is_numbered)
        return {name: bindparam(name) for name in (*fields, *self._derived, *other)}

    def _count(self, tx: Transaction, before: S | None, after: S | None) -> None:
        if self._is_shown:
            show(tx, self._table)
        if self._totals:
            tx.totals.count(self._totals, before, after)


def insertion(table: Table, *columns: str, set_based: bool = False) -> Query[Any]:
    """Adds a row that no record describes: its arguments have the names of the columns."""
    return Query(insert(table).values({name: bindparam(name) for name in columns}).inline(), set_based=set_based)


def show(tx: Transaction, table: Table) -> None:
    """Has open consoles look at what they show of a table, after the commit; no worker waits for this name."""
    tx.wake(SHOWN + table.name)


async def one_of(
    tx: Transaction, table: Table, column: str, record: Callable[..., R], values: Sequence[int]
) -> list[R]:
    """The rows with one of the values in this column: related rows of a page, or of a batch of an export."""
    distinct, rows = sorted(set(values)), []
    for start in range(0, len(distinct), _LENGTHS[-1]):
        these = padded(distinct[start : start + _LENGTHS[-1]])
        query = _one_of(table, column, record, len(these))
        rows += await tx.all(query, **{f"of_{number}": value for number, value in enumerate(these)})
    return rows


_LENGTHS = (1, 5, 15, 50, 100)


def padded(values: Iterable[int]) -> list[int]:
    """The different ones, the last of them repeated, so that there are few queries of different lengths."""
    distinct = sorted(set(values))
    length = next(size for size in _LENGTHS if size >= len(distinct))
    return distinct + distinct[-1:] * (length - len(distinct))


@cache
def _one_of(table: Table, column: str, record: Callable[..., R], length: int) -> Query[R]:
    these: list[BindParameter[int]] = [bindparam(f"of_{number}") for number in range(length)]
    query = select(*columns_of(table, record)).where(table.c[column].in_(these))
    return Query(query.order_by(table.c.id), record)


def columns_of(table: Table, record: Callable[..., Any], **joined: FromClause) -> tuple[Any, ...]:
    """The columns of a record's fields, in order: with `customer=customers`, `customer_name` is their `name`."""
    fields: tuple[str, ...] = getattr(record, "__struct_fields__")  # noqa: B009  not every callable has them
    return tuple(table.c[name] if name in table.c else _joined(name, joined) for name in fields)


def _joined(name: str, joined: dict[str, FromClause]) -> Any:
    for area, other in joined.items():
        column = name.removeprefix(f"{area}_")
        if column != name and column in other.c:
            return other.c[column].label(name)
    # Under its own name, which only one of them has.
    (own,) = (other.c[name] for other in joined.values() if name in other.c)
    return own
