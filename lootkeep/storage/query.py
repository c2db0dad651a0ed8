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
    """A statement in one dialect: its text, its arguments in order, and how rows become records."""

    __slots__ = ("arguments", "records", "sql")

    def __init__(self, statement: ClauseElement, record: Callable[..., R], dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        self.sql = str(compiled)
        if "POSTCOMPILE" in self.sql:
            raise TypeError(f"A list of unknown length cannot be compiled once: {self.sql}")
        names: tuple[str, ...] = tuple(compiled.positiontup or ())
        self.arguments = _arguments(names, _values_written_in(compiled))
        self.records = _records(record, _columns(statement), has_booleans=dialect is not SQLITE)


# Both are written as text and evaluated once per statement: a loop over columns in Python would cost as much as
# the query itself. The text holds column numbers and our own names, nothing from outside.


def _arguments(names: tuple[str, ...], fixed: dict[str, Any]) -> Callable[[dict[str, Any]], list[Any]]:
    """`{"a": 1, "b": 2}` to `[1, 2, ...]`, with the values that the statement itself brings."""
    parts = [f"fixed[{name!r}]" if name in fixed else f"values[{name!r}]" for name in names]
    made: Callable[[dict[str, Any]], list[Any]] = eval(  # noqa: S307
        f"lambda values: [{', '.join(parts)}]", {"fixed": fixed}
    )
    return made


def _records(
    record: Callable[..., R], columns: list[Any], *, has_booleans: bool
) -> Callable[[Iterable[Iterable[Any]]], list[R]]:
    """Rows to records. SQLite knows no booleans: it hands out 0 and 1."""
    booleans = set() if has_booleans else {i for i, c in enumerate(columns) if isinstance(c.type, Boolean)}
    if not booleans:
        return lambda rows: [record(*row) for row in rows]
    names = [f"c{i}" for i in range(len(columns))]
    values = [f"None if c{i} is None else c{i} == 1" if i in booleans else f"c{i}" for i in range(len(columns))]
    made: Callable[[Iterable[Iterable[Any]]], list[R]] = eval(  # noqa: S307
        f"lambda rows: [record({', '.join(values)}) for {', '.join(names)}, in rows]", {"record": record}
    )
    return made


class Query(Generic[R]):
    """A statement and the record its rows become; made once, at import, or once per shape of filters."""

    __slots__ = ("_record", "_statement", "postgres", "sqlite")

    sqlite: Compiled[R]
    postgres: Compiled[R]

    @overload
    def __init__(self: Query[tuple[Any, ...]], statement: ClauseElement) -> None: ...

    @overload
    def __init__(self, statement: ClauseElement, record: Callable[..., R]) -> None: ...

    def __init__(self, statement: ClauseElement, record: Any = row) -> None:
        _check_fields(statement, record)
        self._statement = statement
        self._record: Callable[..., R] = record

    def __getattr__(self, name: str) -> Compiled[R]:
        """Compiles for a dialect when it is first asked for; from then on it is a plain attribute."""
        if name not in _DIALECTS:
            raise AttributeError(name)
        compiled = Compiled(self._statement, self._record, _DIALECTS[name])
        setattr(self, name, compiled)
        return compiled


_DIALECTS = {"sqlite": SQLITE, "postgres": POSTGRESQL}


def _values_written_in(compiled: Any) -> dict[str, Any]:
    """Arguments the statement itself brings, such as a literal in its WHERE clause."""
    return {name: bind.effective_value for bind, name in compiled.bind_names.items() if not bind.required}


def _columns(statement: Any) -> list[Any]:
    """What the statement answers: the columns of a SELECT, or of a RETURNING clause."""
    if getattr(statement, "is_select", False):
        return list(statement.selected_columns)
    return list(getattr(statement, "_returning", None) or ())


def _check_fields(statement: ClauseElement, record: Callable[..., Any]) -> None:
    """A record is filled by position, so a column out of place must fail at import, not in an answer."""
    fields = getattr(record, "__struct_fields__", None)
    if fields is None:
        return
    names = tuple(column.name for column in _columns(statement))
    if fields != names:
        raise TypeError(f"{record} has the fields {fields}, but its query answers {names}")
