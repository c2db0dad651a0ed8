"""A silent network to PostgreSQL, deadlines, and operations that may take long."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable

import asyncpg
import pytest
from sqlalchemy import func, select, text

from lootkeep.kernel.errors import Busy, Unavailable
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_session import Deadlines, Sessions
from lootkeep.storage.engine.query import Query
from tests.gate import Gate
from tests.storage.statements import ADD, COUNT, add, emails

SIZE = 3
# A deadline against a hang; generous, because a busy machine must not fail the test.
SOON = 60
# Short for a silent server, long for a busy one, which answers in the end.
SHORT = Deadlines(statement=1.5, connection=5)
NAP = Query(text("SELECT pg_sleep(1.8)"))


@pytest.fixture
async def db(gate: Gate, postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("TRUNCATE users CASCADE")
    await connection.close()
    db = await PostgresDatabase.open(gate.url, SIZE, SHORT)
    yield db
    await db.close()


async def test_a_silent_network_failure_under_traffic_is_an_outage_until_data_arrives_again(
    db: PostgresDatabase, gate: Gate
) -> None:
    await asyncio.gather(*(add(db, f"before {number}") for number in range(SIZE)))
    gate.is_silent = True
    async with asyncio.timeout(SOON):
        lost = await asyncio.gather(*(outcome(add(db, f"lost {number}")) for number in range(4 * SIZE)))
    gate.is_silent = False
    await until_it_works(db)
    results = await asyncio.gather(*(outcome(add(db, f"after {number}")) for number in range(4 * SIZE)))
    # Some get a connection that is silent, and some none.
    assert (set(lost), set(results)) == ({Unavailable, Busy}, {None})
    assert len(await emails(db)) == SIZE + 1 + 4 * SIZE


async def test_a_network_failure_within_a_transaction_rolls_it_back(db: PostgresDatabase, gate: Gate) -> None:
    async def count_in_silence() -> None:
        async with asyncio.timeout(SOON), db.write() as tx:
            await tx.run(ADD, email="lost")
            gate.is_silent = True
            await tx.one(COUNT)

    assert await outcome(count_in_silence()) is Unavailable
    gate.is_silent = False
    await until_it_works(db)
    assert await emails(db) == ["works"]


async def test_a_commit_that_nobody_answers_is_an_outage(db: PostgresDatabase, gate: Gate) -> None:
    async def commit_in_silence() -> None:
        async with asyncio.timeout(SOON), db.write() as tx:
            await tx.run(ADD, email="unknown")
            gate.is_silent = True

    assert await outcome(commit_in_silence()) is Unavailable
    gate.is_silent = False
    await until_it_works(db)


async def test_after_one_silent_connection_no_idle_connection_is_reused(db: PostgresDatabase, gate: Gate) -> None:
    await asyncio.gather(*(pid(db) for _ in range(SIZE)))
    gate.is_silent = True
    assert await outcome(add(db, "lost")) is Unavailable
    gate.is_silent = False
    # None of them has answered since, but the next request does not have to find that out for each.
    assert [await outcome(add(db, f"after {number}")) for number in range(SIZE)] == [None] * SIZE


async def test_closing_does_not_wait_for_a_silent_server(db: PostgresDatabase, gate: Gate) -> None:
    await asyncio.gather(*(pid(db) for _ in range(SIZE)))
    gate.is_silent = True
    async with asyncio.timeout(SOON):
        await db.close()


async def test_a_slow_network_is_not_an_outage(db: PostgresDatabase, gate: Gate) -> None:
    gate.delay_seconds = 0.05
    await add(db, "ada")
    assert await emails(db) == ["ada"]


async def test_the_server_ends_a_statement_that_takes_too_long_and_its_connection_is_used_again(
    db: PostgresDatabase,
) -> None:
    before = await pid(db)
    with pytest.raises(Unavailable):
        async with db.write() as tx:
            await tx.one(NAP)
    assert await pid(db) == before


async def test_a_long_transaction_is_not_cancelled(db: PostgresDatabase) -> None:
    async with db.write(is_long=True) as tx:
        await tx.one(NAP)
        await tx.run(ADD, email="ada")
    assert await emails(db) == ["ada"]


async def test_a_long_statement_is_not_cancelled(db: PostgresDatabase) -> None:
    async with db.write() as tx:
        await tx.run_slow(NAP)
        await tx.run(ADD, email="ada")
    assert await emails(db) == ["ada"]


async def test_a_report_may_take_longer_than_other_reads_and_leaves_nothing_behind(db: PostgresDatabase) -> None:
    before = await pid(db)
    async with db.read() as tx:
        await tx.run_slow(NAP)
    assert (await pid(db), await timeouts(db)) == (before, ("1500ms", "15s"))


async def test_a_report_that_takes_too_long_ends_its_transaction(gate: Gate, postgres_url: str) -> None:
    db = await PostgresDatabase.open(gate.url, 1, Deadlines(statement=5, connection=5, report=0.5))
    before = await pid(db)
    async with db.read() as tx:
        with pytest.raises(Unavailable):
            await tx.run_slow(NAP)
        assert await tx.one(COUNT) is not None
    assert (await pid(db), await timeouts(db)) == (before, ("5s", "15s"))
    await db.close()


async def test_a_long_transaction_leaves_nothing_behind_for_the_next_on_its_connection(db: PostgresDatabase) -> None:
    async with db.write(is_long=True) as tx:
        await tx.one(NAP)
    assert await timeouts(db) == ("1500ms", "15s")


async def test_a_long_transaction_does_not_begin_on_a_silent_connection(db: PostgresDatabase, gate: Gate) -> None:
    async def begin() -> None:
        async with asyncio.timeout(SOON), db.write(is_long=True):
            pass

    gate.is_silent = True
    assert await outcome(begin()) is Unavailable


async def test_a_migration_may_take_long(db: PostgresDatabase) -> None:
    await db.migrate(lambda _: "SELECT pg_sleep(1.8); SELECT 1")


async def test_the_server_ends_an_idle_transaction(postgres_url: str) -> None:
    db = await PostgresDatabase.open(postgres_url, 1, Deadlines(idle_transaction=0.1))

    async def forget() -> None:
        async with db.write() as tx:
            await tx.one(ADD, email="forgotten")
            await closed(tx)
            await tx.one(COUNT)

    assert await outcome(forget()) is Unavailable
    await db.close()


async def test_each_connection_uses_tcp_keepalive(gate: Gate) -> None:
    connection = await Sessions(gate.url, SHORT, is_pooled=False).connect()
    sock = connection._transport.get_extra_info("socket")  # type: ignore[attr-defined]
    options = [
        sock.getsockopt(socket.IPPROTO_TCP, option)
        for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
    ]
    await connection.close()
    assert options == [10, 5, 3, 10_000]


async def until_it_works(db: PostgresDatabase) -> None:
    async with asyncio.timeout(SOON):
        while await outcome(add(db, "works")) is not None:
            await asyncio.sleep(0.05)


async def outcome(operation: Awaitable[None]) -> type[BaseException] | None:
    try:
        await operation
    except Unavailable as error:
        return type(error)
    return None


async def pid(db: PostgresDatabase) -> object:
    async with db.read() as tx:
        return await tx.one(Query(select(func.pg_backend_pid())))


async def timeouts(db: PostgresDatabase) -> object:
    names = ("statement_timeout", "idle_in_transaction_session_timeout")
    async with db.read() as tx:
        return await tx.one(Query(select(*(func.current_setting(name) for name in names))))


async def closed(tx: Transaction) -> None:
    """Waits until the server has ended the transaction's connection."""
    ended = asyncio.Event()
    tx.connection.add_termination_listener(lambda _: ended.set())  # type: ignore[attr-defined]
    async with asyncio.timeout(SOON):
        await ended.wait()
