"""A token revoked or changed by one process: every other process applies it as soon as it notices."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import bindparam, update

from lootkeep.kernel.clock import DAY
from lootkeep.services import access as access_service
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import tokens
from tests.api.tokens import stored
from tests.conftest import PATIENT
from tests.world import World

# Only a hang takes this long.
PATIENCE_SECONDS = 300

only_postgresql = pytest.mark.parametrize("db_location", ["postgresql"], indirect=True)

CHANGES = {
    "scopes": "orders:read",
    "expires_at": 1,
    "revoked_at": 1,
}


class OtherProcess(World):
    """The world of another process that serves the same database, and remembers tokens where it may."""

    async def remembers(self) -> None:
        """Returns as soon as it would use what it remembers."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.token_version() is None:
                await asyncio.sleep(0.01)

    async def notices(self, before: int | None) -> None:
        """Returns when the number of the tokens is another one: at once on SQLite, when notified on PostgreSQL."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.token_version() == before:
                await asyncio.sleep(0)

    async def status(self, secret: str) -> int:
        return (await self.get("/referrals/tiers", token=secret)).status_code


@pytest.fixture
async def elsewhere(world: World, db_location: Path | str) -> AsyncIterator[OtherProcess]:
    engine: Engine = (
        SqliteDatabase(db_location, PATIENT.free_connection)
        if isinstance(db_location, Path)
        else await PostgresDatabase.open(db_location, 2, PATIENT)
    )
    async with engine.listening() as version:
        other_process = OtherProcess(engine, token_version=version, rate_limit_per_minute=0)
        await other_process.remembers()
        yield other_process
        await other_process.close()
    await engine.close()


async def change(world: World, secret: str, column: str, value: object) -> None:
    """Like an operator who writes SQL by hand."""
    statement = Query(update(tokens).where(tokens.c.id == bindparam("token")).values({column: bindparam("value")}))
    async with world.db.write_tokens() as tx:
        await tx.run(statement, token=(await stored(world, secret)).id, value=value)


async def test_a_token_revoked_by_another_process_is_rejected_as_soon_as_that_is_noticed(
    world: World, elsewhere: OtherProcess
) -> None:
    for _ in range(5):
        secret = await world.new_token("referrals:read")
        before = [await elsewhere.status(secret), await elsewhere.status(secret)]
        version = elsewhere.token_version()
        await access_service.revoke_token(world.deps, (await stored(world, secret)).id)
        await elsewhere.notices(version)
        assert (before, await elsewhere.status(secret)) == ([200, 200], 401)


@pytest.mark.parametrize(("column", "status"), [("scopes", 403), ("expires_at", 401), ("revoked_at", 401)])
async def test_a_changed_token_applies_in_every_process_that_notices(
    world: World, elsewhere: OtherProcess, column: str, status: int
) -> None:
    secret = await world.new_token("referrals:read", expires_in_days=1)
    before, version = await elsewhere.status(secret), elsewhere.token_version()
    await change(world, secret, column, CHANGES[column])
    await elsewhere.notices(version)
    assert (before, await elsewhere.status(secret)) == (200, status)


async def test_an_extended_token_is_accepted_again(world: World, elsewhere: OtherProcess) -> None:
    secret = await world.new_token("referrals:read", expires_in_days=1)
    version = elsewhere.token_version()
    await change(world, secret, "expires_at", 1)
    await elsewhere.notices(version)
    before, version = await elsewhere.status(secret), elsewhere.token_version()
    await change(world, secret, "expires_at", world.clock.now() + DAY)
    await elsewhere.notices(version)
    assert (before, await elsewhere.status(secret)) == (401, 200)


async def test_a_token_revoked_in_the_same_process_is_rejected_at_once(elsewhere: OtherProcess, world: World) -> None:
    secret = await world.new_token("referrals:read")
    before = await elsewhere.status(secret)
    await access_service.revoke_token(elsewhere.deps, (await stored(world, secret)).id)
    assert (before, await elsewhere.status(secret)) == (200, 401)


async def test_concurrent_revocations_are_all_in_force_in_their_own_process_when_they_return(
    world: World, elsewhere: OtherProcess
) -> None:
    secrets = [await world.new_token("referrals:read") for _ in range(6)]
    before = [await elsewhere.status(secret) for secret in secrets]

    async def revoke(secret: str) -> int:
        await access_service.revoke_token(elsewhere.deps, (await stored(world, secret)).id)
        return await elsewhere.status(secret)

    after = await asyncio.gather(*(revoke(secret) for secret in secrets))
    assert (before, after) == ([200] * 6, [401] * 6)


@only_postgresql
async def test_while_change_notifications_are_unavailable_tokens_are_looked_up(
    world: World, elsewhere: OtherProcess, postgres_url: str
) -> None:
    secret = await world.new_token("referrals:read")
    before = await elsewhere.status(secret)
    admin = await asyncpg.connect(postgres_url)
    # Nobody can hear it: the listener is ended, and the trigger does not say anything.
    await admin.execute("ALTER TABLE tokens DISABLE TRIGGER USER")
    try:
        await admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'lootkeep listener' AND datname = current_database()"
        )
        async with asyncio.timeout(PATIENCE_SECONDS):
            while elsewhere.token_version() is not None:
                await asyncio.sleep(0)
        await change(world, secret, "revoked_at", 1)
        after = await elsewhere.status(secret)
    finally:
        await admin.execute("ALTER TABLE tokens ENABLE TRIGGER USER")
        await admin.close()
    assert (before, after) == (200, 401)


@only_postgresql
async def test_tokens_are_cached_again_when_change_notifications_are_back(
    world: World, elsewhere: OtherProcess, postgres_url: str
) -> None:
    secret = await world.new_token("referrals:read")
    admin = await asyncpg.connect(postgres_url)
    await admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'lootkeep listener' AND datname = current_database()"
    )
    await admin.close()
    await elsewhere.remembers()
    before, version = await elsewhere.status(secret), elsewhere.token_version()
    await access_service.revoke_token(world.deps, (await stored(world, secret)).id)
    await elsewhere.notices(version)
    assert (before, await elsewhere.status(secret)) == (200, 401)


@only_postgresql
async def test_recording_the_use_of_a_token_does_not_invalidate_caches(world: World, elsewhere: OtherProcess) -> None:
    await elsewhere.status(world.token)
    before = elsewhere.token_version()
    await elsewhere.tokens.note_uses()
    await change(world, world.token, "last_used_at", 7)
    assert elsewhere.token_version() == before
