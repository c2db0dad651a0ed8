"""Writes that need no answer: sent together on PostgreSQL, and with the same effect as one after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest
from sqlalchemy import bindparam, insert, select, update

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import counters, settings, users
from tests.storage.statements import emails

ADD_USER = Query(insert(users).values(email=bindparam("email"), name="", is_owner=False, created_at=0).inline())
ADD_COUNTER = Query(insert(counters).values(name=bindparam("counter"), shard=0, value=bindparam("number")).inline())
RAISE = Query(
    update(counters)
    .where(counters.c.name == bindparam("counter"), counters.c.value < bindparam("most"))
    .values(value=counters.c.value + 1)
    .returning(counters.c.value)
)
RENAME = Query(update(users).values(name=select(counters.c.name).limit(1).scalar_subquery()))
VALUE = Query(select(counters.c.value).where(counters.c.name == "stock"))
NAMES = Query(select(users.c.name))
LOCK = Query(select(settings.c.name).with_for_update())


class SoldOut(Exception):
    """Nothing is left."""


async def buy(db: Engine) -> None:
    """A new user takes one of five."""
    async with db.write() as tx:
        await tx.run(ADD_USER, email="ada")
        await tx.require(RAISE, SoldOut(), counter="stock", most=5)


async def values(db: Engine) -> list[int]:
    async with db.read() as tx:
        return [value for (value,) in await tx.all(VALUE)]


async def test_a_read_sees_what_was_written_before_it(db: Engine) -> None:
    async with db.write() as tx:
        await tx.run(ADD_USER, email="ada")
        await tx.run(ADD_COUNTER, counter="stock", number=1)
        assert [value for (value,) in await tx.all(VALUE)] == [1]
        await tx.run(RAISE, counter="stock", most=9)
        assert [value for (value,) in await tx.all(VALUE)] == [2]
    assert await emails(db) == ["ada"]


async def test_a_write_sees_what_another_wrote_that_it_reads(db: Engine) -> None:
    async with db.write() as tx:
        await tx.run(ADD_USER, email="ada")
        await tx.run(ADD_COUNTER, counter="stock", number=1)
        await tx.run(RENAME)
    async with db.read() as tx:
        assert await tx.all(NAMES) == [("stock",)]


async def test_two_writes_of_one_row_both_count(db: Engine) -> None:
    async with db.write() as tx:
        await tx.run(ADD_COUNTER, counter="stock", number=0)
        for _ in range(3):
            await tx.run(RAISE, counter="stock", most=9)
    assert await values(db) == [3]


async def test_a_required_write_that_finds_no_row_fails_the_transaction_as_a_whole(db: Engine) -> None:
    async with db.write() as tx:
        await tx.run(ADD_COUNTER, counter="stock", number=5)
    with pytest.raises(SoldOut):
        await buy(db)
    assert (await emails(db), await values(db)) == ([], [5])


async def test_a_required_write_that_finds_its_row_is_committed_with_the_others(db: Engine) -> None:
    async with db.write() as tx:
        await tx.run(ADD_COUNTER, counter="stock", number=4)
    await buy(db)
    assert (await emails(db), await values(db)) == (["ada"], [5])


async def test_the_answer_of_a_required_write_comes_before_the_commit(db: Engine) -> None:
    async def answered(value: int) -> None:
        await tx.run(ADD_USER, email=f"buyer-{value}")

    async with db.write() as tx:
        await tx.run(ADD_COUNTER, counter="stock", number=1)
    async with db.write() as tx:
        await tx.run(ADD_USER, email="ada")
        await tx.require(RAISE, SoldOut(), answered, counter="stock", most=5)
    async with db.write() as tx:
        # Without others.
        await tx.require(RAISE, SoldOut(), answered, counter="stock", most=5)
    assert (sorted(await emails(db)), await values(db)) == (["ada", "buyer-2", "buyer-3"], [3])


async def test_a_write_with_an_answer_comes_after_the_others(db: Engine) -> None:
    async with db.write() as tx:
        await tx.run(ADD_COUNTER, counter="stock", number=4)
    async with db.write() as tx:
        await tx.run(ADD_USER, email="ada")
        assert await tx.one(RAISE, counter="stock", most=5) == (5,)
        assert await tx.one(RAISE, counter="stock", most=5) is None
    assert (await emails(db), await values(db)) == (["ada"], [5])


async def test_nothing_is_written_by_a_block_that_fails(db: Engine) -> None:
    async def fail() -> None:
        async with db.write() as tx:
            await tx.run(ADD_USER, email="ada")
            raise SoldOut

    with pytest.raises(SoldOut):
        await fail()
    assert await emails(db) == []


@pytest.fixture
async def server(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    """With one connection: a transaction that was not ended would be seen in the next."""
    db = await PostgresDatabase.open(postgres_url, 1)
    async with db.write() as tx:
        for table in (users, counters):
            await tx.run(Query(table.delete()))
    yield db
    await db.close()


async def test_the_connection_of_a_refused_transaction_is_used_again(server: PostgresDatabase) -> None:
    connection = await server.pool.take()
    server.pool.give_back(connection)
    with pytest.raises(SoldOut):
        await buy(server)
    assert await emails(server) == []
    assert not connection.is_closed()


async def test_the_constraint_of_a_collected_write_is_named(server: PostgresDatabase) -> None:
    async with server.write() as tx:
        await tx.run(ADD_USER, email="ada")
        await tx.run(ADD_COUNTER, counter="stock", number=1)
    with pytest.raises(asyncpg.UniqueViolationError) as caught:
        await buy(server)
    assert (caught.value.constraint_name, await values(server)) == ("uq_users_email", [1])


async def test_a_lock_comes_after_the_writes_before_it(server: PostgresDatabase) -> None:
    sent: list[str] = []
    connection = await server.pool.take()
    server.pool.give_back(connection)
    connection.add_query_logger(lambda record: sent.append(record.query.split()[0]))
    async with server.write() as tx:
        await tx.all(VALUE)
        await tx.run(ADD_USER, email="ada")
        await tx.run(ADD_COUNTER, counter="stock", number=1)
        await tx.all(LOCK)
    # Logged with the next step of the loop.
    await emails(server)
    assert sent[:5] == ["SELECT", "BEGIN;", "WITH", "SELECT", "COMMIT"]
