"""How many rows a second an upgrade reads, indexes and writes: the rates that `lootkeep upgrade --check` reckons with.

`.venv/bin/python -m bench.upgrade URL` upgrades the database, which an earlier version has filled, statement by
statement, and prints what each kind took next to what the check would have said. Give it a copy.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import asyncpg

from lootkeep.kernel.clock import SystemClock
from lootkeep.storage import migrations
from lootkeep.storage.backup import sqlite as sqlite_backup
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.migrations import plan as planning


async def main(url: str) -> None:
    path = Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite") else None
    engine: Engine = SqliteDatabase(path) if path else await PostgresDatabase.open(url, 2)
    plan = await planning.plan(engine)
    script = migrations.script(engine.name, plan.current)
    counts = await planning.count_rows(engine, script)
    await engine.close()
    if path:
        _measure_copy(path, str(plan.current))
        connection = apsw.Connection(str(path))
        took = await _measure(script, counts, lambda line: _run(connection, line))
    else:
        server = await asyncpg.connect(url)
        took = await _measure(script, counts, server.execute)
        await server.close()
    print(f"{plan.current} to {migrations.HEAD}: {sum(took.values()):.1f} s, and the check says {plan.seconds:.1f} s")


async def _measure(script: str, counts: dict[str, int], run: Callable[[str], Any]) -> dict[str, float]:
    present = Counter(counts)
    rows: Counter[str] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    await run("BEGIN")
    for lines in planning.statements(script).values():
        for line in lines:
            work = planning.work(line, present)
            started = time.perf_counter()
            await run(line)
            kind = work.kind if work else "other"
            seconds[kind] += time.perf_counter() - started
            rows[kind] += work.rows if work else 0
    started = time.perf_counter()
    await run("COMMIT")
    seconds["other"] += time.perf_counter() - started
    for kind in seconds:
        print(f"{kind:6} {rows[kind]:12,} rows {seconds[kind]:8.2f} s {rows[kind] / seconds[kind]:12,.0f} rows/s")
    return seconds


async def _run(connection: apsw.Connection, line: str) -> None:
    connection.execute(line).fetchall()


def _measure_copy(path: Path, revision: str) -> None:
    started = time.perf_counter()
    copy = sqlite_backup.write_before_upgrade(path, revision, SystemClock().now())
    print(f"copy: {path.stat().st_size / (time.perf_counter() - started) / 1e6:,.0f} MB/s")
    copy.unlink()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
