"""The sandbox on PostgreSQL: its migrations and locks do not affect the store."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from lootkeep.kernel.errors import StartupError
from lootkeep.settings import Settings
from lootkeep.storage import migrations, settings as settings_db
from lootkeep.storage.demo import Demo
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.sandbox import SCHEMA
from lootkeep.wiring import opened_sandbox
from tests.sandboxes import drop_sandbox
from tests.world import World

OBJECTS = "SELECT oid, relname, relkind::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY oid"
FUNCTIONS = "SELECT oid, xmin::text, proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY oid"


@pytest.fixture
async def admin(postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(postgres_url)
    yield connection
    await connection.close()
    await drop_sandbox(postgres_url)


@pytest.fixture
async def live(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    engine = await PostgresDatabase.open(postgres_url, 2)
    yield engine
    await engine.close()


@pytest.fixture
async def sandboxed(postgres_url: str, admin: asyncpg.Connection) -> AsyncIterator[PostgresDatabase]:
    engine = await PostgresDatabase.open(postgres_url, 2, schema=SCHEMA)
    yield engine
    await engine.close()


async def test_migrating_the_sandbox_leaves_the_store_as_it_is(
    live: PostgresDatabase, sandboxed: PostgresDatabase, admin: asyncpg.Connection
) -> None:
    before = await admin.fetch(OBJECTS), await admin.fetch(FUNCTIONS)
    assert (await sandboxed.tables(), await sandboxed.revision()) == (set(), None)
    assert await migrations.upgrade(sandboxed)
    assert (await admin.fetch(OBJECTS), await admin.fetch(FUNCTIONS)) == before
    assert await sandboxed.tables() == await live.tables()
    assert await sandboxed.revision() == migrations.HEAD


async def test_a_sandbox_exists_once_it_was_migrated(live: PostgresDatabase, sandboxed: PostgresDatabase) -> None:
    assert not await live.has_store(SCHEMA)
    await migrations.upgrade(sandboxed)
    assert await live.has_store(SCHEMA)


async def test_the_store_never_waits_for_a_lock_of_the_sandbox(
    live: PostgresDatabase, sandboxed: PostgresDatabase
) -> None:
    async with live.write() as tx, sandboxed.write() as test_tx, sandboxed.write() as other_tx:
        assert await tx.lock("the same")
        assert await test_tx.lock("the same")
        assert not await other_tx.lock("the same")
        await tx.wait_for("another")
        await test_tx.wait_for("another")


async def test_a_table_that_the_sandbox_lacks_is_not_looked_for_in_the_store(
    sandboxed: PostgresDatabase, admin: asyncpg.Connection
) -> None:
    await migrations.upgrade(sandboxed)
    await admin.execute(f"DROP TABLE {SCHEMA}.settings")
    async with sandboxed.read() as tx:
        with pytest.raises(asyncpg.UndefinedTableError):
            await settings_db.get(tx, "demo", Demo)


async def test_behind_a_pooler_the_sandbox_needs_a_direct_connection(live: PostgresDatabase, postgres_url: str) -> None:
    pooled = Settings(_env_file=None, database_url=postgres_url, database_pooler="transaction")
    world = World(live)
    with pytest.raises(StartupError, match="LOOTKEEP_DATABASE_DIRECT_URL"):
        async with opened_sandbox(world.deps, pooled):
            pass
    await world.close()


async def test_an_error_says_what_to_run_where_the_user_may_not_create_schemas(
    postgres_url: str, admin: asyncpg.Connection
) -> None:
    # A role that every server has, and that may create nothing.
    engine = await PostgresDatabase.open(f"{postgres_url}?role=pg_monitor", 1, schema=SCHEMA)
    with pytest.raises(StartupError, match=f"CREATE SCHEMA {SCHEMA} AUTHORIZATION"):
        await migrations.upgrade(engine)
    await engine.close()
