"""The queues of e-mails and campaigns find the next one by an index, however much is behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest
from sqlalchemy import bindparam, insert

from lootkeep.domain.audiences import Audience, SegmentFilters
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import emails as emails_db
from lootkeep.storage.campaigns import (
    audiences as audiences_db,
    queue as campaign_queue_db,
    readers as campaign_readers_db,
    rows as campaigns_db,
)
from lootkeep.storage.engine.database import Engine, Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import campaign_recipients, customers, email_campaigns, mails as mail_table
from tests.storage.plans import QueryRecorder, RecordedQuery, postgres_work, sqlite_work

MANY = 3000
NOW = Instant(10**15)
# A page and what it costs to find it; the tables hold many times that.
MAX_ROWS = 2_000
LARGE = {"mails", "campaign_recipients", "email_campaigns", "customers"}

Reading = Callable[[Transaction], Awaitable[Any]]
READINGS: dict[str, Reading] = {
    "next mail": emails_db.QUEUE.next_due,
    "mail": lambda tx: emails_db.ROWS.get(tx, 5),
    "newest in the outbox": lambda tx: emails_db.newest(tx, "outbox", 10),
    "claim a mail": lambda tx: emails_db.QUEUE.claim(tx, "me", NOW, NOW),
    "purge mails": lambda tx: emails_db.QUEUE.purge(tx, Instant(0)),
    "next start": campaign_queue_db.next_start,
    "next recipient": campaign_queue_db.next_due,
    "turn": lambda tx: campaign_queue_db.take_slot(tx, 1, NOW),
    "claim a recipient": lambda tx: campaign_queue_db.QUEUE.claim(tx, "me", NOW, NOW),
    "reader": lambda tx: campaign_readers_db.find(tx, 7),
    "campaign": lambda tx: campaigns_db.ROWS.get(tx, 7),
    "mails before another": lambda tx: emails_db.newest(tx, None, 10, before=2000),
}

QUEUES = ("next mail", "claim a mail", "claim a recipient")


def _campaign(number: int) -> dict[str, Any]:
    counts = dict.fromkeys([column.name for column in email_campaigns.c if column.name.endswith("_count")], 0)
    values = {"name": f"Number {number}", "subject": "S", "is_text_derived": False, "links": "[]", "audience": "{}"}
    state = {"status": "sending" if number == MANY - 1 else "sent", "next_at": 1, "created_at": number}
    return counts | values | state | {"search_text": f"number {number}", "updated_at": 1, "recipients_count": MANY}


def _customer(number: int) -> dict[str, Any]:
    return {
        "email": f"p{number}@mail.example",
        "name": f"P{number}",
        "status": "active",
        "accepts_marketing": True,
        "email_status": "ok",
        "referral_code": f"C{number}",
        "orders_count": 0,
        "total_spent": 0,
        "tags": "[]",
        "search_text": f"p{number}",
        "created_at": number,
        "updated_at": number,
    }


def _recipient(number: int) -> dict[str, Any]:
    # Most wait: a query that sorts them to find the next one sorts them for each.
    is_open = number > 100
    return {
        "campaign_id": MANY,
        "customer_id": number + 1,
        "email": f"p{number}@mail.example",
        "status": "queued" if is_open else "sent",
        "due_at": number,
        "attempts_count": 0,
        "failures": 0,
        "perhaps_twice": False,
        "finished_at": None if is_open else number,
    }


def _email(number: int) -> dict[str, Any]:
    is_open = number > 100
    status = "queued" if is_open else ("sent", "failed", "outbox")[number % 3]
    values = dict.fromkeys(("kind", "to_email", "to_name", "subject", "body"), "x")
    numbers = {"due_at": number, "attempts_count": 0, "failures": 0, "created_at": number}
    return values | numbers | {"status": status, "perhaps_twice": False, "finished_at": None if is_open else number}


@pytest.fixture
async def full(db: Engine) -> Engine:
    async with db.write() as tx:
        for table, row in (
            (customers, _customer),
            (email_campaigns, _campaign),
            (campaign_recipients, _recipient),
            (mail_table, _email),
        ):
            await tx.execute_many(
                Query(insert(table).values({name: _bind(table, name) for name in row(0)})), _rows(row)
            )
    return db


def _bind(table: Any, name: str) -> Any:
    return bindparam(f"given_{name}", type_=table.c[name].type)


def _rows(row: Callable[[int], dict[str, Any]]) -> list[dict[str, Any]]:
    return [{f"given_{name}": value for name, value in row(number).items()} for number in range(MANY)]


AUDIENCES = {
    "everyone": Audience(),
    "customers": Audience("customers", (5, 7)),
    "countries": Audience("segment", (), SegmentFilters(countries=("DE",))),
    "spent": Audience("segment", (), SegmentFilters(min_total_spent=Hundredths(0), min_orders=0)),
    "registered": Audience("segment", (), SegmentFilters(registered_from=Instant(0), last_order_after=Instant(0))),
    "products": Audience("segment", (), SegmentFilters(product_ids=(1, 2))),
    "tags": Audience("segment", (), SegmentFilters(tags=("vip",), is_referrer=False)),
}


async def test_counting_and_sampling_an_audience_sorts_nothing(full: Engine, db_location: Path | str) -> None:
    for name, audience in AUDIENCES.items():
        async with full.read() as tx:
            recorder = QueryRecorder(tx)
            await audiences_db.preview(recorder, audience)
        for query in recorder.asked:
            assert await _sorting_steps(db_location, query) == [], name


async def _sorting_steps(db_location: Path | str, query: RecordedQuery) -> list[str]:
    """The steps of the plan that sort, whether for an order or for groups."""
    if isinstance(db_location, Path):
        connection = apsw.Connection(str(db_location))
        compiled = query.query.sqlite
        plan = [
            row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {compiled.sql}", compiled.arguments(query.values))
        ]
        connection.close()
    else:
        explaining = await asyncpg.connect(db_location)
        compiled = query.query.postgres
        plan = [row[0] for row in await explaining.fetch(f"EXPLAIN {compiled.sql}", *compiled.arguments(query.values))]
        await explaining.close()
    return [step for step in plan if "TEMP B-TREE" in step or "Sort" in step]


async def _explained(db_location: Path | str, recorder: QueryRecorder) -> list[Any]:
    if isinstance(db_location, Path):
        connection = apsw.Connection(str(db_location))
        works = [await sqlite_work(connection, {"other": "email_campaigns"}, query) for query in recorder.asked]
        connection.close()
        return works
    explaining = await asyncpg.connect(db_location)
    await explaining.execute("ANALYZE")
    works = [await postgres_work(explaining, query) for query in recorder.asked]
    await explaining.close()
    return works


async def test_campaign_queries_use_an_index(full: Engine, db_location: Path | str) -> None:
    for name, read in READINGS.items():
        async with full.write() as tx:
            recorder = QueryRecorder(tx)
            await read(recorder)
        works = await _explained(db_location, recorder)
        assert [work for work in works if work.scanned & LARGE or work.touched > MAX_ROWS] == [], name
        if name in QUEUES:
            assert [work for work in works if work.sorts] == [], name
