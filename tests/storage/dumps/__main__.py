"""Writes a dump of a small store at the present schema, on both engines, with rows in every table.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m tests.storage.dumps`, before the first migration that follows
a release. What is written is committed and never changes.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import os
import re
import subprocess
import tempfile
from pathlib import Path

import apsw.shell

from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import metadata
from lootkeep.toolbox.demo_store import load as loading
from tests.conftest import drop_postgres_database, new_postgres_database
from tests.programs import postgres_folder
from tests.recount import rows
from tests.storage.dumps import FOLDER
from tests.world import World

ORDERS = 100
TIER = {"name": "Bronze", "referrals_required": 1, "reward_type": "percentage_discount", "reward_value": 10}
PG_DUMP = ("--no-owner", "--no-privileges", "--no-comments", "--inserts", "--rows-per-insert=100")
# What a dump begins with: who wrote it and when, and settings that not every version knows.
POSTGRES_HEAD = re.compile(r"\A.*?(?=^SELECT pg_catalog\.set_config\('search_path')", re.DOTALL | re.MULTILINE)
SQLITE_HEAD = re.compile(r"\A.*?(?=^PRAGMA page_size)", re.DOTALL | re.MULTILINE)
# Commands to psql.
META_COMMAND = re.compile(r"^\\(un)?restrict .*\n", re.MULTILINE)


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "store.db"
        await _fill(SqliteDatabase(file))
        _write("sqlite", _sqlite_dump(file))
    admin_url = os.environ["LOOTKEEP_TEST_POSTGRES_URL"]
    url = await new_postgres_database(admin_url, f"lootkeep_dump_{os.getpid()}")
    try:
        await _fill(await PostgresDatabase.open(url, 2))
        _write("postgresql", _postgres_dump(url))
    finally:
        await drop_postgres_database(admin_url, url)


async def _fill(db: Engine) -> None:
    await migrations.upgrade(db)
    world = World(db)
    await world.begin()
    await loading.load(world.deps, "small", 1, ORDERS, lambda count: None)
    # What the demo has none of.
    await world.post("/referrals/tiers", TIER, headers={"Idempotency-Key": "first"})
    await world.post("/webhooks/1/replay", {"since": "2026-11-15T00:00:00Z"})
    empty = [table.name for table in metadata.sorted_tables if not await rows(db, table)]
    assert not empty, f"These tables have no rows: {', '.join(empty)}. Fill them too."
    await world.close()
    await db.close()


def _sqlite_dump(file: Path) -> str:
    output = io.StringIO()
    apsw.shell.Shell(stdout=output, args=[str(file)]).process_command(".dump")  # type: ignore[no-untyped-call]
    return SQLITE_HEAD.sub("", output.getvalue())


def _postgres_dump(url: str) -> str:
    command = [str(postgres_folder() / "pg_dump"), *PG_DUMP, url]
    written = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return META_COMMAND.sub("", POSTGRES_HEAD.sub("", written))


def _write(engine: str, statements: str) -> None:
    file = FOLDER / f"{migrations.HEAD}.{engine}.sql.gz"
    # Without a time in it, so that the same store gives the same file.
    file.write_bytes(gzip.compress(statements.encode(), 9, mtime=0))
    print(f"{file.name}: {file.stat().st_size // 1024} KB")


asyncio.run(main())
