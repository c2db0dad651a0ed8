"""The event feed of a store with a replica, which does not know what the primary may still commit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from lootkeep.mcp.caller import Caller
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.wiring.serving import agent_options
from tests.api.deliveries.recorded import record
from tests.replicas import Replicated
from tests.world import World

INSERT = "INSERT INTO events (type, data, created_at) VALUES ('order.paid', '{}', 1)"
# A deadline against a hang; generous, because a busy machine must not fail the test.
SOON = 60


@pytest.fixture
async def other(world: World, servers: Replicated) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    """A session whose open transaction has recorded event 2; events 1 and 3 are committed."""
    await record(world, 1)
    connection = await asyncpg.connect(servers.primary)
    await connection.execute(f"BEGIN; {INSERT}")
    await record(world, 1)
    yield connection
    await connection.close()


async def shown(world: World, query: str = "") -> list[int]:
    answer = await world.get(f"/events{query}")
    return [event["id"] for event in answer.json()["data"]["events"]]


async def test_the_feed_skips_no_event_that_commits_after_a_later_one(
    world: World, other: asyncpg.Connection[asyncpg.Record]
) -> None:
    before = await shown(world)
    await other.execute("COMMIT")
    after = await shown(world)
    assert (before, after) == ([1], [1, 2, 3])


async def test_an_agent_skips_no_event_that_commits_after_a_later_one(
    world: World, other: asyncpg.Connection[asyncpg.Record]
) -> None:
    token = await world.tokens.authenticate(f"Bearer {world.token}".encode(), world.clock.now())
    assert token
    options = agent_options(world.settings, allows_changes=False, has_personal_data=False)
    feed = await Caller(world.deps, token, options).read("/events")
    assert [event.id for event in feed.events] == [1]


async def test_a_call_that_waits_gets_an_event_that_the_replica_does_not_have_yet(
    world: World, db: PostgresDatabase, servers: Replicated
) -> None:
    db.on_change(world.deps.changes.wake)
    call = asyncio.create_task(shown(world, "?wait=30"))
    while not world.deps.feed_readers:
        await asyncio.sleep(0)
    await servers.pause()
    async with asyncio.timeout(SOON):
        await record(world, 1)
        assert await call == [1]
