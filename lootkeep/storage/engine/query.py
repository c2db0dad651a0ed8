"""One SQL statement written in SQLAlchemy Core, compiled once per dialect and run by the raw drivers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar, overload

from sqlalchemy import BigInteger, Boolean, Delete, Insert, Update
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import asyncpg as postgresql
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.selectable import GenerativeSelect
from sqlalchemy.sql.sqltypes import NullType
from sqlalchemy.types import TypeEngine

from lootkeep.storage.engine.sets import over_rows
from lootkeep.storage.engine.sqlalchemy_internals import answered_columns

R = TypeVar("R")

SQLITE: Dialect = sqlite.dialect(paramstyle="qmark")
POSTGRESQL: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call]


def row(*values: Any) -> tuple[Any, ...]:
    """The record of a query that returns plain rows."""
    return values


class Effect(NamedTuple):
    """What a statement does to the tables."""

    # The table that it writes; None if it writes none, or what it writes is not known.
    target: str | None
    # All that it reads or writes; None if that is not known.
    tables: frozenset[str] | None
    # It locks nothing, either.
    is_read: bool


# SQLAlchemy writes the table before each column, except where there is only one.
_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|USING)\s+(\w+)|\b(\w+)\.|,\s*(\w+)\s+AS\b")
_LOCKS = re.compile(r"\bFOR (?:NO KEY |KEY )?(?:UPDATE|SHARE)\b")


def _effect(statement: ClauseElement, sql: str) -> Effect:
    if isinstance(statement, (Insert, Update, Delete)):
        return Effect(str(statement.table), _tables(sql), is_read=False)
    if isinstance(statement, GenerativeSelect):
        return Effect(None, _tables(sql), is_read=not _LOCKS.search(sql))
    return Effect(None, None, is_read=False)


def _tables(sql: str) -> frozenset[str]:
    return frozenset(name for names in _TABLE.findall(sql) for name in names if name)


class Compiled(Generic[R]):
    """A statement in one dialect: its text, its arguments in order, how rows become records, and what it does."""

    __slots__ = ("arguments", "effect", "records", "sql")

    def __init__(self, statement: ClauseElement, record: Callable[..., R], dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        self.sql = str(compiled)
        if "POSTCOMPILE" in self.sql:
            raise TypeError(f"A list of unknown length cannot be compiled once: {self.sql}")
        names: tuple[str, ...] = tuple(compiled.positiontup or ())
        self.arguments = _arguments(names, _values_written_in(compiled))
        self.records = _records(record, answered_columns(statement), has_booleans=dialect is not SQLITE)
        self.effect = _effect(statement, self.sql)


def _arguments(names: tuple[str, ...], fixed: dict[str, Any]) -> Callable[[dict[str, Any]], Sequence[Any]]:
    """`{"a": 1, "b": 2}` to `(1, 2, ...)`, with the values that are part of the statement."""
    if len(names) < 2:
        return lambda values: [fixed[name] if name in fixed else values[name] for name in names]
    take = itemgetter(*names)
    return (lambda values: take(values | fixed)) if fixed else take


def _records(
    record: Callable[..., R], columns: list[Any], *, has_booleans: bool
) -> Callable[[Iterable[Iterable[Any]]], list[R]]:
    """Rows to records. SQLite has no booleans: it returns 0 and 1."""
    booleans = [] if has_booleans else [i for i, column in enumerate(columns) if isinstance(column.type, Boolean)]
    if not booleans:
        return lambda rows: [record(*row) for row in rows]

    def with_booleans(row: Iterable[Any]) -> R:
        values = list(row)
        for index in booleans:
            if values[index] is not None:
                values[index] = values[index] == 1
        return record(*values)

    return lambda rows: [with_booleans(row) for row in rows]


class CompiledSet(Generic[R]):
    """A statement for PostgreSQL that takes many rows of values at once, as one array per name."""

    __slots__ = ("arguments", "effect", "records", "sql")

    def __init__(self, statement: ClauseElement, record: Callable[..., R]) -> None:
        for_one: Any = statement.compile(dialect=POSTGRESQL)
        types = _parameter_types(for_one)
        # An INSERT of one row returns its key implicitly, an INSERT from a SELECT needs RETURNING.
        compiled: Any = over_rows(statement, types, for_one.implicit_returning).compile(dialect=POSTGRESQL)
        self.sql = str(compiled)
        # A parameter that remains next to the arrays is inside an element that cannot be traversed.
        if sum(bind.required for bind in compiled.bind_names) != len(types):
            raise TypeError(f"This statement cannot take many rows: {self.sql}")
        names: tuple[str, ...] = tuple(compiled.positiontup or ())
        self.arguments = _array_arguments(names, _values_written_in(compiled))
        self.records = _records(record, answered_columns(statement), has_booleans=True)
        self.effect = _effect(statement, self.sql)


def _parameter_types(compiled: Any) -> dict[str, TypeEngine[Any]]:
    """The types of the arguments. A parameter is compiled where it is used: only there its column is known."""
    types: dict[str, TypeEngine[Any]] = {}
    for bind, name in compiled.bind_names.items():
        if bind.required and isinstance(types.get(name), NullType | None):
            types[name] = bind.type
    # A LIMIT has no type.
    return {name: BigInteger() if isinstance(kind, NullType) else kind for name, kind in types.items()}


def _array_arguments(names: tuple[str, ...], fixed: dict[str, Any]) -> Callable[[Sequence[dict[str, Any]]], list[Any]]:
    """`[{"a": 1}, {"a": 2}]` to `[[1, 2], ...]`, with the values that the statement itself brings."""
    return lambda rows: [fixed[name] if name in fixed else [values[name] for values in rows] for name in names]


class Query(Generic[R]):
    """A statement and the record its rows become; made once, at import, or once per shape of filters.

    `set_based` promises of a statement that writes that no two rows of values touch the same row, and that its values
    are not used after ON CONFLICT: PostgreSQL then takes many rows in one statement. `in_order` promises the same, but
    the rows have to be locked in the order of the values.
    """

    __slots__ = ("_record", "_statement", "in_order", "postgres", "postgres_set", "set_based", "sqlite")

    sqlite: Compiled[R]
    postgres: Compiled[R]
    postgres_set: CompiledSet[R]

    @overload
    def __init__(
        self: Query[tuple[Any, ...]], statement: ClauseElement, *, set_based: bool = False, in_order: bool = False
    ) -> None: ...

    @overload
    def __init__(self, statement: ClauseElement, record: Callable[..., R]) -> None: ...

    def __init__(
        self, statement: ClauseElement, record: Any = row, *, set_based: bool = False, in_order: bool = False
    ) -> None:
        _check_fields(statement, record)
        self._statement = statement
        self._record: Callable[..., R] = record
        self.set_based = set_based
        self.in_order = in_order

    def __getattr__(self, name: str) -> Any:
        """Compiles for a dialect on first use; after that it is a plain attribute."""
        if name not in _COMPILERS:
            raise AttributeError(name)
        compiled = _COMPILERS[name](self._statement, self._record)
        setattr(self, name, compiled)
        return compiled


_COMPILERS: dict[str, Callable[[ClauseElement, Callable[..., Any]], Any]] = {
    "sqlite": lambda statement, record: Compiled(statement, record, SQLITE),
    "postgres": lambda statement, record: Compiled(statement, record, POSTGRESQL),
    "postgres_set": CompiledSet,
}


def _values_written_in(compiled: Any) -> dict[str, Any]:
    """Arguments that are part of the statement, such as a literal in its WHERE clause."""
    return {name: bind.effective_value for bind, name in compiled.bind_names.items() if not bind.required}


def _check_fields(statement: ClauseElement, record: Callable[..., Any]) -> None:
    """A record is filled by position, so a misplaced column must fail at import, not in a response."""
    fields = getattr(record, "__struct_fields__", None)
    if fields is None:
        return
    names = tuple(column.name for column in answered_columns(statement))
    if fields != names:
        raise TypeError(f"{record} has the fields {fields}, but its query returns {names}")
