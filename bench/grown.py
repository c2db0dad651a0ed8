"""A store in which everything has grown: customers, products, orders, checks, tickets, events, as many of each."""

import time
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path

import apsw
import asyncpg
from sqlalchemy import Table

from bench import built, cards, data, lists, rewards, tickets
from bench.analytics import NUMBERS
from bench.lists import BEGIN, DAYS
from bench.options import progress
from bench.rows import Rows
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import metadata

# The day after the last order: the figures of the last 30 days have something to sum.
END = Instant(BEGIN + DAYS * DAY)
# Made here, for the deliveries.
WEBHOOK = 1


def statements(engine: str, size: int) -> Iterator[str]:
    """What `lists` has none of: checks, referrals, tickets, events that were delivered, and so on."""
    true, false = ("true", "false") if engine == "postgresql" else ("1", "0")
    numbers = NUMBERS[engine].format(size)
    at = f"{BEGIN} + (i * {DAYS * DAY // size})"
    is_blocked, is_held, is_reviewed = "i % 100 = 7", "(i % 10 = 3 OR i % 100 = 7)", f"i < {size - size // 100}"
    facts = f"""'{{"at":' || ({at}) || ',"email":"c' || i || '@c.example"}}'"""
    yield (
        "INSERT INTO fraud_checks (id, order_id, customer_id, ip_address, email, risk_score, risk_level, action_taken,"
        " signals, is_vpn, is_proxy, is_datacenter, is_tor, is_sanctioned_country, has_geo_mismatch,"
        " has_velocity_violation, is_disposable_email, is_reviewed, review_outcome, reviewed_at, facts,"
        " policy_version, is_latest, created_at, due_at)"
        " SELECT i, i, i, '203.0.113.9', 'c' || i || '@c.example', i % 60, 'low',"
        f" CASE WHEN {is_blocked} THEN 'blocked' WHEN {is_held} THEN 'flagged' ELSE 'allowed' END,"
        f" '{{}}'{f', {false}' * 8},"
        f" CASE WHEN {is_held} AND {is_reviewed} THEN {true} ELSE {false} END,"
        f" CASE WHEN {is_held} AND {is_reviewed} THEN 'legitimate' END,"
        f" CASE WHEN {is_held} AND {is_reviewed} THEN {at} END,"
        f" {facts}, 1, {true}, {at},"
        f" CASE WHEN {is_held} THEN {at} + {DAY} END FROM {numbers}"
    )
    yield (
        "INSERT INTO referrals (customer_id, referrer_id, status, referred_at, first_order_at, marks)"
        f" SELECT i, i / 10 + 1, 'successful', {at}, {at}, '[]' FROM {numbers} WHERE i % 2 = 0"
    )
    yield from _tickets(numbers, at, size, false)
    yield from _deliveries(numbers, at, true)
    yield from rewards.statements(numbers, at, true, false)


def _tickets(numbers: str, at: str, size: int, false: str) -> Iterator[str]:
    """All but the newest hundredth are closed."""
    is_open = f"i > {size - size // 100}"
    yield (
        "INSERT INTO support_tickets (id, customer_id, subject, status, priority, category, assigned_to_id,"
        " messages_count, last_message_at, last_message_by, first_response_at, resolved_at, closed_at, reopened_count,"
        f" search_text, created_at, updated_at) SELECT i, i, 'Ticket ' || i, CASE WHEN {is_open} THEN 'open' ELSE"
        f" 'closed' END, 'normal', 'order', i % {tickets.AGENTS} + 1, 1, {at}, 'customer',"
        f" CASE WHEN {is_open} THEN NULL ELSE {at} + i % 999 * {MINUTE} END,"
        f" CASE WHEN {is_open} THEN NULL ELSE {at} + {HOUR} END, CASE WHEN {is_open} THEN NULL ELSE {at} + {HOUR} END,"
        f" 0, 'ticket ' || i || CASE WHEN i % {size // 20} = 0 THEN ' {lists.RARE}' ELSE '' END, {at}, {at}"
        f" FROM {numbers}"
    )
    yield (
        "INSERT INTO ticket_messages (ticket_id, author_type, author_name, body, is_internal, created_at)"
        f" SELECT i, 'customer', 'Customer', 'Text.', {false}, {at} FROM {numbers}"
    )


def _deliveries(numbers: str, at: str, true: str) -> Iterator[str]:
    """An event for every order, delivered at once."""
    yield (
        "INSERT INTO webhooks (id, url, events, is_active, secret, created_at, updated_at, header_names) VALUES"
        f" ({WEBHOOK}, 'https://hooks.example/bot', '[\"order.paid\"]', {true}, '', {BEGIN}, {BEGIN}, '[]')"
    )
    yield (
        "INSERT INTO events (id, type, data, created_at, fanned_out_at)"
        f" SELECT i, 'order.paid', '{{\"order_id\": 7}}', {at}, {at} FROM {numbers}"
    )
    yield (
        "INSERT INTO deliveries (id, public_id, event_id, webhook_id, event_type, status, priority, due_at,"
        " attempts_count, failures, response_code, created_at, finished_at)"
        f" SELECT i, 'wh_' || i, i, {WEBHOOK}, 'order.paid', 'delivered', 0, {at}, 1, 0, 200, {at}, {at} FROM {numbers}"
    )
    yield (
        "INSERT INTO attempts (delivery_id, number, outcome, started_at, finished_at, response_code, latency_ms)"
        f" SELECT i, 1, 'delivered', {at}, {at}, 200, 9 FROM {numbers}"
    )


def _rows(size: int) -> Iterator[tuple[Table, Rows]]:
    """The people who answer tickets, and gift cards."""
    yield metadata.tables["users"], [row for table, row in tickets.people() if table == "users"]
    yield from chain.from_iterable(part.items() for part in cards.parts(size))


def _columns(records: Rows) -> tuple[list[str], list[tuple[object, ...]]]:
    names = list(dict.fromkeys(name for row in records for name in row))
    return names, [tuple(row.get(name) for name in names) for row in records]


async def _make_sqlite(path: Path, size: int) -> None:
    await lists.make_sqlite(path, size)
    connection = apsw.Connection(str(path))
    for pragma in ("synchronous = OFF", "cache_size = -1000000", "foreign_keys = OFF"):
        connection.execute(f"PRAGMA {pragma}")
    with connection:
        for statement in statements("sqlite", size):
            connection.execute(statement)
        for table, records in _rows(size):
            names, values = _columns(records)
            marks = ", ".join("?" * len(names))
            connection.executemany(f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks})", values)
    connection.execute("ANALYZE")
    connection.close()
    await data.count(SqliteDatabase(path), END)


async def _make_postgres(url: str, size: int) -> None:
    await lists.make_postgres(url, size)
    connection = await asyncpg.connect(url)
    await connection.execute("SET session_replication_role = replica")
    for statement in statements("postgresql", size):
        await connection.execute(statement)
    for table, records in _rows(size):
        names, values = _columns(records)
        await connection.copy_records_to_table(table.name, records=values, columns=names)
    await data.finish_postgres(connection, url, END)


async def store(engine: str, size: int) -> str:
    """The address of a store of this size, made if it is not there yet."""
    started = time.monotonic()
    name = built.name_of("grown", size, __file__, lists.__file__, cards.__file__, rewards.__file__)
    if engine == "sqlite":
        address = str(await built.on_sqlite(name, partial(_make_sqlite, size=size)))
    else:
        address = await built.on_postgres(name, partial(_make_postgres, size=size))
    progress(f"{engine} with {size:,} rows of everything is there after {time.monotonic() - started:.0f} s")
    return address
