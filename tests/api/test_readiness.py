"""Readiness means that the database can be read and written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text

from lootkeep.api.http.readiness import DatabaseCheck
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from tests.disk import full_disk
from tests.world import World

WRITES = Query(text("SELECT coalesce(sum(version), 0) FROM settings WHERE name = 'write check'"))
NOT_WORKER = "Not ready: worker."
NOTHING = "Not ready: database, worker."

on_postgresql = pytest.mark.parametrize("db_location", ["postgresql"], indirect=True)
on_sqlite = pytest.mark.parametrize("db_location", ["sqlite"], indirect=True)


@pytest.fixture
async def read_only_world(world: World, db_location: str) -> AsyncIterator[World]:
    """The same store on a server that only reads, such as a standby."""
    db = await PostgresDatabase.open(f"{db_location}?default_transaction_read_only=on", 2)
    read_only = World(db)
    read_only.token = world.token
    yield read_only
    await read_only.close()
    await db.close()


async def test_a_writable_database_is_ready(world: World) -> None:
    assert await readiness(world) == NOT_WORKER


@on_postgresql
async def test_a_read_only_database_is_not_ready(read_only_world: World) -> None:
    assert await readiness(read_only_world) == NOTHING


@on_postgresql
async def test_writing_to_a_read_only_database_is_an_outage(read_only_world: World) -> None:
    tier = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}
    written = await read_only_world.post("/referrals/tiers", tier)
    read = await read_only_world.get("/referrals/tiers")
    assert (written.status_code, read.status_code) == (503, 200)


@on_sqlite
async def test_a_full_disk_is_not_ready_although_it_is_readable(world: World, db_location: Path) -> None:
    with full_disk(db_location):
        during, read = await readiness(world), await world.get("/referrals/tiers")
    assert (during, read.status_code) == (NOTHING, 200)


async def test_readiness_writes_at_most_every_five_seconds(world: World) -> None:
    seconds = 100.0
    check = DatabaseCheck(world.deps, lambda: seconds)
    counts = []
    for passed in (0, 1, 3.9, 0.1, 4, 1):
        seconds += passed
        assert await check()
        counts.append(await writes(world))
    assert counts == [1, 1, 1, 2, 2, 3]


@on_sqlite
async def test_a_disk_with_free_space_again_is_ready_at_once(world: World, db_location: Path) -> None:
    check = DatabaseCheck(world.deps, lambda: 100.0)
    with full_disk(db_location):
        during = await check()
    assert (during, await check()) == (False, True)


async def readiness(world: World) -> object:
    return (await world.http.get("/readyz")).json()["message"]


async def writes(world: World) -> int:
    async with world.db.read() as tx:
        ((count,),) = await tx.all(WRITES)
    return int(count)
