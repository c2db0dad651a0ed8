"""What it costs to fix the recipients of a campaign, on both engines, and for how long others are held up by it.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.campaigns`. Meanwhile another task reads a row every
millisecond, and a third one writes: the longest that either had to wait is printed. Ends with status 1 when it takes
longer than its target.
"""

import argparse
import asyncio
import os
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import uvloop
from rich.console import Console
from rich.table import Table
from sqlalchemy import BigInteger, bindparam, select, text, update

from bench.readings import ENGINES
from lootkeep.deps import CurrentSettings, Deps
from lootkeep.domain.audiences import Audience
from lootkeep.kernel.clock import SystemClock
from lootkeep.services import campaigns as campaigns_service
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import customers

TARGET_SECONDS = 10.0
NUMBERS = {
    "sqlite": "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {0}) SELECT i FROM n) AS n",
    "postgresql": "generate_series(1::bigint, {0}) AS n(i)",
}
PEOPLE = (
    "INSERT INTO customers (email, name, status, accepts_marketing, email_status, referral_code, orders_count,"
    " total_spent, tags, search_text, created_at, updated_at)"
    " SELECT 'c' || i || '@c.example', 'Customer ' || i, 'active', true, 'ok', 'C' || i, 0, 0, '[]', 'c' || i, 1, 1"
    " FROM "
)
LAST = Query(select(customers.c.id, customers.c.name).where(customers.c.id == bindparam("this", type_=BigInteger)))
TOUCH = Query(update(customers).where(customers.c.id == bindparam("this", type_=BigInteger)).values(updated_at=2))


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.campaigns")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    parser.add_argument("--recipients", type=int, default=100_000)
    options = parser.parse_args()
    table = Table(title=f"{options.recipients:,} recipients, at most {TARGET_SECONDS:.0f} s", title_justify="left")
    for name in ("engine", "seconds", "CPU s here", "MB more here", "a read waited ms", "a write waited ms"):
        table.add_column(name)
    took = []
    for engine in options.engine or ENGINES:
        figures = uvloop.run(measured(engine, options.recipients))
        took.append(figures[0])
        table.add_row(engine, *(f"{value:,.1f}" for value in figures))
    Console(width=120).print(table)
    return int(max(took) > TARGET_SECONDS)


async def measured(engine: str, size: int) -> list[float]:
    async with store(engine, size) as db:
        deps = Deps(SystemClock(), None, db, None, None, None, None, CurrentSettings(), None)  # type: ignore[arg-type]
        email = {"name": "N", "subject": "S", "body_text": "Hello", "audience": Audience()}
        optional = dict.fromkeys(("preview_text", "from_name", "reply_to", "body_html"))
        campaign = await campaigns_service.create(deps, optional | email)
        before, started, spent = memory(), time.perf_counter(), time.process_time()
        sending = asyncio.create_task(campaigns_service.send(deps, campaign.id, None))
        waits = await asyncio.gather(longest(sending, reading(db)), longest(sending, writing(db, size)))
        sent = await sending
        assert sent.recipients_count == size
        seconds = time.perf_counter() - started
        return [seconds, time.process_time() - spent, memory() - before, *(wait * 1000 for wait in waits)]


async def longest(sending: asyncio.Task[object], operation: Callable[[], Awaitable[object]]) -> float:
    """The longest time, over and over, between wanting an operation and having it done."""
    worst = 0.0
    while not sending.done():
        deadline = time.perf_counter() + 0.001
        await asyncio.sleep(0.001)
        await operation()
        worst = max(worst, time.perf_counter() - deadline)
    return worst


def reading(db: Engine) -> Callable[[], Awaitable[object]]:
    async def read() -> None:
        async with db.read() as tx:
            await tx.all(LAST, this=1)

    return read


def writing(db: Engine, size: int) -> Callable[[], Awaitable[object]]:
    async def write() -> None:
        async with db.write() as tx:
            await tx.run(TOUCH, this=size)

    return write


def memory() -> float:
    """The most that this process has used so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@asynccontextmanager
async def store(engine: str, size: int) -> AsyncIterator[Engine]:
    """A store with this many customers who may be written to; gone afterwards."""
    people = Query(text(PEOPLE + NUMBERS[engine].format(size)))
    if engine == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield await filled(SqliteDatabase(Path(folder) / "lootkeep.db"), people)
        return
    admin_url = os.environ.get("LOOTKEEP_TEST_POSTGRES_URL")
    if not admin_url:
        raise SystemExit("LOOTKEEP_TEST_POSTGRES_URL is not set: run this under tests/servers.py.")
    admin = await asyncpg.connect(admin_url)
    name = f"campaigns_{os.getpid()}"
    await admin.execute(f"CREATE DATABASE {name}")
    try:
        url = urlsplit(admin_url)._replace(path=f"/{name}").geturl()
        yield await filled(await PostgresDatabase.open(url, 3), people)
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


async def filled(db: Engine, people: Query[tuple[object, ...]]) -> Engine:
    await migrations.upgrade(db)
    async with db.write() as tx:
        await tx.run(people)
    return db


if __name__ == "__main__":
    sys.exit(main())
