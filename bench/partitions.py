"""CPU of a delivery and of retention on PostgreSQL, with tables partitioned by month compared with plain ones.

`.venv/bin/python -m bench.partitions` needs LOOTKEEP_TEST_POSTGRES_URL (tests/servers.py gives it). Both sides run the
service's own statements on the same rows, and take turns. CPU is that of the process and of its PostgreSQL backend.
"""

import argparse
import asyncio
import os
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

import asyncpg
import msgspec
from rich.console import Console
from rich.table import Table

from bench.subjects import database, own_seconds
from lootkeep.domain.deliveries import AttemptResult
from lootkeep.domain.settlement import Settlement
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage import migrations
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.webhooks import deliveries as deliveries_db, fan_out as fan_out_db
from lootkeep.storage.webhooks.deliveries import ClaimSlot

MONTH = 30 * DAY
EVENT_TYPE = "order.paid"
# The column each table is partitioned by, and the keys that must then contain it.
PARTITIONED = {"events": "id", "deliveries": "event_id", "attempts": "delivery_id"}
WEBHOOK = f"""INSERT INTO webhooks (url, events, is_active, secret, created_at, updated_at, header_names)
VALUES ('https://receiver.example', '["{EVENT_TYPE}"]', true, 'sealed', 0, 0, '[]')"""
HISTORY = (
    f"INSERT INTO events (type, data, created_at, fanned_out_at) SELECT '{EVENT_TYPE}', repeat('x', 900), at, at"
    " FROM (SELECT $1::bigint + n * ($2::bigint / $3::bigint) AS at FROM generate_series(1, $3::bigint) AS n) AS times",
    "INSERT INTO deliveries (public_id, event_id, webhook_id, event_type, status, priority, due_at, attempts_count,"
    f" failures, response_code, created_at, finished_at) SELECT 'wh_' || gen_random_uuid(), id, 1, '{EVENT_TYPE}',"
    " 'delivered', 0, created_at, 1, 0, 200, created_at, created_at FROM events ORDER BY id",
    "INSERT INTO attempts (delivery_id, number, outcome, started_at, finished_at, response_code, latency_ms)"
    " SELECT id, 1, 'delivered', created_at, created_at, 200, 20 FROM deliveries ORDER BY id",
)


class Payload(msgspec.Struct):
    """As large as a typical order."""

    text: str = "x" * 900


@dataclass
class Side:
    """One layout of the tables, its connection, and the CPU microseconds of everything measured on it."""

    name: str
    engine: PostgresDatabase
    connection: asyncpg.Connection
    backends: list[int]
    now: Instant
    measured: dict[str, list[float]] = field(default_factory=dict)

    async def measure(self, name: str, count: int, work: Callable[[], Awaitable[None]]) -> None:
        started = self.cpu_seconds()
        await work()
        seconds = self.cpu_seconds() - started
        self.measured.setdefault(name, []).append(seconds * 1e6 / count)

    def cpu_seconds(self) -> float:
        return time.process_time() + sum(own_seconds(pid) for pid in self.backends)


