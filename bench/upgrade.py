"""How many rows a second an upgrade reads, indexes and writes: the rates that `lootkeep upgrade --check` reckons with.

`.venv/bin/python -m bench.upgrade URL` runs statements of each kind on the orders of a filled store, in a transaction
that it rolls back, and prints what they took. Nothing else may use the store meanwhile.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import asyncpg

from lootkeep.kernel.clock import SystemClock
from lootkeep.storage import migrations
from lootkeep.storage.backup import sqlite as sqlite_backup

STATEMENTS = {
    "read": ["DELETE FROM orders WHERE total < 0", "CREATE TABLE b AS SELECT max(total) FROM orders GROUP BY status"],
    "index": ["CREATE INDEX bench_total ON orders (total, id)", "CREATE INDEX bench_status ON orders (status, total)"],
    "write": ["UPDATE orders SET updated_at = updated_at + 1", "CREATE TABLE c AS SELECT * FROM orders"],
}


async def main(url: str) -> None:
    path = Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite") else None
    if path:
        _measure_copy(path)
        connection = apsw.Connection(str(path))
        await _measure(lambda line: _run(connection, line), int(connection.execute("SELECT count(*) FROM orders").get))
    else:
        server = await asyncpg.connect(url)
        await _measure(server.execute, await server.fetchval("SELECT count(*) FROM orders"))
        await server.close()


async def _measure(run: Callable[[str], Any], rows: int) -> None:
    await run("BEGIN")
    for kind, lines in STATEMENTS.items():
        started = time.perf_counter()
        for line in lines:
            await run(line)
        seconds = time.perf_counter() - started
        print(f"{kind:6} {len(lines) * rows:12,} rows {seconds:8.2f} s {len(lines) * rows / seconds:12,.0f} rows/s")
    await run("ROLLBACK")


async def _run(connection: apsw.Connection, line: str) -> None:
    connection.execute(line).fetchall()


def _measure_copy(path: Path) -> None:
    started = time.perf_counter()
    copy = sqlite_backup.write_before_upgrade(path, migrations.HEAD, SystemClock().now())
    print(f"copy: {path.stat().st_size / (time.perf_counter() - started) / 1e6:,.0f} MB/s")
    copy.unlink()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
