"""One SQL statement written in SQLAlchemy Core, compiled once per dialect and run by the raw drivers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar, overload

from sqlalchemy import Boolean
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import asyncpg as postgresql
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import ClauseElement

R = TypeVar("R")

SQLITE: Dialect = sqlite.dialect(paramstyle="qmark")
POSTGRESQL: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call]


def row(*values: Any) -> tuple[Any, ...]:
    """The record of a query whose rows are wanted as they are."""
    return values


class Compiled(Generic[R]):
    """A statement in one dialect: its text, the order of its arguments, and how a row becomes a record."""

    __slots__ = ("_booleans", "_fixed", "_names", "_record", "sql")

    def __init__(self, statement: ClauseElement, record: Callable[..., R], dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        self.sql = str(compiled)
        if "POSTCOMPILE" in self.sql:
            raise TypeError(f"A list of unknown length cannot be compiled once: {self.sql}")
        self._names: tuple[str, ...] = tuple(compiled.positiontup or ())
        self._fixed = _values_written_in(compiled)
        self._record = record
        self._booleans = _boolean_columns(statement) if dialect is SQLITE else ()

    def arguments(self, values: dict[str, Any]) -> list[Any]:
        if self._fixed:
            values = self._fixed | values
        return [values[name] for name in self._names]

    def records(self, rows: Iterable[Iterable[Any]]) -> list[R]:
        record = self._record
        if self._booleans:
            rows = [self._with_booleans(row) for row in rows]
        return [record(*row) for row in rows]

    def _with_booleans(self, row: Iterable[Any]) -> list[Any]:
        # SQLite knows no booleans: it hands out 0 and 1.
        values = list(row)
        for index in self._booleans:
            values[index] = None if values[index] is None else values[index] == 1
        return values


class Query(Generic[R]):
    """A statement and the record its rows become; made once, at import, or once per shape of filters."""

    __slots__ = ("_postgres", "_record", "_sqlite", "_statement")

    @overload
    def __init__(self: Query[tuple[Any, ...]], statement: ClauseElement) -> None: ...

    @overload
    def __init__(self, statement: ClauseElement, record: Callable[..., R]) -> None: ...

    def __init__(self, statement: ClauseElement, record: Any = row) -> None:
        _check_fields(statement, record)
        self._statement = statement
        self._record: Callable[..., R] = record
        self._sqlite: Compiled[R] | None = None
        self._postgres: Compiled[R] | None = None

    @property
    def sqlite(self) -> Compiled[R]:
        if self._sqlite is None:
            self._sqlite = Compiled(self._statement, self._record, SQLITE)
        return self._sqlite

    @property
    def postgres(self) -> Compiled[R]:
        if self._postgres is None:
            self._postgres = Compiled(self._statement, self._record, POSTGRESQL)
        return self._postgres


def _values_written_in(compiled: Any) -> dict[str, Any]:
    """Arguments the statement itself brings, such as a literal in its WHERE clause."""
    return {name: bind.effective_value for bind, name in compiled.bind_names.items() if not bind.required}


def _columns(statement: Any) -> list[Any]:
    """What the statement answers: the columns of a SELECT, or of a RETURNING clause."""
    if getattr(statement, "is_select", False):
        return list(statement.selected_columns)
    return list(getattr(statement, "_returning", None) or ())


def _boolean_columns(statement: ClauseElement) -> tuple[int, ...]:
    return tuple(i for i, column in enumerate(_columns(statement)) if isinstance(column.type, Boolean))


def _check_fields(statement: ClauseElement, record: Callable[..., Any]) -> None:
    """A record is filled by position, so a column out of place must fail at import, not in an answer."""
    fields = getattr(record, "__struct_fields__", None)
    if fields is None:
        return
    names = tuple(column.name for column in _columns(statement))
    if fields != names:
        raise TypeError(f"{record} has the fields {fields}, but its query answers {names}")