async def main() -> None:
    options = parse_options()
    now = Instant(time.time_ns() // 1000)
    async with side("plain", options, now) as plain, side("by month", options, now) as monthly:
        sides = [plain, monthly]
        for number in range(options.rounds):
            for each in sides:
                await one_round(each, options.deliveries, is_warm=number > 0)
            sides.reverse()
        for each in (plain, monthly):
            await each.measure("removing an event and its delivery", options.rows, partial(purge, each, options.months))
    Console(width=110).print(as_table(plain, monthly))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.partitions")
    parser.add_argument("--months", type=int, default=12, help="that are stored, before the one that is written")
    parser.add_argument("--rows", type=int, default=20_000, help="events of a month, each with a delivery")
    parser.add_argument("--deliveries", type=int, default=200, help="in a round")
    parser.add_argument("--rounds", type=int, default=21)
    return parser.parse_args()


@asynccontextmanager
async def side(name: str, options: argparse.Namespace, now: Instant) -> AsyncIterator[Side]:
    async with database("postgresql") as place:
        engine = await PostgresDatabase.open(place.url, 1)
        await migrations.upgrade(engine)
        connection = await asyncpg.connect(place.url)
        if name == "by month":
            for table, column in PARTITIONED.items():
                await partition(connection, table, column, options)
        await fill(connection, options, now)
        backends = await connection.fetch("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        yield Side(name, engine, connection, [pid for (pid,) in backends], now)
        await connection.close()
        await engine.close()


async def partition(connection: asyncpg.Connection, table: str, column: str, options: argparse.Namespace) -> None:
    """The same table, by ranges of ids that are a month each: `id` grows with time, and the keys stay as they are."""
    indexes = await connection.fetch("SELECT indexdef FROM pg_indexes WHERE tablename = $1", table)
    triggers = await connection.fetch(
        "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = $1::text::regclass AND NOT tgisinternal", table
    )
    old = f"{table}_plain"
    await connection.execute(f"ALTER TABLE {table} RENAME TO {old}")
    await connection.execute(
        f"CREATE TABLE {table} (LIKE {old} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE ({column})"
    )
    for (definition,) in indexes:
        await connection.execute(as_partitioned(definition, table, column))
    for (definition,) in triggers:
        await connection.execute(definition.replace(f"public.{old}", table))
    rows = options.rows
    for month in range(options.months + 1):
        upper = "MAXVALUE" if month == options.months else str((month + 1) * rows + 1)
        await connection.execute(
            f"CREATE TABLE {table}_{month} PARTITION OF {table} FOR VALUES FROM ({month * rows + 1}) TO ({upper})"
        )


def as_partitioned(definition: str, table: str, column: str) -> str:
    definition = re.sub(r"INDEX \S+ ON \S+", f"INDEX ON {table}", definition)
    if "UNIQUE" in definition and not re.search(rf"\b{column}\b", definition.partition("USING")[2]):
        definition = definition.replace(")", f", {column})", 1)
    return definition


async def fill(connection: asyncpg.Connection, options: argparse.Namespace, now: Instant) -> None:
    await connection.execute(WEBHOOK)
    events, *others = HISTORY
    for month in range(options.months):
        await connection.execute(events, now - (options.months - month) * MONTH, MONTH, options.rows)
    for statement in others:
        await connection.execute(statement)
    await connection.execute("VACUUM ANALYZE")


async def one_round(side: Side, count: int, *, is_warm: bool) -> None:
    """What happens to an event: it is recorded, fanned out, claimed and settled, as the workers do it."""
    scratch = side if is_warm else replace(side, measured={})
    lease = secrets.token_hex(8)

    async def append() -> None:
        for _ in range(count):
            async with side.engine.write() as tx:
                await outbox_db.append(tx, EVENT_TYPE, Payload(), side.now)

    async def spread() -> None:
        more = True
        while more:
            async with side.engine.write() as tx:
                more = bool(await fan_out_db.fan_out(tx, lambda: f"wh_{secrets.token_hex(16)}", side.now))

    async def send() -> None:
        claimed = True
        while claimed:
            async with side.engine.write() as tx:
                due = (await deliveries_db.due(tx, side.now)).webhooks
                slots = [ClaimSlot(webhook, priorities, 10) for webhook, priorities in due]
                pairs, _ = await deliveries_db.claim(tx, slots, lease, side.now)
            claimed = bool(pairs)
            result = AttemptResult(is_delivered=True, response_code=200, latency_ms=20, reason=None, excerpt="ok")
            finished = [(item, result, Settlement("delivered", side.now, 0)) for _, item in pairs]
            async with side.engine.write() as tx:
                await deliveries_db.settle(tx, lease, finished, side.now)

    async def feed() -> None:
        for _ in range(20):
            async with side.engine.read() as tx:
                await outbox_db.events_after(tx, 100, 50)

    await scratch.measure("recording an event", count, append)
    await scratch.measure("fanning it out", count, spread)
    await scratch.measure("claiming and settling, ten at a time", count, send)
    await scratch.measure("a page of the feed", 20, feed)


async def purge(side: Side, months: int) -> None:
    """The first month: row by row as retention does it, with the vacuum that follows, or by dropping its partitions."""
    connection = side.connection
    if side.name == "by month":
        for table in reversed(PARTITIONED):
            await connection.execute(f"DROP TABLE {table}_0")
        return
    before = Instant(side.now - (months - 1) * MONTH)
    for remove in (deliveries_db.QUEUE.purge, outbox_db.purge):
        more = True
        while more:
            async with side.engine.write() as tx:
                more = await remove(tx, before) > 0
    await connection.execute("VACUUM events, deliveries, attempts")


def as_table(plain: Side, monthly: Side) -> Table:
    table = Table(title=f"CPU microseconds of the process and its backend, {os.cpu_count()} cores, medians")
    for name in ("what", plain.name, monthly.name, "ratio"):
        table.add_column(name, justify="left" if name == "what" else "right")
    for name in plain.measured:
        ours, theirs = (median(side.measured[name]) for side in (plain, monthly))
        table.add_row(name, f"{ours:.1f}", f"{theirs:.1f}", f"{theirs / ours:.2f}")
    return table


if __name__ == "__main__":
    asyncio.run(main())
