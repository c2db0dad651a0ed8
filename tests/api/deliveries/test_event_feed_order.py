"""The feed during writes: a cursor skips no event, in any order of ids, commits and fan-out."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import asyncpg
import pytest
from sqlalchemy import select

from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.schema import events
from lootkeep.worker.deliveries import DeliveryWorker, step_replays
from tests.api.deliveries.recorded import SampleData, record
from tests.receiver import Receiver
from tests.worker.delivering import fan_out, only_postgresql, subscribe, work
from tests.world import World

WRITERS, ROUNDS, POLLERS = 5, 25, 2
IDS = Query(select(events.c.id).order_by(events.c.id))
# What each open transaction has announced: its events have larger ids.
ANNOUNCED = "SELECT objid FROM pg_locks WHERE classid = 'events'::regclass AND pid = pg_backend_pid()"
INSERT = "INSERT INTO events (type, data, created_at) SELECT 'order.paid', '{}', 1 FROM generate_series(1, 3)"


@pytest.fixture
async def other(world: World, postgres_url: str) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    """Another session on the same PostgreSQL database, with an open write transaction."""
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("BEGIN; SELECT pg_current_xact_id()")
    yield connection
    await connection.close()


async def append_now(tx: Transaction, now: Instant) -> None:
    """Records an event that has its id at once: a write is sent before a statement that reads what it changes."""
    await outbox_db.append(tx, "order.paid", SampleData(1), now)
    await tx.all(IDS)


@only_postgresql
async def test_an_event_fanned_out_during_an_open_transaction_is_not_skipped(
    world: World, other: asyncpg.Connection[asyncpg.Record]
) -> None:
    await record(world, 3)
    async with world.db.write() as tx:
        await tx.run(Query(events.update().where(events.c.id == 2).values(fanned_out_at=events.c.fanned_out_at)))
    assert await shown(world, 1) == [2, 3]
    await fan_out(world)
    assert await shown(world, 0) == [1, 2, 3]


@only_postgresql
async def test_a_transaction_that_records_no_event_does_not_hold_the_feed_back(
    world: World, other: asyncpg.Connection[asyncpg.Record]
) -> None:
    await record(world, 2)
    assert await shown(world, 0) == [1, 2]


@only_postgresql
async def test_an_event_with_a_smaller_id_of_a_later_transaction_is_not_skipped(
    world: World, other: asyncpg.Connection[asyncpg.Record]
) -> None:
    """The older transaction takes the larger id and commits first: neither ids nor transactions are in order."""
    async with world.db.write() as younger:
        await append_now(younger, world.clock.now())
        await other.execute(f"{INSERT}; COMMIT")
        assert await shown(world, 0) == []
    assert await shown(world, 0) == [1, 2, 3, 4]


@only_postgresql
async def test_the_feed_stops_before_the_first_event_that_may_still_commit(world: World) -> None:
    await record(world, 2)
    async with world.db.write() as slow:
        await append_now(slow, world.clock.now())
        await record(world, 2)
        assert await shown(world, 0) == [1, 2]
        assert await shown(world, 4) == []
    assert await shown(world, 2) == [3, 4, 5]


@only_postgresql
async def test_the_feed_skips_the_gap_of_an_event_that_was_never_committed(
    world: World, other: asyncpg.Connection[asyncpg.Record]
) -> None:
    await other.execute(INSERT)
    await record(world, 1)
    assert await shown(world, 0) == []
    await other.execute("ROLLBACK")
    assert await shown(world, 0) == [4]


@only_postgresql
async def test_a_transaction_announces_once_however_many_events_it_records(
    world: World, other: asyncpg.Connection[asyncpg.Record]
) -> None:
    """Each lock takes room that all sessions share: a large import must not use it up."""
    await record(world, 7)
    for _ in range(20):
        await other.execute(INSERT)
    assert await announced(other) == [7]
    await other.execute("COMMIT; BEGIN; SAVEPOINT first")
    await other.execute(f"{INSERT}; ROLLBACK TO first")
    assert await announced(other) == []
    await other.execute(INSERT)
    assert await announced(other) == [70]
    await other.execute("ROLLBACK")


@only_postgresql
async def test_ids_beyond_the_range_of_a_lock_stay_in_order(
    world: World, other: asyncpg.Connection[asyncpg.Record]
) -> None:
    far = 3 * 2**31
    await other.execute(f"SELECT setval('events_id_seq', {far - 2})")
    await other.execute(INSERT)
    await record(world, 1)
    assert await shown(world, 0) == []
    await other.execute("COMMIT")
    assert await shown(world, 0) == [far - 1, far, far + 1, far + 2]


@only_postgresql
async def test_a_replay_includes_an_event_that_commits_after_its_request(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await subscribe(insecure_world, receiver, "order.paid")
    now = insecure_world.clock.now()
    async with insecure_world.db.write() as slow:
        await append_now(slow, now)
        await record(insecure_world, 1, "order.paid")
        await insecure_world.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-15T00:00:00Z"})
        await step_replays(insecure_world.deps)
    await work(worker)
    await step_replays(insecure_world.deps)
    await work(worker)
    assert sorted(request.json["data"]["number"] for request in receiver.received) == [0, 0, 1, 1]


@pytest.mark.parametrize("seed", range(3))
async def test_every_reader_gets_every_event_once_and_in_order_under_concurrent_writes(
    world: World, request: pytest.FixtureRequest, seed: int
) -> None:
    chance = random.Random(seed)
    is_over = asyncio.Event()
    around: list[Awaitable[Any]] = [_fan_out_until(world, is_over)]
    if world.db.name == "postgresql":
        around.append(_open_transactions_until(request.getfixturevalue("postgres_url"), is_over))
    readers = [asyncio.create_task(_read_until(world, is_over)) for _ in range(POLLERS)]
    running = [asyncio.ensure_future(other) for other in around]
    await asyncio.gather(*(_write(world, random.Random(chance.random())) for _ in range(WRITERS)))
    is_over.set()
    await asyncio.gather(*running)
    async with world.db.read() as tx:
        recorded = [event_id for (event_id,) in await tx.all(IDS)]
    assert len(recorded) > WRITERS * ROUNDS
    for reader in readers:
        assert await reader == recorded


async def shown(world: World, after: int) -> list[int]:
    answer = await world.get(f"/events?after={after}")
    return [event["id"] for event in answer.json()["data"]["events"]]


async def announced(session: asyncpg.Connection[asyncpg.Record]) -> list[int]:
    return [row[0] for row in await session.fetch(ANNOUNCED)]


class _Rollback(Exception):
    """Rolls a transaction back."""


async def _write(world: World, chance: random.Random) -> None:
    """Transactions of one to four events, with pauses between them; a few are rolled back."""
    for number in range(ROUNDS):
        try:
            async with world.db.write() as tx:
                for _ in range(chance.randint(1, 4)):
                    await outbox_db.append(tx, "order.paid", SampleData(number), world.clock.now())
                    await _pause(chance)
                if chance.random() < 0.1:
                    raise _Rollback
        except _Rollback:
            pass


async def _pause(chance: random.Random) -> None:
    """A few iterations of the event loop, in which other tasks run."""
    for _ in range(chance.choice([0, 0, 1, 5, 50])):
        await asyncio.sleep(0)


async def _read_until(world: World, is_over: asyncio.Event) -> list[int]:
    """What a reader sees that follows the cursor until nothing is left."""
    ids = [0]
    while True:
        is_last = is_over.is_set()
        async with world.db.read() as tx:
            page = await outbox_db.events_after(tx, ids[-1], 7)
        ids += [event.id for event in page]
        if is_last and not page:
            return ids[1:]
        await asyncio.sleep(0)


async def _fan_out_until(world: World, is_over: asyncio.Event) -> None:
    await _repeat(lambda: fan_out(world), is_over)


async def _open_transactions_until(url: str, is_over: asyncio.Event) -> None:
    """Sessions that have nothing to do with events, always one open when the other ends."""
    sessions = [await asyncpg.connect(url) for _ in range(2)]
    for session in sessions:
        await session.execute("BEGIN; SELECT pg_current_xact_id()")

    async def turn() -> None:
        for session in sessions:
            await session.execute("COMMIT; BEGIN; SELECT pg_current_xact_id()")

    await _repeat(turn, is_over)
    for session in sessions:
        await session.close()


async def _repeat(step: Callable[[], Awaitable[None]], is_over: asyncio.Event) -> None:
    while not is_over.is_set():
        await step()
        await asyncio.sleep(0)
