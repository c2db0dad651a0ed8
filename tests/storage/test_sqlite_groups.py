"""Operations of the embedded engine that share a commit, when one of them fails after it has written."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from sqlalchemy import bindparam, insert, text, update

from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import users
from tests.storage.statements import COUNT, MANY, add, emails

ADD = Query(
    insert(users).values(email=bindparam("new_email"), name=bindparam("new_name"), is_owner=False, created_at=0)
)
RENAME = Query(update(users).where(users.c.email == bindparam("whose")).values(name=bindparam("new_name")))
RENAME_ANY = Query(
    update(users).where(users.c.email == bindparam("whose")).values(name=users.c.name + "!").returning(users.c.id)
)
NAMES = Query(text("SELECT email, name FROM users ORDER BY id"))


class Fault(Exception):
    """Of the operation, not of the engine."""


async def insert_user(db: SqliteDatabase, email: str, *, fails: bool = False) -> int:
    async with db.write() as tx:
        (user_id,) = await tx.insert(ADD, [{"new_email": email, "new_name": ""}])
        if fails:
            raise Fault
    return user_id


async def names(db: SqliteDatabase) -> list[tuple[str, str]]:
    async with db.read() as tx:
        return await tx.all(NAMES)


@pytest.fixture
def connections() -> Iterator[list[apsw.Connection]]:
    """Those that are opened from now on; the first one of an engine is its writer."""
    opened: list[apsw.Connection] = []
    apsw.connection_hooks.append(opened.append)
    yield opened
    apsw.connection_hooks.remove(opened.append)


async def test_an_operation_that_fails_takes_nothing_of_its_group_with_it(embedded: SqliteDatabase) -> None:
    outcomes = await asyncio.gather(
        insert_user(embedded, "ada"),
        insert_user(embedded, "nobody", fails=True),
        insert_user(embedded, "grace"),
        return_exceptions=True,
    )
    assert [str(outcome) for outcome in outcomes] == ["1", "", "2"]
    assert await emails(embedded) == ["ada", "grace"]


async def test_every_kind_of_write_is_done_again(embedded: SqliteDatabase) -> None:
    async def write() -> None:
        async with embedded.write() as tx:
            await tx.execute_many(ADD, [{"new_email": email, "new_name": email} for email in ("ada", "grace", "mary")])
            await tx.run(RENAME, whose="ada", new_name="Ada")
            await tx.fetch_for_each(RENAME_ANY, [{"whose": "ada"}, {"whose": "grace"}])
            await tx.run_slow(RENAME, whose="mary", new_name="Mary")

    await asyncio.gather(write(), insert_user(embedded, "nobody", fails=True), return_exceptions=True)
    assert await names(embedded) == [("ada", "Ada!"), ("grace", "grace!"), ("mary", "Mary")]


async def test_an_operation_that_fails_first_leaves_the_next_ones_alone(embedded: SqliteDatabase) -> None:
    await asyncio.gather(
        insert_user(embedded, "nobody", fails=True), insert_user(embedded, "ada"), return_exceptions=True
    )
    assert await emails(embedded) == ["ada"]


async def test_an_operation_that_only_reads_survives_the_failure_of_the_next(embedded: SqliteDatabase) -> None:
    async def read() -> tuple[int] | None:
        async with embedded.write() as tx:
            return await tx.one(COUNT)

    outcomes = await asyncio.gather(read(), insert_user(embedded, "nobody", fails=True), return_exceptions=True)
    assert outcomes[0] == (0,)
    assert await emails(embedded) == []


@pytest.mark.parametrize("seed", range(5))
async def test_what_is_acknowledged_is_stored_whatever_fails_beside_it(embedded: SqliteDatabase, seed: int) -> None:
    choice = random.Random(seed)
    emails_of_ids: dict[int, str] = {}

    async def operate(number: int) -> None:
        fails = choice.random() < 0.3
        user_id = await insert_user(embedded, f"{number}", fails=fails)
        emails_of_ids[user_id] = f"{number}"

    await asyncio.gather(*(operate(number) for number in range(100)), return_exceptions=True)
    assert 0 < len(emails_of_ids) < 100
    stored = [email for email, _ in await names(embedded)]
    assert stored == [emails_of_ids[user_id] for user_id in sorted(emails_of_ids)]


async def test_a_group_is_refused_when_another_process_writes_while_it_is_taken_back(
    connections: list[apsw.Connection], file: Path
) -> None:
    db = SqliteDatabase(file)
    writer, other = connections[0], apsw.Connection(str(file))

    before: list[str] = []

    def write_after_rolling_back(_cursor: apsw.Cursor, sql: str, _values: object) -> bool:
        if sql == "BEGIN IMMEDIATE" and before == ["ROLLBACK"]:
            writer.exec_trace = None
            other.execute("INSERT INTO users (email, name, is_owner, created_at) VALUES ('other', '', 0, 0)")
        before[:] = [sql]
        return True

    writer.exec_trace = write_after_rolling_back
    outcomes = await asyncio.gather(
        insert_user(db, "ada"), insert_user(db, "nobody", fails=True), insert_user(db, "grace"), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [Unavailable, Fault, int]
    assert await emails(db) == ["grace", "other"]
    await db.close()
    other.close()


async def test_an_operation_that_is_cancelled_while_it_is_taken_back_harms_no_other(embedded: SqliteDatabase) -> None:
    is_failing = asyncio.Event()

    async def add_many() -> None:
        async with embedded.write() as tx:
            await tx.run_slow(MANY)

    async def fail() -> None:
        async with embedded.write() as tx:
            await tx.insert(ADD, [{"new_email": "nobody", "new_name": ""}])
            is_failing.set()
            raise Fault

    many, failing = asyncio.create_task(add_many()), asyncio.create_task(fail())
    await is_failing.wait()
    failing.cancel()
    await asyncio.gather(many, add(embedded, "ada"))
    async with embedded.read() as tx:
        assert (failing.cancelled(), await tx.one(COUNT)) == (True, (100_001,))
