"""Requests that only read, with a replica that keeps up, is behind, or is gone."""

from __future__ import annotations

import asyncio

from sqlalchemy import case, func, select
from structlog.testing import capture_logs

from lootkeep.storage.engine.database import Database
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_pool import Pool
from lootkeep.storage.engine.postgres_replica import Replica
from lootkeep.storage.engine.postgres_session import Deadlines, Sessions
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import users
from tests.gate import Gate
from tests.replica.conftest import MAX_LAG, PATIENT_LAG, in_use
from tests.replicas import Replicated
from tests.servers import pooler
from tests.storage.statements import EMAILS, add

IS_REPLICA = Query(select(func.pg_is_in_recovery()))
# On the replica it takes longer than any test waits.
SLOW_ON_REPLICA = Query(select(users.c.email, func.pg_sleep(case((func.pg_is_in_recovery(), 60), else_=0))))


async def read(db: Database) -> tuple[bool, list[str]]:
    """Whether the replica answers, and what is stored."""
    async with db.read() as tx:
        ((is_replica,),) = await tx.all(IS_REPLICA)
        return is_replica, [email for (email,) in await tx.all(EMAILS)]


async def test_a_read_sees_on_the_replica_what_was_just_written(db: PostgresDatabase, replica: Replica) -> None:
    seen = []
    for number in range(20):
        await add(db, f"{number:02}")
        seen.append(await read(replica.for_request()))
    assert seen == [(True, [f"{number:02}" for number in range(last + 1)]) for last in range(20)]


async def test_what_the_replica_has_not_replayed_in_time_is_read_from_the_primary(
    db: PostgresDatabase, hasty_replica: Replica, servers: Replicated
) -> None:
    await servers.pause()
    await add(db, "new")
    with capture_logs() as lines:
        answer = await read(hasty_replica.for_request())
        again = await read(hasty_replica.for_request())
    assert (answer, again) == ((False, ["new"]), (False, ["new"]))
    reasons = [line["reason"] for line in lines]
    assert reasons == [f"it was not up to date after {MAX_LAG} s"]


async def test_a_read_waits_for_a_replica_that_is_a_little_behind(
    db: PostgresDatabase, replica: Replica, servers: Replicated
) -> None:
    await servers.pause()
    await add(db, "new")
    reading = [asyncio.create_task(read(replica.for_request())) for _ in range(5)]
    await asyncio.sleep(0)
    await servers.go_on()
    answer = await asyncio.gather(*reading)
    assert answer == [(True, ["new"])] * 5


async def test_a_replica_that_has_caught_up_is_used_again(
    db: PostgresDatabase, hasty_replica: Replica, servers: Replicated
) -> None:
    await servers.pause()
    await add(db, "new")
    before = await read(hasty_replica.for_request())
    await hasty_replica.look()
    still = await read(hasty_replica.for_request())
    await servers.go_on()
    while not (await read(hasty_replica.for_request()))[0]:
        await hasty_replica.look()
    assert [answer[0] for answer in (before, still)] == [False, False]


async def test_a_request_that_has_written_reads_from_the_primary(replica: Replica) -> None:
    request = replica.for_request()
    before = await read(request)
    async with request.write() as tx:
        await tx.all(IS_REPLICA)
    after = await read(request)
    assert (before[0], after[0]) == (True, False)


async def test_the_rest_of_a_read_is_answered_by_the_primary_when_the_replica_is_lost(
    db: PostgresDatabase, servers: Replicated
) -> None:
    gate = Gate(servers.replica)
    await gate.open()
    replica = await in_use(Replica.of(db, gate.url, 4, PATIENT_LAG, is_pooled=False))
    async with replica.for_request().read() as tx:
        before = await tx.one(IS_REPLICA)
        await gate.shut()
        after = await tx.one(IS_REPLICA)
    later = await read(replica.for_request())
    await replica.close()
    assert (before, after, later[0]) == ((True,), (False,), False)


