"""What the longest lists cost with 10,000 rows and with 1,000,000, on both engines, as CPU and as time.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.lists`. Each is measured as its endpoint reads it,
without HTTP; on PostgreSQL the server's CPU counts too. What a filter matches grows with the store, but for the search.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import asyncpg
import uvloop
from rich.console import Console

from bench import built
from bench.analytics import NUMBERS
from bench.data import set_sequences
from bench.readings import ENGINES, SIZES, GrowthResult, Reading, as_calls, as_table, is_met, measure, opened
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.paging import ListRequest, PageRequest, SortDirection
from lootkeep.storage import audit as audit_db, coupons as coupons_db, creators as creators_db, migrations
from lootkeep.storage.campaigns import rows as campaigns_db
from lootkeep.storage.customers import lists as customer_lists_db
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.lists import Listing
from lootkeep.storage.orders import lists as order_lists_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.products import lists as product_lists_db

DAYS = 400
BEGIN = Instant(20_000 * DAY)
# In twenty rows, however many there are.
RARE = "xqz"
FIRST = PageRequest(1, 15)
_CAMPAIGN_COUNTS = ("recipients", "sent", "failed", "skipped", "outbox", "perhaps_twice", "opened", "clicked")


class List(NamedTuple):
    """A list, and a value for each of its filters that one row in a hundred has, or one in a thousand."""

    listing: Listing[Any]
    values: dict[str, Any]


_TIMES = {"from": Instant(BEGIN + 200 * DAY), "to": Instant(BEGIN + 4 * DAY)}
LISTS = {
    "orders": List(
        order_lists_db.LISTING,
        _TIMES
        | {"customer_id": 77, "email": "c77@c.example", "coupon_code": "C7", "product_id": 7, "risk_level": "high"}
        | {"country": "C7", "payment_method": "M7", "status": "paid", "min_total": 99_00, "max_total": 1_00}
        | {"external_id": "O77", "ids": "[77]"},
    ),
    "customers": List(
        customer_lists_db.LISTING,
        _TIMES
        | {"email": "c77@c.example", "country": "C7", "status": "blocked", "min_total_spent": 99_00}
        | {"has_orders": 99, "has_no_orders": 0, "accepts_marketing": True, "external_id": "E77", "tag": "T7"}
        | {"ids": "[77]", "identity": "steam:7"},
    ),
    "products": List(
        product_lists_db.LISTING,
        _TIMES
        | {"tag": "T7", "category": "C7", "delivery_type": "file", "status": "draft", "billing_type": "recurring"}
        | {"min_price": 99_00, "max_price": 1_00, "in_stock": 999, "out_of_stock": 0},
    ),
    "campaigns": List(campaigns_db.LISTING, _TIMES | {"status": "draft"}),
    "coupons": List(coupons_db.LISTING, _TIMES | {"batch": "B7", "state": "expired", "origin": "creator"}),
    "creators": List(creators_db.LISTING, {}),
    "payment events": List(
        payment_events_db.LISTING, {"order_id": 77, "source_id": 7, "status": "unmatched", "type": "T7"}
    ),
    "audit log": List(
        audit_db.LISTING,
        _TIMES | {"record": "order:7", "action": "A7", "area": '["A7", "A8"]', "user_id": 7, "channel": "command_line"},
    ),
}


def statements(engine: str, size: int) -> Iterator[str]:
    """As the services would have written them; numbers that repeat in hundreds cover every filter."""
    true, false = ("true", "false") if engine == "postgresql" else ("1", "0")
    numbers = NUMBERS[engine].format(size)
    at = f"{BEGIN} + (i * {DAYS * DAY // size})"
    search = f"|| i || CASE WHEN i % {size // 20} = 0 THEN ' {RARE}' ELSE '' END"
    yield (
        "INSERT INTO customers (id, external_id, email, name, country, status, accepts_marketing, email_status,"
        " referral_code, orders_count, total_spent, tags, search_text, created_at, updated_at)"
        f" SELECT i, 'E' || i, 'c' || i || '@c.example', 'Customer ' || (i * 7919 % {size}), 'C' || (i % 100),"
        f" CASE WHEN i % 100 = 3 THEN 'blocked' ELSE 'active' END, CASE WHEN i % 100 = 5 THEN {true} ELSE {false} END,"
        f" 'ok', 'C' || i, i % 100, i * 31 % 100 * 100, '[]', 'customer ' {search}, {at}, {at} FROM {numbers}"
    )
    yield (
        "INSERT INTO products (id, name, slug, delivery_type, billing_type, billing_interval, billing_interval_count,"
        " status, price, currency, stock, category, tags, sales_count, metadata, search_text, created_at, updated_at)"
        f" SELECT i, 'Product ' || (i * 7919 % {size}), 'p' || i, CASE WHEN i % 100 = 3 THEN 'file' ELSE 'manual' END,"
        " CASE WHEN i % 100 = 4 THEN 'recurring' ELSE 'one_time' END, CASE WHEN i % 100 = 4 THEN 'month' END,"
        " CASE WHEN i % 100 = 4 THEN 1 END, CASE WHEN i % 100 = 5 THEN 'draft' ELSE 'active' END, (i * 31 % 100) * 100,"
        f" 'USD', i * 17 % 1000, 'C' || (i % 100), '[]', i * 13 % 1000, '{{}}', 'product ' {search}, {at}, {at}"
        f" FROM {numbers}"
    )
    for noun in ("product", "customer"):
        yield f"INSERT INTO {noun}_tags (tag, {noun}_id) SELECT 'T' || (i % 1000), i FROM {numbers}"
    yield f"INSERT INTO customer_identities (player, customer_id) SELECT 'steam:' || (i % 1000), i FROM {numbers}"
    counts = "".join(f", {name}_count" for name in (*_CAMPAIGN_COUNTS, "unsubscribed"))
    yield (
        "INSERT INTO email_campaigns (id, name, subject, is_text_derived, links, audience, status, next_at,"
        f" search_text, created_at, updated_at{counts})"
        f" SELECT i, 'Campaign ' || (i * 7919 % {size}), 'S', {false}, '[]', '{{}}',"
        f" CASE WHEN i % 100 = 5 THEN 'draft' ELSE 'sent' END, 0, 'campaign ' {search}, {at}, {at}"
        f"{', 0' * (len(_CAMPAIGN_COUNTS) + 1)} FROM {numbers}"
    )
    yield (
        "INSERT INTO audit_log (user_id, action, record, before, after, ip_address, channel, created_at)"
        " SELECT i % 100 + 1, 'A' || (i % 100), 'order:' || (i % 1000), '{}', '{}', '192.0.2.1',"
        f" CASE WHEN i % 100 = 5 THEN 'command_line' ELSE 'console' END, {at} FROM {numbers}"
    )
    yield from _sales(numbers, at)
    yield from _payments(engine, numbers, at, search, size)


def _sales(numbers: str, at: str) -> Iterator[str]:
    """Orders with their lines, and what is counted of all lists while writing."""
    yield (
        "INSERT INTO orders (id, customer_id, status, subtotal, discount_total, total, gift_card_total, refunded_total,"
        " currency, coupon_code, payment_method, billing_country, risk_level, metadata, created_at, updated_at,"
        " paid_at, external_id)"
        " SELECT i, i, CASE WHEN i % 100 = 5 THEN 'paid' ELSE 'completed' END, i * 31 % 100 * 100, 0,"
        " i * 31 % 100 * 100, 0, 0, 'USD', CASE WHEN i % 10 = 7 THEN 'C' || (i % 100) END, 'M' || (i % 100),"
        " 'C' || (i % 100), CASE WHEN i % 100 = 9 THEN 'high' ELSE 'minimal' END,"
        f" '{{}}', {at}, {at}, {at}, 'O' || i FROM {numbers}"
    )
    yield (
        "INSERT INTO order_items (order_id, product_id, product_name, delivery_type, quantity, price, total,"
        f" fulfilled_quantity) SELECT i, i % 100, 'x', 'manual', 1, 1, 1, 0 FROM {numbers}"
    )
    for table in ("customers", "products", "email_campaigns", "orders"):
        name = "'orders.' || status" if table == "orders" else f"'{table}.all'"
        yield f"INSERT INTO counters (name, shard, value) SELECT {name}, 0, count(*) FROM {table} GROUP BY 1"


def _payments(engine: str, numbers: str, at: str, search: str, size: int) -> Iterator[str]:
    """Coupons, each with a creator, and events of a payment provider."""
    true, false = ("true", "false") if engine == "postgresql" else ("1", "0")
    yield (
        "INSERT INTO coupons (id, code, origin, discount_type, value, product_ids, categories, first_order_only,"
        " is_active, batch, uses_count, reserved_count, stored_state, search_text, created_at, updated_at,"
        " ends_at)"
        " SELECT i, 'C' || i, CASE WHEN i % 100 = 3 THEN 'creator' ELSE 'owner' END, 'percentage', 10, '[]', '[]',"
        f" {false}, {true}, 'B' || (i % 1000), i * 31 % 100, 0,"
        f" CASE WHEN i % 100 = 5 THEN 'expired' ELSE 'active' END, 'coupon ' {search}, {at}, {at},"
        f" {BEGIN + 3650 * DAY} FROM {numbers}"
    )
    yield "INSERT INTO counters (name, shard, value) SELECT 'coupons.' || origin, 0, count(*) FROM coupons GROUP BY 1"
    yield (
        "INSERT INTO creators (id, name, coupon_id, commission, hold_days, created_at, updated_at)"
        f" SELECT i, 'Creator ' || i, i, 1000, 30, {at}, {at} FROM {numbers}"
    )
    yield (
        "INSERT INTO payment_sources (id, provider, name, slug, secret, is_active, is_test, created_at, updated_at)"
        f" SELECT i, 'stripe', 'Account ' || i, 's' || i, '', {true}, {false}, {at}, {at} FROM {numbers} WHERE i <= 100"
    )
    yield (
        "INSERT INTO payment_events (id, source_id, provider_event_id, type, status, order_id, payer_email, due_at,"
        " attempts_count, failures, created_at, finished_at)"
        " SELECT i, i % 100 + 1, 'evt_' || i, 'T' || (i % 1000),"
        f" CASE WHEN i % 100 = 5 THEN 'unmatched' ELSE 'applied' END, i,"
        f" CASE WHEN i % {size // 20} = 0 THEN '{RARE}' END, {at}, 1, 0, {at}, {at} FROM {numbers}"
    )
    yield f"INSERT INTO payment_event_names (name, event_id) SELECT 'pi_' || i, i FROM {numbers}"


def readings(size: int) -> dict[str, Reading]:
    """Every list: its first page and one in the middle, by each filter and each order, and a search."""
    by_name: dict[str, Reading] = {}
    middle = PageRequest(size // 2 // 15, 15)
    for name, (listing, values) in LISTS.items():
        for sort in listing.sorts:
            by_name[f"{name} by {sort}, first page"] = asking(listing, {}, sort)
            by_name[f"{name} by {sort}, middle page"] = asking(listing, {}, sort, middle)
        for chosen, value in values.items():
            by_name[f"{name} filtered by {chosen}"] = asking(listing, {chosen: value})
        if "search" in listing.filters:
            by_name[f"{name}, search"] = asking(listing, {"search": RARE})
    return by_name


def asking(
    listing: Listing[Any],
    filters: Mapping[str, Any],
    sort: str | None = None,
    page: PageRequest = FIRST,
    order: SortDirection = "desc",
) -> Reading:
    sort = sort or next(iter(listing.sorts))
    return lambda tx: listing.page(tx, ListRequest(page, filters, sort, order))


async def make_sqlite(path: Path, size: int) -> None:
    engine = SqliteDatabase(path)
    await migrations.upgrade(engine)
    await engine.close()
    connection = apsw.Connection(str(path))
    for pragma in ("synchronous = OFF", "cache_size = -1000000", "foreign_keys = OFF"):
        connection.execute(f"PRAGMA {pragma}")
    with connection:
        for statement in statements("sqlite", size):
            connection.execute(statement)
    connection.close()


async def make_postgres(url: str, size: int) -> None:
    engine = await PostgresDatabase.open(url, 1)
    await migrations.upgrade(engine)
    await engine.close()
    connection = await asyncpg.connect(url)
    await connection.execute("SET session_replication_role = replica")
    for statement in (*statements("postgresql", size), "VACUUM ANALYZE"):
        await connection.execute(statement)
    await set_sequences(connection)
    await connection.close()


async def generated(engine: str, size: int) -> str:
    started = time.monotonic()
    name = built.name_of("lists", size, __file__)
    if engine == "sqlite":
        address = str(await built.on_sqlite(name, partial(make_sqlite, size=size)))
    else:
        address = await built.on_postgres(name, partial(make_postgres, size=size))
    print(f"{engine} with {size:,} rows is there after {time.monotonic() - started:.0f} s", file=sys.stderr)
    return address


async def _compare(engine: str, addresses: list[str], options: argparse.Namespace) -> list[GrowthResult]:
    stores = [await opened(engine, size, address) for size, address in zip(SIZES, addresses, strict=True)]
    both = [as_calls(store, readings(store.size)) for store in stores]
    names = [name for name in both[0] if options.only in name]
    results = [
        await measure(engine, name, stores, [by_name[name] for by_name in both], options.rounds) for name in names
    ]
    for store in stores:
        await store.engine.close()
    return results


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.lists")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    parser.add_argument("--only", default="", metavar="WORD", help="readings whose name holds this")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures to this file")
    options = parser.parse_args()
    results: list[GrowthResult] = []
    for engine in options.engine or ENGINES:
        addresses = [asyncio.run(generated(engine, size)) for size in SIZES]
        results += uvloop.run(_compare(engine, addresses, options))
    Console(width=140).print(as_table(results))
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    return int(not all(map(is_met, results)))


if __name__ == "__main__":
    sys.exit(main())
