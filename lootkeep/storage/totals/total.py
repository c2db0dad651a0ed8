"""A maintained total: one declaration of what a record adds, which also gives the SQL of the total."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any

from sqlalchemy import BigInteger, Boolean, FromClause, Select, Table, Text, bindparam, case, cast, func, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql import literal_column

from lootkeep.kernel.clock import DAY, MINUTE
from lootkeep.storage.engine.query import Query

# Every time zone of the last fifty years is a multiple of this from UTC, so its days start with such a block.
QUARTER = 15 * MINUTE
# The levels of the blocks of time in which values are summed. Blocks are counted since the epoch.
QUARTERS, DAYS = 0, 1
LENGTHS = {QUARTERS: QUARTER, DAYS: DAY}

# When, under which key and how much a record adds.
Added = tuple[int, tuple[Any, ...], tuple[int, ...]]


class Constant(str):
    """A key that is the same for all rows."""

    __slots__ = ()


class TextKey(tuple[str, ...]):
    """A key of words: a prefix, and the values of these fields."""

    __slots__ = ()


class SumTable:
    """A table of sums by key. Each is the sum of its shards: concurrent writers usually use different ones."""

    def __init__(self, table: Table) -> None:
        self.table = table
        keys = [column.name for column in table.primary_key if column.name != "shard"]
        self.key = sorted(keys, key=lambda name: name not in ("level", "block"))
        self.sums = [column.name for column in table.c if not column.primary_key]
        new: dict[str, Any] = {name: bindparam(f"new_{name}") for name in (*self.key, "shard", *self.sums)}
        self.names = tuple(f"new_{name}" for name in new)
        self.add = Query(self.added_to(postgresql.insert(table).values(new)), set_based=True)

    def added_to(self, insert: postgresql.Insert) -> postgresql.Insert:
        """Existing rows grow by the inserted values."""
        sums = {name: self.table.c[name] + insert.excluded[name] for name in self.sums}
        return insert.on_conflict_do_update(index_elements=list(self.table.primary_key), set_=sums)


@dataclass(frozen=True, eq=False)
class Total:
    """What each row of a source adds to a table of sums.

    Fields are columns of the source in SQL, and attributes of its records.
    """

    sums: SumTable
    source: str
    # By column of the key: a field, a constant or a name.
    key: Mapping[str, str | TextKey]
    # By column of the sums: a field, or how much each row counts.
    adds: Mapping[str, str | int]
    # With a time, the total is maintained for the block of each of these levels, the finest first.
    at: str | None = None
    levels: tuple[int, ...] = ()
    # Only rows that have a value in these fields, and this value in those.
    required: tuple[str, ...] = ()
    where: Mapping[str, Any] = field(default_factory=dict)

    def of(self, record: Any) -> Added | None:
        """What a record adds; None if nothing."""
        at = 0 if self.at is None else getattr(record, self.at)
        if at is None:
            return None
        for name in self.required:
            if getattr(record, name) is None:
                return None
        for name, value in self.where.items():
            if getattr(record, name) != value:
                return None
        adds = [getattr(record, add) if isinstance(add, str) else add for add in self.adds.values()]
        return at, tuple([part(record) for part in self._key_parts]), tuple(adds)

    @cached_property
    def fields(self) -> Callable[[Any], Any]:
        """All that it reads of a record: two records with the same fields add the same."""
        names = {*self.required, *self.where, *(add for add in self.adds.values() if isinstance(add, str))}
        names |= {self.at} if self.at else set()
        for part in self.key.values():
            names.update(part[1:] if isinstance(part, TextKey) else () if isinstance(part, Constant) else (part,))
        return attrgetter(*sorted(names)) if names else lambda record: None

    @cached_property
    def _key_parts(self) -> list[Callable[[Any], Any]]:
        return [self._key_part(name) for name in self.sums.key if name in self.key]

    def _key_part(self, column: str) -> Callable[[Any], Any]:
        part = self.key[column]
        if isinstance(part, Constant):
            text = str(part)
            return lambda record: text
        if isinstance(part, TextKey):
            prefix, *names = part
            return lambda record: prefix + ".".join([_word(getattr(record, name)) for name in names])
        if isinstance(self.sums.table.c[column].type, Text):
            return lambda record: "" if (value := getattr(record, part)) is None else str(value)
        return lambda record: getattr(record, part) or 0

    @cached_property
    def indexes(self) -> tuple[int, ...]:
        """The sums that it adds to."""
        return tuple(self.sums.sums.index(name) for name in self.adds)

    def counted(self, source: FromClause, level: int | None) -> Select[Any]:
        """The key and the sums of all rows; with a level, of its blocks."""
        columns = source.c
        parts: dict[str, Any] = {name: self._key_in(columns, name) for name in self.key}
        if level is not None and self.at:
            parts |= {"level": _number(level), "block": columns[self.at] // LENGTHS[level]}
        parts |= {name: self._sum_in(columns, name) for name in self.sums.sums}
        present = [columns[name].is_not(None) for name in (*self.required, *((self.at,) if self.at else ()))]
        equal = [columns[name] == value for name, value in self.where.items()]
        rows = select(*(part.label(name) for name, part in parts.items())).select_from(source).where(*present, *equal)
        return summed(self.sums, rows.subquery())

    def _key_in(self, columns: Any, column: str) -> Any:
        part = self.key[column]
        if isinstance(part, Constant):
            return _text(part)
        if isinstance(part, TextKey):
            name = _text(part[0])
            for number, word in enumerate(part[1:]):
                name = name.concat(_text(".")) if number else name
                name = name.concat(_word_in(columns[word]))
            return name
        if isinstance(self.sums.table.c[column].type, Text):
            return func.coalesce(cast(columns[part], Text), _text(""))
        return func.coalesce(columns[part], _number(0))

    def _sum_in(self, columns: Any, column: str) -> Any:
        value = self.adds.get(column, 0)
        return _number(value) if isinstance(value, int) else columns[value]


def summed(sums: SumTable, rows: Any) -> Select[Any]:
    """The rows added up by their key."""
    key = [rows.c[name] for name in sums.key]
    totals = (cast(func.sum(rows.c[name]), BigInteger).label(name) for name in sums.sums)
    return select(*key, *totals).group_by(*key)


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _word_in(column: Any) -> Any:
    return case((column, _text("true")), else_=_text("false")) if isinstance(column.type, Boolean) else column


def _text(value: str) -> Any:
    return literal_column(f"'{value}'", Text)


def _number(value: int) -> Any:
    return literal_column(str(value), BigInteger)
