"""What a month of 10,000 orders and a year of 1,000,000 cost in analytics, on both engines, as CPU and as time.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.analytics`. Both endpoints are measured as they read,
without HTTP; on PostgreSQL the server's CPU counts too. The year is the last one of a store of two years, so that not
all maintained sums belong to it. Ends with status 1 when a year costs more than its target.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import uvloop
from rich.console import Console

from bench import built
from bench.readings import ENGINES, TARGET, Call, GrowthResult, OpenStore, as_table, measure, opened
from lootkeep.api.external.analytics import AnalyticsQuery, get_revenue, get_sales
from lootkeep.api.http.routes import Call as Request
from lootkeep.deps import CurrentSettings, Deps
from lootkeep.domain.access import Token
from lootkeep.kernel.clock import DAY, Instant, ManualClock, instant
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.totals import recount as recount_db
from lootkeep.storage.totals.changes import SHARDS
from lootkeep.storage.totals.declared import SALES

END = instant(datetime(2026, 1, 1, tzinfo=UTC))
NOW = END - 3600 * 1_000_000
# Orders, and the days over which they are spread.
SIZES = {10_000: 30, 2_000_000: 730}
# How many days are asked for.
ASKED = {10_000: 30, 2_000_000: 365}
PRODUCTS, COUNTRIES = 50, 30
NUMBERS = {
    "sqlite": "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {0}) SELECT i FROM n) AS n",
    "postgresql": "generate_series(1::bigint, {0}) AS n(i)",
}
INDEXES = """
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS made FROM pg_index
    WHERE indrelid IN ('customers'::regclass, 'orders'::regclass, 'order_items'::regclass, 'refunds'::regclass)
    AND NOT indisunique