async def test_a_replica_that_falls_silent_holds_no_read_for_longer_than_the_lag(
    db: PostgresDatabase, servers: Replicated
) -> None:
    gate = Gate(servers.replica)
    await gate.open()
    replica = await in_use(Replica.of(db, gate.url, 4, MAX_LAG, is_pooled=False))
    gate.is_silent = True
    answer = await read(replica.for_request())
    await replica.close()
    await gate.shut()
    assert (answer[0], replica.reason) == (False, f"it was not up to date after {MAX_LAG} s")


async def test_a_replica_that_falls_silent_during_a_statement_is_not_used(
    db: PostgresDatabase, servers: Replicated
) -> None:
    gate = Gate(servers.replica)
    await gate.open()
    sessions = Sessions(gate.url, Deadlines(statement=2), is_pooled=False)
    replica = await in_use(Replica(db, Pool(sessions, 1), PATIENT_LAG))
    async with replica.for_request().read() as tx:
        gate.is_silent = True
        answer = await tx.one(IS_REPLICA)
    await replica.close()
    await gate.shut()
    assert (answer, replica.reason) == ((False,), "TimeoutError")


async def test_the_log_does_not_blame_the_replica_for_a_primary_that_is_down(servers: Replicated) -> None:
    gate = Gate(servers.primary)
    await gate.open()
    primary = await PostgresDatabase.open(gate.url, 1)
    replica = await in_use(Replica.of(primary, servers.replica, 1, PATIENT_LAG, is_pooled=False))
    await gate.shut()
    with capture_logs() as lines:
        await replica.look()
    await replica.close()
    await primary.close()
    (reason,) = [line["reason"] for line in lines]
    assert reason.startswith("the primary did not say what is committed: ")


async def test_a_statement_that_the_replica_cancels_to_follow_the_primary_is_run_there(
    db: PostgresDatabase, replica: Replica, servers: Replicated
) -> None:
    await add(db, "one")
    async with replica.for_request().read() as tx:
        running = asyncio.create_task(tx.all(SLOW_ON_REPLICA))
        await servers.until_sleeping()
        await servers.cancel_readers()
        answer = await running
    assert answer == []


async def test_a_server_that_is_no_replica_is_not_read_from(db: PostgresDatabase, servers: Replicated) -> None:
    replica = Replica.of(db, servers.primary, 1, PATIENT_LAG, is_pooled=False)
    await replica.look()
    answer = await read(replica.for_request())
    await replica.close()
    assert (replica.reason, answer[0]) == ("it is not a replica", False)


async def test_a_store_starts_without_its_replica_and_uses_it_when_it_comes(
    db: PostgresDatabase, servers: Replicated
) -> None:
    gate = Gate(servers.replica)
    await gate.open()
    url = gate.url
    await gate.shut()
    replica = Replica.of(db, url, 1, PATIENT_LAG, is_pooled=False)
    await replica.look()
    without = await read(replica.for_request())
    await gate.open()
    await in_use(replica)
    answer = await read(replica.for_request())
    await replica.close()
    await gate.shut()
    assert (without[0], answer[0]) == (False, True)


async def test_both_may_be_behind_poolers(db: PostgresDatabase, servers: Replicated) -> None:
    with (
        pooler(servers.primary, default_pool_size="2") as primary_url,
        pooler(servers.replica, default_pool_size="2") as replica_url,
    ):
        primary = await PostgresDatabase.open(primary_url, 8, is_pooled=True)
        replica = await in_use(Replica.of(primary, replica_url, 8, PATIENT_LAG, is_pooled=True))
        await asyncio.gather(*(add(primary, f"{number:02}") for number in range(20)))
        answer = await asyncio.gather(*(read(replica.for_request()) for _ in range(20)))
        await replica.close()
        await primary.close()
    assert answer == [(True, [f"{number:02}" for number in range(20)])] * 20
