"""The pipeline of PostgreSQL: writes that are sent together with the next statement that answers something."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import asyncpg
import pytest
from sqlalchemy import ARRAY, BigInteger, Boolean, Integer, LargeBinary, Text, bindparam, column, insert, select, table
from sqlalchemy import text as sql

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import users
from tests.storage.statements import COUNT, add, emails

# One connection: whatever happens to it, the next operation has the same one.
SIZE = 1
TYPES: dict[str, Any] = {
    "flag": Boolean(),
    "big": BigInteger(),
    "small": Integer(),
    "word": Text(),
    "bits": LargeBinary(),
    "flags": ARRAY(Boolean()),
    "bigs": ARRAY(BigInteger()),
    "words": ARRAY(Text()),
    "parts": ARRAY(LargeBinary()),
}
VALUES: dict[str, Any] = {
    "flag": True,
    "big": -(2**63),
    "small": 2**31 - 1,
    "word": "Zoë, 龍 'and' \\ more",
    "bits": b"\x00\xff",
    "flags": [True, None, False],
    "bigs": [1, 2**63 - 1, None],
    "words": ["", "é", None],
    "parts": [b"", b"\x00"],
}
values = table("sent_values", *(column(name, kind) for name, kind in TYPES.items()))
MAKE_TABLE = Query(
    sql(
        "CREATE TEMPORARY TABLE sent_values (flag boolean, big bigint, small integer, word text, bits bytea, "
        "flags boolean[], bigs bigint[], words text[], parts bytea[]) ON COMMIT DROP"
    )
)
SEND = Query(insert(values).values({name: bindparam(name) for name in TYPES}))
READ = Query(select(*values.c))
# Without the implicit RETURNING, which someone would have to wait for.
ADD = Query(insert(users).values(email=bindparam("email"), name="", is_owner=False, created_at=0).inline())
BY_NUMBER = Query(select(users.c.email).where(users.c.id == bindparam("number")))
DUPLICATE = Query(sql("INSERT INTO settings (name, version, value, updated_at) SELECT 'twice', 0, '', 0 FROM users"))
ROWS = Query(sql("SELECT generate_series(1, 3)"))


@pytest.fixture
async def db(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("TRUNCATE users CASCADE")
    await connection.close()
    db = await PostgresDatabase.open(postgres_url, SIZE)
    yield db
    await db.close()


async def test_a_statement_sees_the_writes_before_it(db: PostgresDatabase) -> None:
    async with db.write() as tx:
        await tx.run(ADD, email="ada")
        await tx.run(ADD, email="bo")
        assert await tx.one(COUNT) == (2,)
        await tx.run(ADD, email="cy")
    assert await emails(db) == ["ada", "bo", "cy"]


async def test_many_writes_in_a_row_are_all_there(db: PostgresDatabase) -> None:
    async with db.write() as tx:
        for number in range(200):
            await tx.run(ADD, email=f"{number:03}")
    assert len(await emails(db)) == 200


async def test_values_arrive_as_they_were_sent(db: PostgresDatabase) -> None:
    nothing = dict.fromkeys(TYPES)
    async with db.write() as tx:
        await tx.all(MAKE_TABLE)
        await tx.run(SEND, **VALUES)
        await tx.run(SEND, **nothing)
        assert [dict(zip(TYPES, row, strict=True)) for row in await tx.all(READ)] == [VALUES, nothing]


async def test_the_rows_of_a_statement_that_is_only_run_are_not_taken_for_those_of_the_next(
    db: PostgresDatabase,
) -> None:
    async with db.write() as tx:
        await tx.run(ADD, email="ada")
        await tx.run(ROWS)
        assert await tx.all(COUNT) == [(1,)]


async def test_a_write_that_fails_fails_the_commit_and_nothing_is_stored(db: PostgresDatabase) -> None:
    await add(db, "ada")
    with pytest.raises(asyncpg.UniqueViolationError):
        await _operation(db, lambda tx: tx.run(ADD, email="bo"), lambda tx: tx.run(DUPLICATE))
    assert await emails(db) == ["ada"]


async def test_a_write_that_fails_fails_the_next_answer_and_its_operation_rolls_back(db: PostgresDatabase) -> None:
    await add(db, "ada", "bo")
    with pytest.raises(asyncpg.UniqueViolationError):
        await _operation(db, lambda tx: tx.run(DUPLICATE), lambda tx: tx.one(COUNT))
    await add(db, "cy")
    assert await emails(db) == ["ada", "bo", "cy"]


async def test_a_value_that_cannot_be_sent_leaves_nothing_and_a_working_pool(db: PostgresDatabase) -> None:
    with pytest.raises(asyncpg.DataError):
        await _operation(
            db, lambda tx: tx.run(ADD, email="bo"), lambda tx: tx.one(BY_NUMBER, number="a word, where a number is due")
        )
    await add(db, "ada")
    assert await emails(db) == ["ada"]


async def test_an_operation_that_is_given_up_leaves_nothing_of_what_waited(db: PostgresDatabase) -> None:
    with pytest.raises(KeyError):
        await _operation(db, lambda tx: tx.run(ADD, email="bo"), lambda tx: tx.run(ADD))
    await add(db, "ada")
    assert await emails(db) == ["ada"]


async def _operation(db: PostgresDatabase, *steps: Callable[[Transaction], Awaitable[object]]) -> None:
    async with db.write() as tx:
        for step in steps:
            await step(tx)


async def test_a_connection_holds_a_bounded_number_of_prepared_statements(db: PostgresDatabase) -> None:
    async with db.write() as tx:
        for number in range(600):
            await tx.all(Query(sql(f"SELECT {number}")))
        ((count,),) = await tx.all(Query(sql("SELECT count(*) FROM pg_prepared_statements")))
    assert 100 < count < 600
    await add(db, "ada")
    assert await emails(db) == ["ada"]
