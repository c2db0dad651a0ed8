"""Operations of the embedded engine that share a commit, when one of them fails after it has written."""

from __future__ import annotations

import asyncio
import random

import pytest
from sqlalchemy import bindparam, insert, text, update

from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import users
from tests.storage.statements import COUNT, emails

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


async def test_an_operation_that_fails_takes_nothing_of_its_group_with_it(embedded: SqliteDatabase) -> None:
    outcomes = await asyncio.gather(
        insert_user(embedded, "ada"),
        insert_user(embedded, "nobody", fails=True),
        insert_user(embedded, "grace"),
        return_exceptions=True,
    )
    assert [str(outcome) for outcome in outcomes] == ["1", "", "2"]
    assert await emails(embedded) == ["ada", "grace"]


async def test_every_kind_of_write_survives_the_failure_of_the_next(embedded: SqliteDatabase) -> None:
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
