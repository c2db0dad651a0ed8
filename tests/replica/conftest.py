"""A store on PostgreSQL with a replica, both real."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from lootkeep.storage import migrations
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_replica import Replica
from lootkeep.storage.schema import metadata
from tests.replicas import Replicated, replicated
from tests.world import World

# A replica on a busy machine takes its time to keep up.
PATIENT_LAG = 60.0
# For one that does not keep up, which a read waits for in vain.
MAX_LAG = 0.25


@pytest.fixture(scope="session")
def servers() -> Iterator[Replicated]:
    async def migrate(url: str) -> None:
        db = await PostgresDatabase.open(url, 1)
        await migrations.upgrade(db)
        await db.close()

    with replicated() as servers:
        asyncio.run(migrate(servers.primary))
        yield servers


@pytest.fixture
async def db(servers: Replicated) -> AsyncIterator[PostgresDatabase]:
    await servers.go_on()
    connection = await asyncpg.connect(servers.primary)
    tables = ", ".join(table.name for table in metadata.sorted_tables)
    await connection.execute(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
    await connection.close()
    db = await PostgresDatabase.open(servers.primary, 4)
    yield db
    await db.close()


@pytest.fixture
async def replica(db: PostgresDatabase, servers: Replicated) -> AsyncIterator[Replica]:
    """In use; nobody tries it in the background, so that a test says when that happens."""
    replica = await in_use(Replica.of(db, servers.replica, 4, PATIENT_LAG, is_pooled=False))
    yield replica
    await replica.close()


@pytest.fixture
async def hasty_replica(db: PostgresDatabase, servers: Replicated) -> AsyncIterator[Replica]:
    """In use, until it is a moment late."""
    replica = await in_use(Replica.of(db, servers.replica, 4, MAX_LAG, is_pooled=False))
    yield replica
    await replica.close()


async def in_use(replica: Replica) -> Replica:
    while replica.reason:
        await replica.look()
    return replica


@pytest.fixture
async def world(db: PostgresDatabase, replica: Replica) -> AsyncIterator[World]:
    world = World(db, replica=replica)
    await world.begin()
    yield world
    await world.close()
