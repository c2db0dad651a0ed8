"""Makes a store with any number of support tickets fast, by bulk loading: for the tests of query plans and by hand.

`.venv/bin/python -m bench.tickets [--size 1000000]` makes one on SQLite and prints what each reading of it takes.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import apsw
import asyncpg

from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND, Instant
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.kernel.search import search_text
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine, Transaction
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.tickets import figures as ticket_figures_db, lists as ticket_lists_db, rows as tickets_db
from lootkeep.storage.totals import recount as recount_db

AGENTS = 8
# Every store has a few hundred customers who write; the last agent has next to nothing, the first most.
CUSTOMERS = 500
BEGIN = Instant(1_700_000_000 * SECOND // DAY * DAY)
DAYS = 1000
RARE = "xqz"

STATUSES = ("closed",) * 90 + ("open",) * 4 + ("pending",) * 3 + ("resolved",) * 3
PRIORITIES = ("normal",) * 80 + ("low",) * 12 + ("high",) * 7 + ("urgent",)
CATEGORIES = ("order", "payment", "delivery", "account", "refund", "technical", "other")

Row = dict[str, Any]
Reading = Callable[[Transaction], Awaitable[Any]]


def rows(size: int) -> Iterator[tuple[Row, list[Row]]]:
    """Tickets in the order in which they were opened, each with its messages; the newest are open more often."""
    random = Random(size)
    for number in range(1, size + 1):
        created_at = BEGIN + number * DAYS * DAY // (size + 1)
        is_new = number > size * 0.995
        status = random.choice(("open", "pending", "resolved", "closed") if is_new else STATUSES)
        yield _ticket(random, number, status, created_at), _messages(random, number, status, created_at)


def _ticket(random: Random, number: int, status: str, created_at: int) -> Row:
    customer = random.randint(1, CUSTOMERS)
    subject = f"Ticket {number}" + (f" {RARE}" if number % 5000 == 7 else "")
    answered_at = None if status == "open" else created_at + int(random.expovariate(1 / (2 * HOUR)))
    settled_at = created_at + int(random.expovariate(1 / (2 * DAY))) if status in ("resolved", "closed") else None
    return {
        "id": number,
        "customer_id": customer,
        "order_id": None,
        "subject": subject,
        "status": status,
        "priority": random.choice(PRIORITIES),
        "category": random.choice(CATEGORIES),
        "assigned_to_id": min(AGENTS, int(random.expovariate(0.7)) + 1) if random.random() < 0.9 else None,
        "messages_count": 0,
        "last_message_at": 0,
        "last_message_by": "customer",
        "first_response_at": answered_at,
        "resolved_at": settled_at,
        "closed_at": settled_at if status == "closed" else None,
        "reopened_count": 0,
        "search_text": search_text(subject, f"Customer {customer}", f"c{customer}@mail.example"),
        "created_at": created_at,
        "updated_at": created_at,
    }


def _messages(random: Random, number: int, status: str, created_at: int) -> list[Row]:
    count = 1 if status == "open" else 2
    return [
        {
            "ticket_id": number,
            "author_type": "staff" if index else "customer",
            "user_id": 1 if index else None,
            "author_name": "Owner" if index else "Customer",
            "body": "Text.",
            "is_internal": False,
            "created_at": created_at + index * random.randint(1, 100_000) * MINUTE,
        }
        for index in range(count)
    ]


def people() -> Iterator[tuple[str, Row]]:
    for number in range(1, AGENTS + 1):
        yield (
            "users",
            {"id": number, "email": f"a{number}@s.example", "name": f"Agent {number}", "is_owner": number == 1}
            | {"created_at": BEGIN},
        )
    for number in range(1, CUSTOMERS + 1):
        name, email = f"Customer {number}", f"c{number}@mail.example"
        yield (
            "customers",
            {"id": number, "email": email, "name": name, "status": "active", "accepts_marketing": False}
            | {"email_status": "ok", "referral_code": f"C{number:07d}", "orders_count": 0, "total_spent": 0}
            | {"tags": "[]", "search_text": search_text(name, email), "created_at": BEGIN, "updated_at": BEGIN},
        )


def _tables(size: int) -> Iterator[tuple[str, list[Row]]]:
    for table, row in people():
        yield table, [row]
    tickets: list[Row] = []
    messages: list[Row] = []
    for ticket, written in rows(size):
        tickets.append(ticket)
        messages += written
        if len(tickets) == 10_000:
            yield from (("support_tickets", tickets), ("ticket_messages", messages))
            tickets, messages = [], []
    yield from (("support_tickets", tickets), ("ticket_messages", messages))


async def make_sqlite(path: Path, size: int) -> None:
    engine = SqliteDatabase(path)
    await migrations.upgrade(engine)
    connection = apsw.Connection(str(path))
    with connection:
        for table, records in _tables(size):
            names = ", ".join(records[0]) if records else ""
            marks = ", ".join("?" * len(records[0])) if records else ""
            connection.executemany(
                f"INSERT INTO {table} ({names}) VALUES ({marks})", [tuple(row.values()) for row in records]
            )
    connection.close()
    await _count(engine)
    await engine.close()


async def make_postgres(url: str, size: int) -> None:
    engine = await PostgresDatabase.open(url, 1)
    await migrations.upgrade(engine)
    connection = await asyncpg.connect(url)
    await connection.execute("SET session_replication_role = replica")
    for table, records in _tables(size):
        if records:
            await connection.copy_records_to_table(
                table, records=[tuple(row.values()) for row in records], columns=list(records[0])
            )
    for table in ("users", "customers", "support_tickets", "ticket_messages"):
        await connection.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}")
    await _count(engine)
    # What autovacuum does to a database that lives.
    await connection.execute("VACUUM ANALYZE")
    await connection.close()
    await engine.close()


async def _count(engine: Engine) -> None:
    """The figures as a recount has them, and they are what the operations would have written."""
    async with engine.write(is_long=True) as tx:
        await recount_db.repair(tx, "USD", BEGIN)


def readings(size: int) -> dict[str, Reading]:
    def listed(number: int, sort: str = "created_at", **filters: Any) -> Reading:
        return lambda tx: ticket_lists_db.LISTING.page(tx, ListRequest(PageRequest(number, 15), {**filters}, sort))

    middle = size // 2 // 15
    days: dict[str, Any] = {"from": Instant(BEGIN + 400 * DAY), "to": Instant(BEGIN + 410 * DAY)}
    max_days: dict[str, Any] = {"from": Instant(BEGIN + 100 * DAY), "to": Instant(BEGIN + 800 * DAY)}
    return {
        "first page": listed(1),
        "middle page": listed(middle),
        "last page": listed(size // 15),
        "open": listed(1, status="open"),
        "closed, middle page": listed(middle, status="closed"),
        "normal, middle page": listed(middle // 2, priority="normal"),
        "refund, far page": listed(size // 8 // 15, category="refund"),
        "an agent's": listed(1, agent=1),
        "an agent's, far page": listed(size // 4 // 15, agent=1),
        "nobody's, far page": listed(size // 12 // 15, unassigned=True),
        "an agent's open ones": listed(1, status="open", agent=1),
        "open and urgent": listed(1, status="open", priority="urgent"),
        "closed, urgent, refund": listed(1, status="closed", priority="urgent", category="refund"),
        "an agent's pending, urgent": listed(1, status="pending", priority="urgent", agent=AGENTS),
        "none at all": listed(1, priority="urgent", agent=999),
        "by last message": listed(1, "last_message_at"),
        "open, by last message": listed(1, "last_message_at", status="open"),
        "an agent's, by last message": listed(1, "last_message_at", agent=2),
        "a customer's": listed(1, customer_id=7),
        "some days": listed(1, **days),
        "most days, middle page": listed(middle // 2, **max_days),
        "closed of most days, middle page": listed(middle // 2, status="closed", **max_days),
        "search": listed(1, search=RARE),
        "search by number": listed(1, search="TKT-000123"),
        "search within a status": listed(1, status="closed", search=RARE),
        "figures": ticket_figures_db.figures,
        "median of responses": lambda tx: ticket_figures_db.median_response(tx, size),
        "median of resolutions": lambda tx: ticket_figures_db.median_resolution(tx, size),
        "created on a day": lambda tx: ticket_figures_db.created(tx, BEGIN, Instant(BEGIN + DAY)),
        "a ticket": lambda tx: tickets_db.get(tx, size // 2),
        "its messages": lambda tx: tickets_db.messages(tx, size // 2, None, 51),
    }


async def measure(size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        await make_sqlite(Path(folder) / "tickets.db", size)
        print(f"{size:,} tickets made in {time.perf_counter() - started:.0f} s")
        engine = SqliteDatabase(Path(folder) / "tickets.db")
        async with engine.read() as tx:
            for name, reading in readings(size).items():
                took = []
                for _ in range(7):
                    begun = time.perf_counter()
                    await reading(tx)
                    took.append(time.perf_counter() - begun)
                print(f"{name:<36} {median(took) * 1000:8.2f} ms")
        await engine.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="bench.tickets")
    parser.add_argument("--size", type=int, default=1_000_000)
    asyncio.run(measure(parser.parse_args().size))