"""
# How many days before the end, and the rest of the query.
QUERIES = {
    "by default": (0, {}),
    "by default, Kathmandu": (0, {"timezone": "Asia/Kathmandu"}),
    "by default, from the middle of a month": (17, {}),
}


def statements(engine: str, size: int) -> list[str]:
    """Orders of uneven customers and products, as the services would have written them; totals are counted after."""
    people, step = size * 3 // 10, SIZES[size] * DAY // size
    begin = END - SIZES[size] * DAY

    def numbers(how_many: int) -> str:
        return NUMBERS[engine].format(how_many)

    # One in ten orders goes to one customer in a hundred; the others to anyone.
    who = f"CASE WHEN i % 10 = 0 THEN i * 7919 % {max(1, people // 100)} ELSE i * 104729 % {people} END + 1"
    product = f"i * 31 % {PRODUCTS} * (i * 17 % 3) / 2 + 1"
    false = "false" if engine == "postgresql" else "0"
    status = "CASE WHEN i % 20 = 0 THEN 'refunded' WHEN i % 10 = 1 THEN 'paid' ELSE 'completed' END"
    paid_at = f"{begin} + i * {step} - 1"
    return [
        "INSERT INTO customers (id, email, name, status, accepts_marketing, email_status, referral_code, orders_count,"
        " total_spent, tags, search_text, created_at, updated_at)"
        f" SELECT i, 'c' || i || '@c.example', 'Customer ' || i, 'active', {false}, 'ok', 'C' || i, 0, 0, '[]',"
        f" 'c' || i, {begin} - 1, {begin} - 1 FROM {numbers(people)}",
        "INSERT INTO products (id, name, slug, delivery_type, billing_type, status, price, currency, tags, sales_count,"
        " metadata, search_text, created_at, updated_at)"
        f" SELECT i, 'Product ' || i, 'p' || i, 'manual', 'one_time', 'active', i * 100, 'USD', '[]', 0, '{{}}',"
        f" 'product ' || i, {begin}, {begin} FROM {numbers(PRODUCTS)}",
        "INSERT INTO orders (id, customer_id, status, subtotal, discount_total, total, gift_card_total, refunded_total,"
        " currency, payment_method, billing_country, metadata, created_at, updated_at, paid_at, completed_at,"
        " refunded_at) SELECT i, who, status, product * 100, 0, product * 100, 0,"
        " CASE WHEN status = 'refunded' THEN product * 100 ELSE 0 END, 'USD', 'method ' || (i % 4),"
        f" 'C' || (i * 13 % {COUNTRIES}), '{{}}', paid_at - 1000000, paid_at, paid_at,"
        " CASE WHEN status <> 'paid' THEN paid_at END, CASE WHEN status = 'refunded' THEN paid_at END"
        f" FROM (SELECT i, {who} AS who, {status} AS status, {product} AS product, {paid_at} AS paid_at"
        f" FROM {numbers(size)}) AS made",
        "INSERT INTO order_items (order_id, product_id, product_name, delivery_type, quantity, price, total,"
        " fulfilled_quantity) SELECT id, total / 100, 'x', 'manual', 1, total, total, 0 FROM orders",
        "INSERT INTO refunds (order_id, amount, created_at, tax) SELECT id, total, refunded_at, 0 FROM orders"
        " WHERE status = 'refunded'",
    ]


# A recount puts every sum into one shard; operations of different customers have spread theirs.
SPREAD = {
    "sales_rollups": ("dimension, level, block, key, currency", "orders", SALES.sums),
    "counters": ("name", "value", ("value",)),
}


def spreading() -> Iterator[str]:
    for table, (key, count, values) in SPREAD.items():
        quarters = ", ".join(f"{name} / {SHARDS}" for name in values)
        for shard in range(1, SHARDS):
            yield (
                f"INSERT INTO {table} ({key}, shard, {', '.join(values)})"
                f" SELECT {key}, {shard}, {quarters} FROM {table} WHERE shard = 0 AND {count} > {shard}"
            )
        shards = f"CASE WHEN {count} > {SHARDS} THEN {SHARDS} ELSE {count} END - 1"
        rest = ", ".join(f"{name} = {name} - {name} / {SHARDS} * ({shards})" for name in values)
        yield f"UPDATE {table} SET {rest} WHERE shard = 0 AND {count} > 1"


def main() -> int:
    options = parse_options()
    results: list[GrowthResult] = []
    for engine in options.engine or ENGINES:
        addresses = [asyncio.run(made(engine, size)) for size in SIZES]
        results += uvloop.run(compare(engine, addresses, options.rounds))
    Console(width=140).print(as_table(results))
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    return int(any(max(result.cpu_ratio, result.wall_ratio) > TARGET for result in results))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.analytics")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures to this file")
    return parser.parse_args()


async def made(engine: str, size: int) -> str:
    """The address of a store with this many orders; built unless it exists."""
    started = time.monotonic()
    name = built.name_of("analytics", size, __file__)
    if engine == "sqlite":
        address = str(await built.on_sqlite(name, partial(_fill_sqlite, size=size)))
    else:
        address = await built.on_postgres(name, partial(_fill, size=size))
    print(f"{engine} with {size:,} orders is there after {time.monotonic() - started:.0f} s", file=sys.stderr)
    return address


async def _fill_sqlite(path: Path, size: int) -> None:
    engine = SqliteDatabase(path)
    await migrations.upgrade(engine)
    connection = apsw.Connection(str(path))
    for pragma in ("synchronous = OFF", "cache_size = -1000000"):
        connection.execute(f"PRAGMA {pragma}")
    with connection:
        for statement in statements("sqlite", size):
            connection.execute(statement)
    await _count(engine)
    with connection:
        for statement in spreading():
            connection.execute(statement)
    connection.close()
    await engine.close()


async def _fill(url: str, size: int) -> None:
    engine = await PostgresDatabase.open(url, 1)
    await migrations.upgrade(engine)
    connection = await asyncpg.connect(url)
    await connection.execute("SET session_replication_role = replica")
    # Indexes are made faster at once than row by row.
    indexes = await connection.fetch(INDEXES)
    await connection.execute(f"DROP INDEX {', '.join(index['name'] for index in indexes)}")
    for statement in [*statements("postgresql", size), *(index["made"] for index in indexes), "ANALYZE"]:
        await connection.execute(statement)
    await _count(engine)
    for statement in spreading():
        await connection.execute(statement)
    await connection.execute("VACUUM ANALYZE")
    await connection.close()
    await engine.close()


async def _count(engine: Engine) -> None:
    started = time.monotonic()
    async with engine.write() as tx:
        await recount_db.repair(tx, "USD", Instant(NOW))
    print(f"  counted in {time.monotonic() - started:.0f} s", file=sys.stderr)


async def compare(engine: str, addresses: list[str], rounds: int) -> list[GrowthResult]:
    stores = [await opened(engine, size, address) for size, address in zip(SIZES, addresses, strict=True)]
    results = []
    for endpoint in (get_revenue, get_sales):
        for name, (back, query) in QUERIES.items():
            # Nothing of a month's store is before its month.
            calls = [asked(endpoint, store, query, back if store.size > min(SIZES) else 0) for store in stores]
            title = f"{endpoint.__name__.removeprefix('get_')} {name}"
            results.append(await measure(engine, title, stores, calls, rounds))
    for store in stores:
        await store.engine.close()
    return results


def asked(
    endpoint: Callable[[Request[Any, Any]], Awaitable[object]], store: OpenStore, query: dict[str, str], back: int
) -> Call:
    """The last month or year but for some days, as its endpoint reads it."""
    days = (back + ASKED[store.size], back + 1)
    first, last = (datetime.fromtimestamp((END - day * DAY) / 1e6, UTC).date() for day in days)
    parsed = AnalyticsQuery.model_validate({"from": first.isoformat(), "to": last.isoformat(), **query})
    token = Token(1, 1, "bench", "", "", None, NOW, None, None, None)  # type: ignore[arg-type]
    deps = Deps(ManualClock(NOW), None, store.engine, None, None, None, None, CurrentSettings(), None)  # type: ignore[arg-type]
    return lambda: endpoint(Request(deps, token, {}, None, parsed))


if __name__ == "__main__":
    sys.exit(main())
