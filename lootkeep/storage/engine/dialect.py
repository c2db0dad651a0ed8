"""Where SQLite and PostgreSQL differ, and only there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy import BigInteger, BindParameter, Boolean, ClauseElement, Column, ColumnElement, Executable, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.visitors import InternalTraversal

# Compiles a part of an expression.
Sql = Callable[[ClauseElement], str]
# A trigram index cannot find anything shorter.
MIN_INDEXED_TERM = 3


class EngineElement(ClauseElement):
    """Its text is different on each engine."""

    inherit_cache = False

    def on_sqlite(self, sql: Sql) -> str:
        raise NotImplementedError

    def on_postgresql(self, sql: Sql) -> str:
        raise NotImplementedError


@compiles(EngineElement)
def _text(element: EngineElement, compiler: Any, **kw: Any) -> str:
    text: Callable[[Sql], str] = getattr(element, f"on_{compiler.dialect.name}")
    return text(partial(compiler.process, **kw))


class ByEngine(EngineElement, ColumnElement[Any]):
    """An expression that the engines need in different words."""

    _traverse_internals = [  # noqa: RUF012
        ("sqlite", InternalTraversal.dp_clauseelement),
        ("postgresql", InternalTraversal.dp_clauseelement),
    ]

    def __init__(self, *, sqlite: ColumnElement[Any], postgresql: ColumnElement[Any]) -> None:
        self.sqlite = sqlite
        self.postgresql = postgresql
        self.type = sqlite.type

    def self_group(self, against: Any = None) -> ByEngine:
        """A condition stays as it is: SQLite would not use an index for one that is compared with 1."""
        return self

    def on_sqlite(self, sql: Sql) -> str:
        return sql(self.sqlite)

    def on_postgresql(self, sql: Sql) -> str:
        return sql(self.postgresql)


class Condition(EngineElement, ColumnElement[bool]):
    """Already a boolean: otherwise SQLite would get `... = 1`."""

    type = Boolean()
    _is_implicitly_boolean = True


class Contains(Condition):
    """The table's `search_text` contains the term, using its trigram index. We case-fold both."""

    def __init__(self, search_text: Column[str], term: BindParameter[str]) -> None:
        self.search_text = search_text
        self.term = term

    def on_sqlite(self, sql: Sql) -> str:
        table = self.search_text.table.name
        term = sql(self.term)
        phrase = f"""'"' || replace({term}, '"', '""') || '"'"""
        return f"{table}.id IN (SELECT rowid FROM {table}_search WHERE search_text MATCH {phrase})"

    def on_postgresql(self, sql: Sql) -> str:
        column = sql(self.search_text)
        literal = f"replace(replace(replace({sql(self.term)}, '\\', '\\\\'), '%', '\\%'), '_', '\\_')"
        return f"{column} LIKE '%' || {literal} || '%'"


class ContainsShort(Contains):
    """The same for a term too short for the index: scans every row."""

    def on_sqlite(self, sql: Sql) -> str:
        return f"instr({sql(self.search_text)}, {sql(self.term)}) > 0"

    def on_postgresql(self, sql: Sql) -> str:
        return f"strpos({sql(self.search_text)}, {sql(self.term)}) > 0"


class HidesEmail(Contains):
    """The text contains the term, but not as a part of an e-mail address, which is the last line."""

    def on_sqlite(self, sql: Sql) -> str:
        text, term = sql(self.search_text), sql(self.term)
        return (
            f"(instr({text}, '@') = 0 OR instr(substr({text}, instr({text}, {term})), char(10)) > 0"
            f" OR substr(char(10) || {text}, -length({term}) - 1) = char(10) || {term})"
        )

    def on_postgresql(self, sql: Sql) -> str:
        text, term = sql(self.search_text), sql(self.term)
        return (
            f"(strpos({text}, '@') = 0 OR strpos(substr({text}, strpos({text}, {term})), chr(10)) > 0"
            f" OR right(chr(10) || {text}, length({term}) + 1) = chr(10) || {term})"
        )


class Unindexed(EngineElement, ColumnElement[Any]):
    """A column whose index must not be used: SQLite has no statistics and treats every equality as rare."""

    def __init__(self, column: Column[Any]) -> None:
        self.column = column
        self.type = column.type

    def on_sqlite(self, sql: Sql) -> str:
        return f"+{sql(self.column)}"

    def on_postgresql(self, sql: Sql) -> str:
        return sql(self.column)


class BitOr(EngineElement, ColumnElement[int]):
    """An aggregate of powers of two, each the value of a bit."""

    def __init__(self, value: ColumnElement[int]) -> None:
        self.value = value
        self.type = BigInteger()

    def on_sqlite(self, sql: Sql) -> str:
        return f"sum(DISTINCT {sql(self.value)})"

    def on_postgresql(self, sql: Sql) -> str:
        return f"bit_or(CAST({sql(self.value)} AS BIGINT))"


class Bytewise(EngineElement, ColumnElement[str]):
    """Text in sort order: by code points on both engines, regardless of the server's locale."""

    def __init__(self, column: Column[str]) -> None:
        self.column = column
        self.type = column.type

    def on_sqlite(self, sql: Sql) -> str:
        return sql(self.column)

    def on_postgresql(self, sql: Sql) -> str:
        return f'{sql(self.column)} COLLATE "C"'


