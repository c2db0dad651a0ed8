"""The query plans of both engines: the tables they scan and the rows they touch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import apsw
import asyncpg

from lootkeep.storage.engine.database import OnAnswer, Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import WritingTransaction

R = TypeVar("R")

MAX_PAGE = 100

_SCAN = re.compile(r"SCAN (\w+)\b(?! USING| VIRTUAL)")


class RecordedQuery(NamedTuple):
    """A query with its arguments as it was executed."""

    query: Query[Any]
    values: dict[str, Any]
    # SQLite's writer plans without looking at the values.
    is_blind: bool


class QueryRecorder:
    """A transaction that records its queries."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self.totals = tx.totals
        self._is_blind = isinstance(tx, WritingTransaction)
        self.asked: list[RecordedQuery] = []

    async def all(self, query: Query[R], **values: Any) -> list[R]:
        self.asked.append(RecordedQuery(query, values, self._is_blind))
        return await self._tx.all(query, **values)

    async def run_slow(self, query: Query[R], **values: Any) -> list[R]:
        return await self.all(query, **values)

    async def one(self, query: Query[R], **values: Any) -> R | None:
        rows = await self.all(query, **values)
        return rows[0] if rows else None

    async def run(self, query: Query[Any], **values: Any) -> None:
        await self.all(query, **values)

    async def require(
        self, query: Query[Any], error: Exception, on_answer: OnAnswer | None = None, **values: Any
    ) -> None:
        rows = await self.all(query, **values)
        if not rows:
            raise error
        if on_answer:
            await on_answer(rows[0][0])

    async def fetch_for_each(self, query: Query[R], rows: list[dict[str, Any]]) -> list[R]:
        self.asked += [RecordedQuery(query, values, self._is_blind) for values in rows]
        return await self._tx.fetch_for_each(query, rows)

    async def execute_many(self, query: Query[Any], rows: list[dict[str, Any]]) -> None:
        self.asked += [RecordedQuery(query, values, self._is_blind) for values in rows]
        await self._tx.execute_many(query, rows)

    async def insert(self, query: Query[Any], rows: list[dict[str, Any]]) -> list[int]:
        self.asked += [RecordedQuery(query, values, self._is_blind) for values in rows]
        return await self._tx.insert(query, rows)

    def wake(self, table: str) -> None:
        self._tx.wake(table)

    def keep_ids(self, ids: Iterable[tuple[str, int]]) -> None:
        self._tx.keep_ids(ids)

    def take_ids(self, table: str, count: int) -> list[int] | None:
        return self._tx.take_ids(table, count)

    async def lock(self, name: str) -> bool:
        return await self._tx.lock(name)

    async def lock_each(self, names: Sequence[str]) -> list[bool]:
        return await self._tx.lock_each(names)

    async def wait_for(self, *names: str) -> None:
        await self._tx.wait_for(*names)


class QueryWork(NamedTuple):
    """What a query walks through: tables read from end to end, how much is touched in all, and what is sorted."""

    sql: str
    scanned: set[str]
    touched: int
    sorts: bool
    # Not the rows of a page alone.
    sorts_many: bool


async def sqlite_work(connection: apsw.Connection, aliases: dict[str, str], query: RecordedQuery) -> QueryWork:
    """Touched are steps of SQLite's machine: a handful for each row, in a scan, an index or a sort alike."""
    compiled = query.query.sqlite
    arguments = compiled.arguments(query.values)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, int(query.is_blind))
    explaining = connection.execute(f"EXPLAIN QUERY PLAN {compiled.sql}", arguments, can_cache=False)
    plan = [row[3] for row in explaining]
    scanned = {aliases.get(name, name) for line in plan for name in _SCAN.findall(line)}
    touched = _steps(connection, compiled.sql, arguments) if _reads(compiled.sql) else 0
    sorts = plan.count("USE TEMP B-TREE FOR ORDER BY")
    return QueryWork(compiled.sql, scanned, touched, sorts > 0, sorts > 1)


async def postgres_work(connection: asyncpg.Connection[Any], query: RecordedQuery) -> QueryWork:
    """Touched are the rows that any node of the plan handles, those that it throws away too."""
    compiled = query.query.postgres
    analyze = "ANALYZE, " if _reads(compiled.sql) else ""
    arguments = compiled.arguments(query.values)
    plan = await connection.fetchval(f"EXPLAIN ({analyze}FORMAT JSON) {compiled.sql}", *arguments)
    nodes = list(_nodes(json.loads(plan)[0]["Plan"]))
    scanned = {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"}
    sorted_rows = [_handled(node["Plans"][0]) for node in nodes if "Sort" in node["Node Type"]]
    touched = sum(_handled(node) for node in nodes)
    return QueryWork(compiled.sql, scanned, touched, bool(sorted_rows), any(rows > MAX_PAGE for rows in sorted_rows))


def _reads(sql: str) -> bool:
    """Only what reads can be run again."""
    return sql.startswith("SELECT") and "FOR UPDATE" not in sql


def _steps(connection: apsw.Connection, sql: str, arguments: Sequence[Any]) -> int:
    seen: list[int] = []
    connection.trace_v2(
        apsw.SQLITE_TRACE_PROFILE, lambda event: seen.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])
    )
    try:
        connection.execute(sql, arguments, can_cache=False).fetchall()
    finally:
        connection.trace_v2(0)
    return sum(seen)


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


def _handled(node: dict[str, Any]) -> int:
    rows = node.get("Actual Rows", 0) + node.get("Rows Removed by Filter", 0)
    dropped = node.get("Rows Removed by Index Recheck", 0) + node.get("Rows Removed by Join Filter", 0)
    return int((rows + dropped) * node.get("Actual Loops", 0))
