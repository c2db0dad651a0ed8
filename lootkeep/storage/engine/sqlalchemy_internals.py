"""Internals of SQLAlchemy that have no public name; this checks them against a new version."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Insert
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.selectable import GenerativeSelect


def answered_columns(statement: ClauseElement) -> list[Any]:
    """The columns of a SELECT, or of a RETURNING clause."""
    if isinstance(statement, GenerativeSelect):
        return list(statement.selected_columns)
    return list(getattr(statement, "_returning", None) or ())


def has_offset(statement: GenerativeSelect) -> bool:
    return statement._offset_clause is not None


def take_values(statement: Insert) -> dict[str, Any]:
    """The values of an INSERT, by column; the statement then has none."""
    values: Any = statement._values
    statement._values = None
    return {getattr(column, "key", column): value for column, value in values.items()}
