"""Reports, which may take long, from a replica that is lost or cannot finish them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import case, func, select

from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_pool import Pool
from lootkeep.storage.engine.postgres_replica import Replica
from lootkeep.storage.engine.postgres_session import DEADLINES, Deadlines, Sessions
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import users
from tests.gate import Gate
from tests.replica.conftest import PATIENT_LAG, in_use
from tests.replicas import Replicated
from tests.storage.statements import add

SETTINGS = (func.pg_is_in_recovery(), func.current_setting("statement_timeout"), func.current_setting("work_mem"))
CURRENT = Query(select(*SETTINGS))
# On the replica it takes longer than any test waits.
REPORT = Query(
    select(*SETTINGS, func.count(func.pg_sleep(case((func.pg_is_in_recovery(), 20), else_=0)))).select_from(users)
)
# What the connections of the primary were opened with, and what a report gets.
USUAL, OF_REPORT = (False, "5s", "4MB"), (False, "30s", "64MB")


@pytest.fixture
async def gate(servers: Replicated) -> AsyncIterator[Gate]:
    """In front of the replica."""
    gate = Gate(servers.replica)
    await gate.open()
    yield gate
    await gate.shut()


async def behind(gate: Gate, db: PostgresDatabase, deadlines: Deadlines = DEADLINES) -> Replica:
    return await in_use(Replica(db, Pool(Sessions(gate.url, deadlines, is_pooled=False), 1), PATIENT_LAG))


async def test_a_report_that_the_replica_cancels_has_the_time_and_memory_of_a_report_on_the_primary(
    db: PostgresDatabase, replica: Replica, servers: Replicated
) -> None:
    await add(db, "one")
    async with replica.for_request().read() as tx:
        running = asyncio.create_task(tx.run_slow(REPORT))
        await servers.until_sleeping()
        await servers.cancel_readers()
        ((*settings, _),) = await running
        later = await tx.one(CURRENT)
    assert (tuple(settings), later) == (OF_REPORT, USUAL)


async def test_a_report_is_run_on_the_primary_when_the_replica_is_lost_before_it(
    db: PostgresDatabase, gate: Gate
) -> None:
    replica = await behind(gate, db)
    async with replica.for_request().read() as tx:
        await gate.shut()
        report = await tx.run_slow(CURRENT)
        later = await tx.one(CURRENT)
    await replica.close()
    assert (report, later) == ([OF_REPORT], USUAL)


async def test_a_report_is_run_on_the_primary_when_the_replica_is_lost_during_it(
    db: PostgresDatabase, gate: Gate, servers: Replicated
) -> None:
    await add(db, "one")
    replica = await behind(gate, db)
    async with replica.for_request().read() as tx:
        running = asyncio.create_task(tx.run_slow(REPORT))
        await servers.until_sleeping()
        await gate.shut()
        report = await running
        later = await tx.one(CURRENT)
    await replica.close()
    assert (report, later) == ([(*OF_REPORT, 1)], USUAL)


async def test_a_report_that_is_too_slow_is_not_run_again(db: PostgresDatabase, gate: Gate) -> None:
    await add(db, "one")
    replica = await behind(gate, db, Deadlines(report=0.2))
    async with replica.for_request().read() as tx:
        with pytest.raises(Unavailable):
            await tx.run_slow(REPORT)
        later = await tx.one(CURRENT)
    await replica.close()
    assert later
    assert (later[0], replica.reason) == (True, "")
