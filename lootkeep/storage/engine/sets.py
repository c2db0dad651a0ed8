"""Many rows of values in one statement, on PostgreSQL.

The values come as one array for each name, and `unnest` makes a table of them: `given`. A statement is written for one
row; here its parameters become columns of `given`, and it runs over that table: a SELECT by LATERAL, an INSERT from a
SELECT, an UPDATE with FROM, a DELETE with USING.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from sqlalchemy import (
    ARRAY,
    BindParameter,
    ColumnElement,
    Insert,
    bindparam,
    column,
    func,
    literal_column,
    select,
    true,
    type_coerce,
)
from sqlalchemy.sql import ClauseElement, FromClause, visitors
from sqlalchemy.sql.selectable import GenerativeSelect
from sqlalchemy.types import TypeEngine

from lootkeep.storage.engine import sqlalchemy_internals as internals

Refer = Callable[[str], ColumnElement[Any]]


def over_rows(
    statement: ClauseElement, types: Mapping[str, TypeEngine[Any]], key: Sequence[ColumnElement[Any]] | None = None
) -> ClauseElement:
    """The statement with arrays of these types as parameters; an INSERT returns the key, if it has one."""
    arrays = [bindparam(name, type_=ARRAY(kind)) for name, kind in types.items()]
    columns: list[Any] = [column(name, kind) for name, kind in types.items()]
    source = func.unnest(*arrays).table_valued(*columns).render_derived("given")
    return _over(statement, source, key)


def _over(statement: ClauseElement, source: FromClause, key: Sequence[ColumnElement[Any]] | None) -> ClauseElement:
    if isinstance(statement, GenerativeSelect):
        if internals.has_offset(statement):
            raise TypeError(f"A statement for many rows must not have its own OFFSET: {statement}")
        # An OFFSET is not merged with the outer query: each row of values uses the index, even if the table was small
        # when the statement was planned.
        by_row = _referring(statement.offset(literal_column("0")), _by_name)
        lateral = by_row.lateral("found")
        return select(lateral).select_from(source.join(lateral, true()))
    # The columns of `given` bring FROM or USING with them; those in a subquery must not.
    set_based = _referring(statement, lambda name: source.c[name])
    if not isinstance(statement, Insert):
        return cast(ClauseElement, set_based)
    values = internals.take_values(set_based)
    rows = select(*_typed(statement, values)).select_from(source)
    insert = set_based.from_select(list(values), rows, include_defaults=False)
    return cast(ClauseElement, insert.returning(*key) if key else insert)


def _typed(statement: Insert, values: dict[str, Any]) -> list[Any]:
    """In a SELECT, parameters do not get the type of their column automatically."""
    return [
        type_coerce(value, statement.table.c[name].type) if isinstance(value, BindParameter) else value
        for name, value in values.items()
    ]


def _by_name(name: str) -> ColumnElement[Any]:
    """A column of `given`, which is in the FROM of the outer statement."""
    return literal_column(f'given."{name}"')


def _referring(statement: Any, refer: Refer) -> Any:
    """The statement with columns in place of its parameters."""

    def replaced(element: Any, **_: Any) -> Any:
        if isinstance(element, BindParameter) and element.required:
            return refer(element.key)
        if isinstance(element, GenerativeSelect) and element is not statement:
            return _referring(element, _by_name)
        return None

    return visitors.replacement_traverse(statement, {}, replaced)
