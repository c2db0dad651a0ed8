"""A store with sample and hostile data, as files that can be compared."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import apsw

from lootkeep.storage import migrations
from lootkeep.storage.engine.sqlite import SqliteDatabase
from tests.cli.demo_store import loaded
from tests.cli.terminal import KEY, Terminal

HOSTILE = '\\N\t"quoted" \'; DROP TABLE orders; -- \u2028 ﷽ 💎 \\u0000 \r\n{{ 7*7 }} {"a": 1}'
# JSON that was not written by us, and times that no calendar has.
DOCUMENTS = ('{ "a" :\n 1, "a": 2 }', "{broken}", '"text"', '{"n": 1e400, "s": "\\ud83d\\udc8e"}', " {}")
# Every row of every table, and the last ids.
Dump = tuple[dict[str, list[str]], dict[str, int]]
FAR = (-(2**62), 2**62, -1, 253_402_300_800_000_000)


def make(folder: Path) -> None:
    """An embedded store at `lootkeep.db`, whose highest order is gone."""

    async def load() -> None:
        db = SqliteDatabase(folder / "lootkeep.db")
        await migrations.upgrade(db)
        await loaded(db)
        await db.close()

    asyncio.run(load())
    connection = apsw.Connection(str(folder / "lootkeep.db"))
    connection.execute("UPDATE customers SET name = ?, note = ?", (HOSTILE, HOSTILE))
    for number, (document, time) in enumerate(zip(DOCUMENTS, (*FAR, 0), strict=True), 1):
        connection.execute("UPDATE events SET data = ?, created_at = ? WHERE id = ?", (document, time, number))
    connection.execute("UPDATE sqlite_sequence SET seq = seq + 7 WHERE name = 'orders'")
    # A row that refers to one that is written after it.
    connection.execute("UPDATE customers SET referred_by_id = (SELECT max(id) FROM customers) WHERE id = 1")
    connection.close()


def settings(url: str) -> dict[str, str]:
    return {"database_url": url, "secret_key": KEY}


def dump(terminal: Terminal, folder: Path) -> Dump:
    done = terminal.call("export", str(folder))
    assert done.code == 0, done.err
    return read(folder)


def read(folder: Path) -> Dump:
    """Text is sorted differently by the engines."""
    tables = {file.stem: sorted(file.read_text().split("\n")) for file in folder.glob("*.ndjson")}
    return tables, manifest(folder)["last_ids"]


def manifest(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text())
