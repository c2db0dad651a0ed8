"""With a queue full of parked retries, a poll of a worker reads little more than what is due."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest
from sqlalchemy import Table, bindparam, insert, update

from lootkeep.kernel.clock import HOUR
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.events import lists as event_lists_db
from lootkeep.storage.lists import Listing
from lootkeep.storage.schema import attempts, deliveries, events, webhooks
from lootkeep.storage.webhooks import deliveries as deliveries_db, fan_out as fan_out_db, log as log_db
from tests.storage.plans import QueryRecorder, QueryWork, RecordedQuery, postgres_work, sqlite_work
from tests.world import World

WEBHOOKS = 4
EVENTS = 2500
DUE = 5
# For some ten rows in each of a few webhooks; the queue is many times that.
MAX_STEPS = 4_000
MAX_ROWS = 400

Explain = Callable[[RecordedQuery], Awaitable[QueryWork]]
ReadCall = Callable[[Transaction, Any], Awaitable[Any]]


async def claim(tx: Transaction, now: Any) -> None:
    slots = [deliveries_db.ClaimSlot(*due, 10) for due in (await deliveries_db.due(tx, now)).webhooks]
    claimed, cancelled = await deliveries_db.claim(tx, slots, "worker", now)
    assert (len(claimed), cancelled) == (WEBHOOKS * DUE, 0)


LOOKS: dict[str, ReadCall] = {
    "what is due": deliveries_db.due,
    "claim": claim,
    "backlog": deliveries_db.backlog,
    "fan out": lambda tx, now: fan_out_db.fan_out(tx, lambda: "wh_new", now),
    "purge": deliveries_db.QUEUE.purge,
    "cancel": deliveries_db.cancel,
}


@pytest.fixture
async def explain(world: World, db_location: Path | str) -> AsyncIterator[Explain]:
    """A queue in which all but the first few of each webhook are parked, and a way to see how it is searched."""
    await fill(world)
    if isinstance(db_location, Path):
        file = apsw.Connection(str(db_location))
        yield partial(sqlite_work, file, {})
        file.close()
    else:
        connection = await asyncpg.connect(db_location)
        await connection.execute("ANALYZE")
        yield partial(postgres_work, connection)
        await connection.close()


async def fill(world: World) -> None:
    now = world.clock.now()
    hook = {
        "url": "https://shop.example/",
        "events": '["order.paid"]',
        "is_active": True,
        "secret": "sealed",
        "header_names": "[]",
    }
    async with world.db.write() as tx:
        for _ in range(WEBHOOKS):
            await tx.run(Query(insert(webhooks).values(**hook, created_at=now, updated_at=now)))
        recorded = {"type": "order.paid", "data": "{}", "created_at": now, "fanned_out_at": now}
        await tx.execute_many(_adding(events, recorded), [recorded for _ in range(EVENTS)])
        # Event by event, as a fan-out writes them.
        parked = [_parked(webhook, event, now) for event in range(1, EVENTS + 1) for webhook in range(1, WEBHOOKS + 1)]
        await tx.execute_many(_adding(deliveries, parked[0]), parked)
        attempt = {"number": 1, "outcome": "failed", "started_at": now}
        numbers = range(1, WEBHOOKS * EVENTS + 1)
        await tx.execute_many(
            _adding(attempts, {"delivery_id": 1, **attempt}), [{"delivery_id": n, **attempt} for n in numbers]
        )


def _adding(table: Table, row: dict[str, Any]) -> Query[Any]:
    return Query(insert(table).values({name: bindparam(name) for name in row}).inline(), set_based=True)


def _parked(webhook: int, event: int, now: int) -> dict[str, Any]:
    due = now if event <= DUE else now + HOUR + event
    values = {"public_id": f"wh_{webhook}_{event}", "event_id": event, "webhook_id": webhook, "due_at": due}
    values |= {"event_type": "order.paid", "status": "pending", "priority": 1, "attempts_count": 1, "failures": 1}
    return values | {"created_at": now}


async def _vacuum(db_location: Path | str) -> None:
    """PostgreSQL then reads keys from an index alone, as it does in a store that has been running for a while."""
    if isinstance(db_location, str):
        connection = await asyncpg.connect(db_location)
        await connection.execute("VACUUM ANALYZE deliveries")
        await connection.close()


async def test_counting_pending_rows_does_not_read_finished_ones(
    world: World, explain: Explain, db_location: Path | str
) -> None:
    now = world.clock.now()
    async with world.db.write() as tx:
        ended = {"status": "delivered", "finished_at": now}
        await tx.run(Query(update(deliveries).where(deliveries.c.due_at > now).values(ended)))
    await _vacuum(db_location)
    async with world.db.write() as tx:
        recorder = QueryRecorder(tx)
        assert await deliveries_db.count_pending(recorder) == WEBHOOKS * DUE
    (work,) = [await explain(query) for query in recorder.asked]
    assert (deliveries.name in work.scanned, work.touched < MAX_ROWS) == (False, True)


LOGS: dict[str, tuple[Listing[Any], dict[str, int]]] = {
    "deliveries of a webhook": (log_db.LISTING, {"webhook_id": 2}),
    "events": (event_lists_db.LISTING, {}),
}


@pytest.mark.parametrize("name", LOGS)
async def test_a_first_page_of_a_long_log_counts_no_further_than_its_limit(
    world: World, explain: Explain, db_location: Path | str, name: str
) -> None:
    listing, filters = LOGS[name]
    most = MAX_STEPS if isinstance(db_location, Path) else MAX_ROWS
    await _vacuum(db_location)
    async with world.db.read() as tx:
        recorder = QueryRecorder(tx)
        page = replace(listing, max_counted=50, _queries={}).page(recorder, ListRequest(PageRequest(1, 15), filters))
        _, total = await page
    assert total == 50
    counting = await explain(recorder.asked[0])
    assert counting.touched <= most, counting


async def test_polling_a_full_queue_reads_little(world: World, explain: Explain, db_location: Path | str) -> None:
    most = MAX_STEPS if isinstance(db_location, Path) else MAX_ROWS
    large = {deliveries.name, attempts.name, events.name}
    for name, look in LOOKS.items():
        async with world.db.write() as tx:
            recorder = QueryRecorder(tx)
            await look(recorder, world.clock.now())
        works = [await explain(query) for query in recorder.asked]
        assert [work for work in works if work.scanned & large or work.touched > most] == [], name
