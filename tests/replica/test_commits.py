"""Commits that wait for a synchronous replica which does not answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_session import Deadlines
from tests.replicas import Replicated
from tests.storage.statements import add, emails

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


@pytest.fixture
async def admin(servers: Replicated) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    """Of a primary that acknowledges nothing before a replica has it that does not exist."""
    admin = await asyncpg.connect(servers.primary, server_settings={"synchronous_commit": "off"})
    await _set(admin, "nobody")
    yield admin
    await _set(admin, "")
    await admin.close()


async def test_what_no_replica_has_is_neither_acknowledged_nor_seen(
    db: PostgresDatabase, servers: Replicated, admin: asyncpg.Connection[asyncpg.Record]
) -> None:
    # Time enough for what comes before the commit.
    hasty = await PostgresDatabase.open(servers.primary, 2, Deadlines(statement=2))
    with pytest.raises(Unavailable):
        await add(hasty, "unsafe")
    await hasty.close()
    still_waiting = await admin.fetchval(WAITING)
    seen = await emails(db)
    await _set(admin, "")
    while await admin.fetchval(WAITING):
        pass
    assert (still_waiting, seen, await emails(db)) == (1, [], ["unsafe"])


async def _set(admin: asyncpg.Connection[asyncpg.Record], names: str) -> None:
    await admin.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
    await admin.execute("SELECT pg_reload_conf()")
    while await admin.fetchval("SHOW synchronous_standby_names") != names:
        pass
