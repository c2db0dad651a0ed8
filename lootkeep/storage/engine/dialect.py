"""Where SQLite and PostgreSQL differ, and only there."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Boolean,
    ClauseElement,
    Column,
    ColumnElement,
    Executable,
    Table,
    Text,
)
from sqlalchemy.ext.compiler import compiles

# A trigram index cannot find anything shorter.
MIN_INDEXED_TERM = 3


class Condition(ColumnElement[bool]):
    """Already a boolean: otherwise SQLite would get `... = 1`."""

    inherit_cache = False
    type = Boolean()
    _is_implicitly_boolean = True


class Contains(Condition):
    """The table's `search_text` contains the term, using its trigram index. We case-fold both."""

    def __init__(self, search_text: Column[str], term: BindParameter[str]) -> None:
        self.search_text = search_text
        self.term = term


class ContainsShort(Contains):
    """The same for a term too short for the index: scans every row."""


class Unindexed(ColumnElement[Any]):
    """A column whose index must not be used: SQLite has no statistics and treats every equality as rare."""

    inherit_cache = False

    def __init__(self, column: Column[Any]) -> None:
        self.column = column
        self.type = column.type


@compiles(Unindexed, "sqlite")
def _with_plus(element: Unindexed, compiler: Any, **kw: Any) -> str:
    return f"+{compiler.process(element.column, **kw)}"


@compiles(Unindexed, "postgresql")
def _as_it_is(element: Unindexed, compiler: Any, **kw: Any) -> str:
    return str(compiler.process(element.column, **kw))


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


class Bytewise(ColumnElement[str]):
    """Text in sort order: by code points on both engines, regardless of the server's locale."""

    inherit_cache = False

    def __init__(self, column: Column[str]) -> None:
        self.column = column
        self.type = column.type


@compiles(Bytewise, "sqlite")
def _is_bytewise(element: Bytewise, compiler: Any, **kw: Any) -> str:
    return str(compiler.process(element.column, **kw))


@compiles(Bytewise, "postgresql")
def _collated(element: Bytewise, compiler: Any, **kw: Any) -> str:
    return f'{compiler.process(element.column, **kw)} COLLATE "C"'


class LockTables(Executable, ClauseElement):
    """Excludes all other writers from these tables until the transaction ends."""

    inherit_cache = False

    def __init__(self, *tables: str) -> None:
        self.tables = tables


@compiles(LockTables, "sqlite")
def _held_lock(element: LockTables, compiler: Any, **kw: Any) -> str:
    # There is one writer: a transaction that writes already excludes the others.
    return "SELECT 1"


@compiles(LockTables, "postgresql")
def _lock_tables(element: LockTables, compiler: Any, **kw: Any) -> str:
    return f"LOCK TABLE {', '.join(element.tables)} IN SHARE ROW EXCLUSIVE MODE"


class EmptyTables(Executable, ClauseElement):
    """Removes all rows of these tables, which are listed before those they refer to; ids start at 1 again."""

    inherit_cache = False

    def __init__(self, *tables: str) -> None:
        self.tables = tables


@compiles(EmptyTables, "sqlite")
def _delete_each(element: EmptyTables, compiler: Any, **kw: Any) -> str:
    sequences = ", ".join(f"'{table}'" for table in element.tables)
    deletions = [f"DELETE FROM {table}" for table in element.tables]
    return "; ".join([*deletions, f"DELETE FROM sqlite_sequence WHERE name IN ({sequences})"])


@compiles(EmptyTables, "postgresql")
def _truncate(element: EmptyTables, compiler: Any, **kw: Any) -> str:
    return f"TRUNCATE {', '.join(element.tables)} RESTART IDENTITY"


class WakeWorkers(Executable, ClauseElement):
    """Notifies workers, when the transaction commits, that rows of a table changed."""

    inherit_cache = False

    def __init__(self, table: Table) -> None:
        self.table = table.name


@compiles(WakeWorkers, "sqlite")
def _is_sent_on_commit(element: WakeWorkers, compiler: Any, **kw: Any) -> str:
    return "SELECT 1"


@compiles(WakeWorkers, "postgresql")
def _notify(element: WakeWorkers, compiler: Any, **kw: Any) -> str:
    return f"SELECT pg_notify('lootkeep_work', '{element.table}')"


