"""Expressions that the engines need in different words."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.visitors import InternalTraversal


class ByEngine(ColumnElement[Any]):
    """An expression that is written differently for each engine."""

    _traverse_internals = [  # noqa: RUF012
        ("sqlite", InternalTraversal.dp_clauseelement),
        ("postgresql", InternalTraversal.dp_clauseelement),
    ]

    def __init__(self, *, sqlite: ColumnElement[Any], postgresql: ColumnElement[Any]) -> None:
        self.sqlite = sqlite
        self.postgresql = postgresql
        self.type = sqlite.type


@compiles(ByEngine, "sqlite")
def _for_sqlite(element: ByEngine, compiler: Any, **kw: Any) -> str:
    return str(compiler.process(element.sqlite, **kw))


@compiles(ByEngine, "postgresql")
def _for_postgresql(element: ByEngine, compiler: Any, **kw: Any) -> str:
    return str(compiler.process(element.postgresql, **kw))