class LockTables(Executable, EngineElement):
    """Excludes all other writers from these tables until the transaction ends."""

    def __init__(self, *tables: str) -> None:
        self.tables = tables

    def on_sqlite(self, sql: Sql) -> str:
        # There is one writer: a transaction that writes already excludes the others.
        return "SELECT 1"

    def on_postgresql(self, sql: Sql) -> str:
        return f"LOCK TABLE {', '.join(self.tables)} IN SHARE ROW EXCLUSIVE MODE"


class SortOnDisk(Executable, EngineElement):
    """What this connection sorts and groups from now on needs little memory, however many rows there are."""

    def on_sqlite(self, sql: Sql) -> str:
        # Up to nine times its cache is used before rows go to a file; requests sort in memory.
        return "PRAGMA temp_store = FILE; PRAGMA cache_size = -2048"

    def on_postgresql(self, sql: Sql) -> str:
        # The server always does.
        return "SELECT 1"


class EmptyTables(Executable, EngineElement):
    """Removes all rows of these tables, which are listed before those they refer to; ids start at 1 again."""

    def __init__(self, *tables: str) -> None:
        self.tables = tables

    def on_sqlite(self, sql: Sql) -> str:
        sequences = ", ".join(f"'{table}'" for table in self.tables)
        deletions = [f"DELETE FROM {table}" for table in self.tables]
        return "; ".join([*deletions, f"DELETE FROM sqlite_sequence WHERE name IN ({sequences})"])

    def on_postgresql(self, sql: Sql) -> str:
        return f"TRUNCATE {', '.join(self.tables)} RESTART IDENTITY"


class IsOneOf(Condition):
    """The column's word is one of those in a text of words separated by blanks; an index on it is used.

    PostgreSQL does not plan by the words: one plan serves for all.
    """

    def __init__(self, column: Column[str], words: BindParameter[str]) -> None:
        self.column = column
        self.words = words

    def on_sqlite(self, sql: Sql) -> str:
        column, words = sql(self.column), sql(self.words)
        return f"""{column} IN (SELECT value FROM json_each('["' || replace({words}, ' ', '","') || '"]'))"""

    def on_postgresql(self, sql: Sql) -> str:
        column, words = sql(self.column), sql(self.words)
        return f"{column} = ANY ((SELECT string_to_array({words}, ' '))::text[])"


class Horizon(Executable, EngineElement):
    """The id up to which no event can appear any more; read before the query that uses it.

    Ids are assigned before the commit: a reader that only follows ids would skip an event forever. Only the primary
    knows it: a replica has no locks of open transactions, and its sequence is up to 32 ids ahead.
    """

    def on_sqlite(self, sql: Sql) -> str:
        # There is one writer: ids are committed in the order in which they are assigned.
        return "SELECT coalesce(max(id), 0) FROM events"

    def on_postgresql(self, sql: Sql) -> str:
        # The last id is read first: any smaller id has been announced by then. A lock's number is the lowest 31 bits.
        return (
            "WITH ids AS MATERIALIZED (SELECT last_value - cast(NOT is_called AS int) AS last FROM events_id_seq)"
            " SELECT least(last, (SELECT min(last - ((last - objid::bigint) & 2147483647)) FROM pg_locks"
            " WHERE locktype = 'advisory' AND classid = 'events'::regclass AND objsubid = 2"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))) FROM ids"
        )


class IsListed(Condition):
    """A value is in a JSON array: a list of any length in one argument or column."""

    def __init__(self, column: ColumnElement[Any], array: ColumnElement[str]) -> None:
        self.column = column
        self.array = array

    def on_sqlite(self, sql: Sql) -> str:
        column, array = sql(self.column), sql(self.array)
        return f"{column} IN (SELECT value FROM json_each({array}))"

    def on_postgresql(self, sql: Sql) -> str:
        column, array = sql(self.column), sql(self.array)
        values = f"SELECT jsonb_array_elements_text({array}::text::jsonb)"
        if not isinstance(self.column.type, Text):
            return f"{column} = ANY (ARRAY({values})::bigint[])"
        return f"{column} = ANY (ARRAY({values}))"


class JsonInteger(EngineElement, ColumnElement[int]):
    """The integer that a JSON object has under a key, or null."""

    type = BigInteger()

    def __init__(self, column: Column[str], key: str) -> None:
        self.column = column
        self.key = key

    def on_sqlite(self, sql: Sql) -> str:
        return f"json_extract({sql(self.column)}, '$.{self.key}')"

    def on_postgresql(self, sql: Sql) -> str:
        return f"({sql(self.column)}::jsonb ->> '{self.key}')::bigint"


class TakeSpace(Executable, EngineElement):
    """Uses about 70 KB of the disk that the tables are on, and frees it: it fails if no file can grow."""

    def on_sqlite(self, sql: Sql) -> str:
        # A transaction's writes are appended to the log, which already shows the problem.
        return "SELECT 1"

    def on_postgresql(self, sql: Sql) -> str:
        # A rewritten row finds space in its own page, even on a full disk. Rows that exceed the memory of a query go to
        # a file next to the tables; this depends on the setting, so it is set first.
        return (
            "SELECT count(*) FROM set_config('work_mem', '64kB', true) AS memory, "
            "generate_series(1, 5000 + 0 * length(memory))"
        )


class ServerTime(EngineElement, ColumnElement[int]):
    """The time of the database server, in microseconds; NULL where the database is embedded."""

    type = BigInteger()

    def on_sqlite(self, sql: Sql) -> str:
        return "NULL"

    def on_postgresql(self, sql: Sql) -> str:
        return "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"