class IsOneOf(Condition):
    """The column's word is one of those in a text of words separated by blanks; an index on it is used.

    PostgreSQL does not plan by the words: one plan serves for all.
    """

    def __init__(self, column: Column[str], words: BindParameter[str]) -> None:
        self.column = column
        self.words = words


@compiles(IsOneOf, "sqlite")
def _in_words(element: IsOneOf, compiler: Any, **kw: Any) -> str:
    column, words = compiler.process(element.column, **kw), compiler.process(element.words, **kw)
    return f"""{column} IN (SELECT value FROM json_each('["' || replace({words}, ' ', '","') || '"]'))"""


@compiles(IsOneOf, "postgresql")
def _in_array(element: IsOneOf, compiler: Any, **kw: Any) -> str:
    column, words = compiler.process(element.column, **kw), compiler.process(element.words, **kw)
    return f"{column} = ANY ((SELECT string_to_array({words}, ' '))::text[])"


class Horizon(Executable, ClauseElement):
    """The id up to which no event can appear any more; read before the query that uses it.

    Ids are assigned before the commit: a reader that only follows ids would skip an event forever.
    """

    inherit_cache = False


@compiles(Horizon, "sqlite")
def _last_event(element: Horizon, compiler: Any, **kw: Any) -> str:
    # There is one writer: ids are committed in the order in which they are assigned.
    return "SELECT coalesce(max(id), 0) FROM events"


@compiles(Horizon, "postgresql")
def _least_announced(element: Horizon, compiler: Any, **kw: Any) -> str:
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


@compiles(IsListed, "sqlite")
def _in_json(element: IsListed, compiler: Any, **kw: Any) -> str:
    column, array = compiler.process(element.column, **kw), compiler.process(element.array, **kw)
    return f"{column} IN (SELECT value FROM json_each({array}))"


@compiles(IsListed, "postgresql")
def _in_jsonb(element: IsListed, compiler: Any, **kw: Any) -> str:
    column, array = compiler.process(element.column, **kw), compiler.process(element.array, **kw)
    values = f"SELECT jsonb_array_elements_text({array}::text::jsonb)"
    if not isinstance(element.column.type, Text):
        return f"{column} = ANY (ARRAY({values})::bigint[])"
    return f"{column} = ANY (ARRAY({values}))"


class JsonInteger(ColumnElement[int]):
    """The integer that a JSON object has under a key, or null."""

    inherit_cache = False
    type = BigInteger()

    def __init__(self, column: Column[str], key: str) -> None:
        self.column = column
        self.key = key


@compiles(JsonInteger, "sqlite")
def _json_extract(element: JsonInteger, compiler: Any, **kw: Any) -> str:
    return f"json_extract({compiler.process(element.column, **kw)}, '$.{element.key}')"


@compiles(JsonInteger, "postgresql")
def _from_jsonb(element: JsonInteger, compiler: Any, **kw: Any) -> str:
    return f"({compiler.process(element.column, **kw)}::jsonb ->> '{element.key}')::bigint"


class TakeSpace(Executable, ClauseElement):
    """Uses about 70 KB of the disk that the tables are on, and frees it: it fails if no file can grow."""

    inherit_cache = False


@compiles(TakeSpace, "sqlite")
def _is_taken(element: TakeSpace, compiler: Any, **kw: Any) -> str:
    # A transaction's writes are appended to the log, which already shows the problem.
    return "SELECT 1"


@compiles(TakeSpace, "postgresql")
def _by_temporary_file(element: TakeSpace, compiler: Any, **kw: Any) -> str:
    # A rewritten row finds space in its own page, even on a full disk. Rows that exceed the memory of a query go to a
    # file next to the tables; this depends on the setting, so it is set first.
    return (
        "SELECT count(*) FROM set_config('work_mem', '64kB', true) AS memory, "
        "generate_series(1, 5000 + 0 * length(memory))"
    )


class ServerTime(ColumnElement[int]):
    """The time of the database server, in microseconds; NULL where the database is embedded."""

    inherit_cache = True
    type = BigInteger()


@compiles(ServerTime, "sqlite")
def _no_server(element: ServerTime, compiler: Any, **kw: Any) -> str:
    return "NULL"


@compiles(ServerTime, "postgresql")
def _server_time(element: ServerTime, compiler: Any, **kw: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"
