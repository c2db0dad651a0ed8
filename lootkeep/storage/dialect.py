"""Where SQLite and PostgreSQL differ, and only there."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BindParameter, Boolean, ClauseElement, Column, ColumnElement, Executable
from sqlalchemy.ext.compiler import compiles

# A trigram index knows nothing shorter.
SHORTEST_INDEXED_TERM = 3


class Contains(ColumnElement[bool]):
    """The table's `search_text` contains the term, by its trigram index. Both are case folded by us."""

    inherit_cache = False
    type = Boolean()
    # It is a condition by itself: SQLite would otherwise be given `... = 1`.
    _is_implicitly_boolean = True

    def __init__(self, search_text: Column[str], term: BindParameter[str]) -> None:
        self.search_text = search_text
        self.term = term


class ContainsShort(Contains):
    """The same for a term too short for the index: a look at every row."""


@compiles(Contains, "sqlite")
def _by_fts(element: Contains, compiler: Any, **kw: Any) -> str:
    table = element.search_text.table.name
    term = compiler.process(element.term, **kw)
    phrase = f"""'"' || replace({term}, '"', '""') || '"'"""
    return f"{table}.id IN (SELECT rowid FROM {table}_search WHERE search_text MATCH {phrase})"


@compiles(Contains, "postgresql")
def _by_trigrams(element: Contains, compiler: Any, **kw: Any) -> str:
    column = compiler.process(element.search_text, **kw)
    literal = f"replace(replace(replace({compiler.process(element.term, **kw)}, '\\', '\\\\'), '%', '\\%'), '_', '\\_')"
    return f"{column} LIKE '%' || {literal} || '%'"


@compiles(ContainsShort, "sqlite")
def _by_instr(element: ContainsShort, compiler: Any, **kw: Any) -> str:
    return f"instr({compiler.process(element.search_text, **kw)}, {compiler.process(element.term, **kw)}) > 0"


@compiles(ContainsShort, "postgresql")
def _by_strpos(element: ContainsShort, compiler: Any, **kw: Any) -> str:
    return f"strpos({compiler.process(element.search_text, **kw)}, {compiler.process(element.term, **kw)}) > 0"


class HoldTables(Executable, ClauseElement):
    """Keeps all other writers away from these tables until the transaction ends."""

    inherit_cache = False

    def __init__(self, *tables: str) -> None:
        self.tables = tables


@compiles(HoldTables, "sqlite")
def _is_held(element: HoldTables, compiler: Any, **kw: Any) -> str:
    # There is one writer: a transaction that writes keeps the others away by itself.
    return "SELECT 1"


@compiles(HoldTables, "postgresql")
def _lock_tables(element: HoldTables, compiler: Any, **kw: Any) -> str:
    return f"LOCK TABLE {', '.join(element.tables)} IN SHARE ROW EXCLUSIVE MODE"
