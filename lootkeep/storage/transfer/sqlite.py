"""Reads one moment of an embedded store, and writes a new one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from itertools import islice
from pathlib import Path
from typing import cast

import apsw

from lootkeep.kernel import files
from lootkeep.kernel.errors import StartupError
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import READ_STAMP
from lootkeep.storage.engine.query import Query
from lootkeep.storage.transfer.tables import BATCH, FIELDS, NEW, Row, blamed

# A service that commits without a pause leaves the lock free for moments only, so it is tried this often.
_RETRY_SECONDS = 0.001
_PATIENCE_SECONDS = 60.0
# Of each index: a store that is moved waits for it.
_ANALYZED_ROWS = 1_000
# Rows are loaded faster without indexes and without the triggers of the search: both are made from all rows at the end,
# sorted in this much memory.
_MADE_LAST = """SELECT format('DROP %s %s', type, name), sql FROM sqlite_schema
WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid"""
_SEARCHES = """SELECT format('INSERT INTO %s (%s) VALUES (''rebuild'')', name, name) FROM sqlite_schema
WHERE sql LIKE 'CREATE VIRTUAL TABLE %'"""
_CACHE_KB = 64_000
# What SQLite does not write to disk.
_MEMORY = Path(":memory:")


class SqliteSource:
    """A read transaction, whose snapshot others do not change; holding writes it is the only one that could write."""

    errors: tuple[type[Exception], ...] = (apsw.Error,)

    def __init__(self, path: Path, *, holds_writes: bool = False) -> None:
        flags = apsw.SQLITE_OPEN_READWRITE if holds_writes else apsw.SQLITE_OPEN_READONLY
        with blamed(str(path), self.errors):
            self._connection = apsw.Connection(str(path), flags=flags)
        self._connection.set_busy_handler(_wait)
        try:
            self._connection.execute("BEGIN IMMEDIATE" if holds_writes else "BEGIN")
            # A snapshot begins with the first read.
            self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except apsw.Error as error:
            self._connection.close()
            raise StartupError(f"{path} cannot be read: {error}.") from None

    async def stamp(self) -> str | None:
        try:
            return str(self._connection.execute(READ_STAMP).get)
        except apsw.SQLError:
            return None

    async def batches(self, query: Query[Row]) -> AsyncIterator[list[Row]]:
        compiled = query.sqlite
        cursor = self._connection.execute(compiled.sql, compiled.arguments({}))
        while rows := list(islice(cursor, BATCH)):
            yield compiled.records(rows)

    async def last_ids(self) -> dict[str, int]:
        rows = self._connection.execute("SELECT name, seq FROM sqlite_sequence WHERE seq > 0").fetchall()
        return {str(name): cast(int, last) for name, last in rows}

    async def mark_moved(self, destination: str) -> None:
        self._connection.execute("UPDATE schema_version SET version = ?", (destination,))
        # What the writer of every process looks at.
        self._connection.execute("PRAGMA user_version = 1")
        self._connection.execute("COMMIT")

    async def close(self) -> None:
        self._connection.close()


class SqliteTarget:
    """A new file, which gets its name when it is complete. Nobody else writes one in its folder meanwhile."""

    errors: tuple[type[Exception], ...] = (apsw.Error,)

    def __init__(self, path: Path) -> None:
        if path == _MEMORY:
            raise StartupError(f"{path} is not a file, and is gone when the command ends. Name a new file.")
        if path.exists():
            raise StartupError(f"{path} exists. Move it away, or name a new file.")
        self._path = path
        self._draft = path.with_name(f"{path.name}.importing")
        self._draft.unlink(missing_ok=True)
        files.create(self._draft)
        self._connection = apsw.Connection(str(self._draft))

    async def begin(self) -> None:
        # A draft that is cut off is written again.
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF", f"cache_size = -{_CACHE_KB}"):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.execute("BEGIN IMMEDIATE")
        # A script stops at the first row that nobody fetches.
        self._connection.execute(migrations.script("sqlite", None)).fetchall()
        made_last = self._connection.execute(_MADE_LAST).fetchall()
        searches = self._connection.execute(_SEARCHES).fetchall()
        self._made_last = [str(sql) for *_, sql in (*made_last, *searches)]
        for drop, _ in made_last:
            self._connection.execute(str(drop))

    async def load(self, table: str, batches: AsyncIterator[list[Row]]) -> None:
        fields = [field.name for field in FIELDS[table]]
        sql = f"INSERT INTO {table} ({', '.join(map(_quoted, fields))}) VALUES ({', '.join('?' * len(fields))})"  # noqa: S608  our own names
        async for rows in batches:
            with blamed(NEW, self.errors):
                self._connection.executemany(sql, rows)

    async def commit(self, last_ids: Mapping[str, int], stamp: str) -> None:
        with blamed(NEW, self.errors):
            for make in self._made_last:
                self._connection.execute(make)
                # Ctrl-C is heard here.
                await asyncio.sleep(0)
            for table, last in last_ids.items():
                self._set_last_id(table, last)
            self._connection.execute("UPDATE schema_version SET version = ?", (stamp,))
            self._connection.execute("COMMIT")
            for row in self._connection.execute("PRAGMA foreign_key_check"):
                raise StartupError(f"A row of {row[0]} has a dangling reference: nothing was imported.")
            # Otherwise queries are planned without statistics; a sample of each index is enough for them.
            self._connection.execute(f"PRAGMA analysis_limit = {_ANALYZED_ROWS}")
            self._connection.execute("ANALYZE")
            self._connection.close()
        files.complete(self._draft, self._path)

    async def close(self) -> None:
        self._connection.close()
        self._draft.unlink(missing_ok=True)

    def _set_last_id(self, table: str, last: int) -> None:
        """SQLite has noted the highest of the rows."""
        self._connection.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (last, table))
        if not self._connection.changes():
            self._connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))


def set_stamp(path: Path, before: str, after: str) -> bool:
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.execute("UPDATE schema_version SET version = ? WHERE version = ?", (after, before))
        is_set = connection.changes() == 1
        connection.close()
    except apsw.Error as error:
        raise StartupError(f"{path} cannot be written: {error}.") from None
    return is_set


def _quoted(name: str) -> str:
    """Some columns are named like words of SQL."""
    return f'"{name}"'


def _wait(calls: int) -> bool:
    time.sleep(_RETRY_SECONDS)
    return calls * _RETRY_SECONDS < _PATIENCE_SECONDS
