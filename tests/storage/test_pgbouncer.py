"""The real PgBouncer in transaction mode between the store and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest
from sqlalchemy import func, select
from structlog.testing import capture_logs

from lootkeep.kernel.errors import StartupError, Unavailable
from lootkeep.storage import migrations
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from tests.conftest import drop_postgres_database, new_postgres_database
from tests.servers import pooler
from tests.storage.statements import add, emails
from tests.world import World

SENTENCE = "set LOOTKEEP_DATABASE_POOLER=transaction"
LIMIT = Query(select(func.current_setting("statement_timeout")))
BRONZE = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}
# Fewer than there are clients: each transaction gets the connection that another has just left.
FEW = "2"


@pytest.fixture
def pooled_url(postgres_url: str) -> Iterator[str]:
    with pooler(postgres_url, default_pool_size=FEW) as url:
        yield url


@pytest.fixture
async def db(pooled_url: str, postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("TRUNCATE users CASCADE")
    await connection.close()
    db = await PostgresDatabase.open(pooled_url, 8, is_pooled=True)
    yield db
    await db.close()


async def test_reads_and_writes_of_many_clients_share_a_few_connections(db: PostgresDatabase) -> None:
    await asyncio.gather(*(add(db, f"{number:02}") for number in range(40)))
    results = await asyncio.gather(*(emails(db) for _ in range(40)))
    assert all(names == [f"{number:02}" for number in range(40)] for names in results)


async def test_the_api_works_behind_a_pooler(db: PostgresDatabase) -> None:
    world = World(db)
    await world.begin()
    tiers = await asyncio.gather(
        *(world.post("/referrals/tiers", BRONZE | {"name": f"Tier {number}"}) for number in range(8))
    )
    read = await asyncio.gather(*(world.get("/referrals/tiers") for _ in range(8)))
    await world.close()
    assert {answer.status_code for answer in tiers} <= {201, 422}
    assert {answer.status_code for answer in read} == {200}


async def test_a_lock_lasts_as_long_as_its_transaction_and_no_longer(db: PostgresDatabase) -> None:
    async with db.write() as first, db.write() as other:
        taken = (await first.lock("a name"), await other.lock("a name"))
    async with db.write() as later:
        assert (taken, await later.lock("a name")) == ((True, False), True)


async def test_deadlines_apply_only_within_their_transaction(db: PostgresDatabase) -> None:
    async with db.write() as tx:
        short = await tx.one(LIMIT)
    async with db.write(is_long=True) as tx:
        long = await tx.one(LIMIT)
    async with db.read() as tx:
        none = await tx.one(LIMIT)
    assert (short, long, none) == (("5s",), ("10min",), ("0",))


async def test_the_schema_is_migrated_through_a_pooler(postgres_admin_url: str, worker_id: str) -> None:
    url = await new_postgres_database(postgres_admin_url, f"lootkeep_pooled_{worker_id}")
    with pooler(url) as pooled_url:
        db = await PostgresDatabase.open(pooled_url, 2, is_pooled=True)
        await migrations.upgrade(db)
        revision = await db.revision()
        await db.close()
    await drop_postgres_database(postgres_admin_url, url)
    assert revision == migrations.HEAD


async def test_an_unconfigured_pooler_is_detected_at_the_start(pooled_url: str) -> None:
    with pytest.raises(StartupError, match=SENTENCE):
        await PostgresDatabase.open(pooled_url, 2)


async def test_a_pooler_missed_at_the_start_is_detected_when_a_statement_fails(postgres_url: str) -> None:
    ignored = (
        "jit,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,"
        "tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count"
    )
    with pooler(postgres_url, default_pool_size=FEW, ignore_startup_parameters=ignored) as url, capture_logs() as lines:
        first, second = await PostgresDatabase.open(url, 1), await PostgresDatabase.open(url, 1)
        await emails(first)
        # Now another has the connection on which that statement was prepared.
        async with second.write() as tx:
            await tx.wait_for("a name")
            with pytest.raises(Unavailable):
                await emails(first)
        await first.close()
        await second.close()
    assert [SENTENCE in line["event"] for line in lines] == [True]
