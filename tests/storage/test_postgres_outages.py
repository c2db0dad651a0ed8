"""Errors of the PostgreSQL server are outages and not application errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from sqlalchemy import text

from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_session import DEADLINES, Deadlines
from lootkeep.storage.engine.query import Query
from tests.receiver import PATIENCE_SECONDS
from tests.storage.statements import ADD, add, emails
from tests.worker.delivering import waits_for_a_lock

CODES = {
    "57014": "a cancelled statement",
    "57P01": "an administrator's shutdown",
    "57P02": "a crash",
    "57P03": "a start under way",
    "57P04": "a dropped database",
    "57P05": "a session that was idle",
    "55P03": "a lock that was not given in time",
    "53100": "a full disk",
    "53200": "no memory",
    "53300": "too many connections",
    "25006": "a server that only reads",
    "25P03": "a transaction that was idle",
    "40P01": "a deadlock",
    "58030": "a disk that fails",
}


@pytest.fixture
async def db(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("TRUNCATE users CASCADE")
    await connection.close()
    db = await PostgresDatabase.open(postgres_url, 2, Deadlines(statement=1))
    yield db
    await db.close()


@pytest.mark.parametrize("code", CODES, ids=CODES.values())
async def test_a_server_error_is_an_outage(db: PostgresDatabase, code: str) -> None:
    async with db.read() as tx:
        with pytest.raises(Unavailable):
            await tx.run(Query(text(f"DO $do$ BEGIN RAISE EXCEPTION USING ERRCODE = '{code}'; END $do$")))
    await add(db, "ada")
    assert await emails(db) == ["ada"]


async def test_a_statement_that_an_administrator_cancels_is_an_outage(db: PostgresDatabase, postgres_url: str) -> None:
    admin = await asyncpg.connect(postgres_url)
    async with db.write(is_long=True) as tx:
        (pid,) = await tx.all(Query(text("SELECT pg_backend_pid()")))
        asleep = asyncio.create_task(tx.all(Query(text("SELECT pg_sleep(60)"))))
        while not await admin.fetchval(
            "SELECT state = 'active' AND query ~ 'pg_sleep' FROM pg_stat_activity WHERE pid = $1", *pid
        ):
            await asyncio.sleep(0.02)
        await admin.execute("SELECT pg_cancel_backend($1)", *pid)
        with pytest.raises(Unavailable):
            await asleep
    await admin.close()


async def test_when_one_connection_is_cut_those_that_wait_are_replaced(db: PostgresDatabase) -> None:
    pid = Query(text("SELECT pg_backend_pid()"))
    async with db.read() as cut, db.read() as other:
        before = [*await cut.all(pid), *await other.all(pid)]
    async with db.read() as cut:
        with pytest.raises(Unavailable):
            await cut.all(Query(text("SELECT pg_terminate_backend(pg_backend_pid())")))
    async with db.read() as tx:
        (after,) = await tx.all(pid)
    assert after not in before


async def test_waiting_too_long_for_a_locked_row_is_an_outage(db: PostgresDatabase) -> None:
    await add(db, "ada")
    change = Query(text("UPDATE users SET name = 'x'"))
    async with db.write() as holder, db.write() as waiting:
        await holder.run(change)
        with pytest.raises(Unavailable):
            await waiting.run(change)


async def test_an_application_error_stays_one(db: PostgresDatabase) -> None:
    async with db.read() as tx:
        with pytest.raises(asyncpg.UndefinedTableError):
            await tx.run(Query(text("SELECT 1 FROM nothing")))


async def test_a_duplicate_key_is_not_an_outage(db: PostgresDatabase) -> None:
    again = Query(text("INSERT INTO settings (name, version, value, updated_at) VALUES ('twice', 0, '', 0)"))
    async with db.write() as tx:
        await tx.run(ADD, email="ada")
        await tx.run(Query(text("DELETE FROM settings WHERE name = 'twice'")))
        await tx.run(again)
        with pytest.raises(asyncpg.UniqueViolationError):
            await tx.run(again)


async def test_a_read_gives_up_on_a_locked_table_long_before_a_statement_has_to_end(postgres_url: str) -> None:
    db = await PostgresDatabase.open(postgres_url, 1, Deadlines(statement=600, read_lock=0.05))
    other = await asyncpg.connect(postgres_url)
    async with other.transaction(), asyncio.timeout(PATIENCE_SECONDS):
        await other.execute("LOCK TABLE users")
        with pytest.raises(Unavailable):
            await emails(db)
    await other.close()
    await db.close()


async def test_a_write_waits_for_a_lock_longer_than_a_read_does(postgres_url: str) -> None:
    db = await PostgresDatabase.open(postgres_url, 1, Deadlines(read_lock=0.05))
    other = await asyncpg.connect(postgres_url)
    async with other.transaction():
        await other.execute("LOCK TABLE users")
        adding = asyncio.create_task(add(db, "ada"))
        await waits_for_a_lock(postgres_url, adding)
        await other.execute("SELECT pg_sleep(0.2)")
    await adding
    assert "ada" in await emails(db)
    await other.close()
    await db.close()


def test_a_read_that_waits_for_a_connection_and_for_a_lock_ends_after_five_seconds() -> None:
    assert DEADLINES.free_connection + DEADLINES.read_lock <= 5
