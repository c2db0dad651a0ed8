"""The embedded engine: shared commits, another process at the same file, and SQLite's own roll-back."""

from __future__ import annotations

import asyncio
import struct
from pathlib import Path

import apsw
import pytest
from sqlalchemy import text

from lootkeep.kernel.errors import Busy, StartupError, Unavailable
from lootkeep.storage.engine.dialect import SortOnDisk
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from tests.storage.statements import COUNT, MANY, add, emails

# The layout of a write-ahead log, from SQLite's description of its file format.
_LOG_HEADER = 32
_FRAME_HEADER = 24
# Counts for a tenth of a second.
SLOW = Query(
    text("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000000) SELECT count(*) FROM n")
)


async def test_concurrent_operations_share_a_commit(file: Path, embedded: SqliteDatabase) -> None:
    await asyncio.gather(*(add(embedded, f"{number:02}") for number in range(64)))
    assert 1 <= _commits(file) <= 4


async def test_sequential_operations_have_a_commit_each(file: Path, embedded: SqliteDatabase) -> None:
    for number in range(5):
        await add(embedded, f"{number:02}")
    assert _commits(file) == 5


async def test_an_acknowledged_operation_is_in_the_file_for_every_other_process(
    file: Path, embedded: SqliteDatabase
) -> None:
    await add(embedded, "ada")
    assert _other(file).execute("SELECT email FROM users").fetchall() == [("ada",)]


async def test_an_operation_waits_while_another_process_writes(file: Path, embedded: SqliteDatabase) -> None:
    other_connection = _other(file)
    other_connection.execute("BEGIN IMMEDIATE")
    operation = asyncio.create_task(add(embedded, "ada"))
    done, _ = await asyncio.wait({operation}, timeout=0.1)
    other_connection.execute("COMMIT")
    await operation
    assert (done, await emails(embedded)) == (set(), ["ada"])


async def test_reads_continue_while_another_process_writes(file: Path, embedded: SqliteDatabase) -> None:
    await add(embedded, "ada")
    other_connection = _other(file)
    other_connection.execute("BEGIN IMMEDIATE; DELETE FROM users")
    assert await emails(embedded) == ["ada"]
    other_connection.execute("ROLLBACK")


async def test_an_operation_that_waits_too_long_fails_because_the_database_is_busy(
    file: Path, embedded: SqliteDatabase
) -> None:
    other_connection = _other(file)
    other_connection.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match=r"The database is busy\. Please try again shortly\."):
        await add(embedded, "refused")
    other_connection.execute("ROLLBACK")
    await add(embedded, "ada")
    assert await emails(embedded) == ["ada"]


async def test_writes_that_wait_for_another_process_time_out_together_and_not_in_sequence(
    file: Path,
) -> None:
    db = SqliteDatabase(file, patience_seconds=0.5)
    other_connection = _other(file)
    other_connection.execute("BEGIN IMMEDIATE")
    async with asyncio.timeout(10):
        writes = await asyncio.gather(*(add(db, f"{number}") for number in range(60)), return_exceptions=True)
    other_connection.execute("ROLLBACK")
    await add(db, "ada")
    assert ({type(outcome) for outcome in writes}, await emails(db)) == ({Busy}, ["ada"])
    await db.close()


async def test_a_write_behind_a_long_one_times_out_and_the_next_succeeds(file: Path) -> None:
    db = SqliteDatabase(file, patience_seconds=0.2)
    async with db.write(), asyncio.timeout(10):
        outcomes = await asyncio.gather(*(add(db, f"{number}") for number in range(3)), return_exceptions=True)
    await add(db, "ada")
    assert ({type(outcome) for outcome in outcomes}, await emails(db)) == ({Busy}, ["ada"])
    await db.close()


async def test_every_operation_of_a_group_fails_when_sqlite_rolls_it_back(file: Path, embedded: SqliteDatabase) -> None:
    _make_rolling_back(file)
    outcomes = await asyncio.gather(
        add(embedded, "ada"), add(embedded, "grace"), _roll_everything_back(embedded), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [Unavailable, Unavailable, Unavailable]
    assert await emails(embedded) == []


async def test_the_engine_keeps_working_after_sqlite_rolled_back_a_group(file: Path, embedded: SqliteDatabase) -> None:
    _make_rolling_back(file)
    with pytest.raises(Unavailable):
        await _roll_everything_back(embedded)
    await add(embedded, "ada")
    assert await emails(embedded) == ["ada"]


async def test_a_full_disk_is_an_outage_and_acknowledged_writes_stay(file: Path, embedded: SqliteDatabase) -> None:
    await add(embedded, "ada")
    pages = Query(text("PRAGMA max_page_count = 1"))
    async with embedded.write() as tx:
        # SQLite answers the smallest limit it can keep: the pages that are there already.
        await tx.run(pages)
    outcomes = await asyncio.gather(*(add(embedded, str(n) * 3_000) for n in range(20)), return_exceptions=True)
    committed = [outcome for outcome in outcomes if outcome is None]
    assert {type(outcome) for outcome in outcomes if outcome is not None} == {Unavailable}
    assert len(await emails(embedded)) == 1 + len(committed)


async def test_the_reader_cannot_write(embedded: SqliteDatabase) -> None:
    with pytest.raises(Unavailable):
        async with embedded.read() as tx:
            await tx.run(Query(text("DELETE FROM users")))


async def test_a_foreign_key_is_stored(embedded: SqliteDatabase) -> None:
    with pytest.raises(apsw.ConstraintError):
        async with embedded.write() as tx:
            await tx.run(
                Query(
                    text(
                        "INSERT INTO tokens (user_id, name, digest, hint, scopes, created_at)"
                        " VALUES (7, '', '', '', '', 0)"
                    )
                )
            )


async def test_an_id_is_never_reused(embedded: SqliteDatabase) -> None:
    add_one = Query(text("INSERT INTO users (email, name, is_owner, created_at) VALUES ('a', '', 0, 0) RETURNING id"))
    async with embedded.write() as tx:
        first = await tx.one(add_one)
        await tx.run(Query(text("DELETE FROM users")))
        second = await tx.one(add_one)
    assert (first, second) == ((1,), (2,))


async def test_closing_waits_for_the_commit_under_way(file: Path) -> None:
    db = SqliteDatabase(file)
    operation = asyncio.create_task(add(db, "ada"))
    # One turn of the loop: the operation has done its work and waits for its commit.
    await asyncio.sleep(0)
    await db.close()
    await operation
    assert _other(file).execute("SELECT email FROM users").fetchall() == [("ada",)]


async def test_a_slow_read_does_not_hold_up_the_others(embedded: SqliteDatabase) -> None:
    async with embedded.read(slow=True) as far, embedded.read() as near:
        counting = asyncio.create_task(far.all(SLOW))
        await asyncio.sleep(0)
        assert await near.one(COUNT) == (0,)
        was_still_counting = not counting.done()
        assert (await counting, was_still_counting) == ([(2_000_000,)], True)


async def test_slow_reads_and_reports_at_once_all_answer(embedded: SqliteDatabase) -> None:
    async with embedded.read(slow=True) as first, embedded.read(slow=True) as second:
        counting = asyncio.create_task(first.all(SLOW))
        await asyncio.sleep(0)
        assert await second.run_slow(COUNT) == [(0,)]
        assert await second.one(COUNT) == (0,)
        assert await counting == [(2_000_000,)]


async def test_a_report_does_not_hold_up_other_reads(embedded: SqliteDatabase) -> None:
    async with embedded.read(slow=True) as far, embedded.read() as near:
        counting = asyncio.create_task(far.run_slow(SLOW))
        await asyncio.sleep(0)
        assert await near.one(COUNT) == (0,)
        was_still_counting = not counting.done()
        assert (await counting, was_still_counting) == ([(2_000_000,)], True)


async def add_many(db: SqliteDatabase) -> None:
    async with db.write() as tx:
        await tx.run_slow(MANY)


async def test_a_long_statement_holds_up_other_operations_but_no_readers(embedded: SqliteDatabase) -> None:
    adding = asyncio.create_task(add_many(embedded))
    await asyncio.sleep(0)
    behind = asyncio.create_task(add(embedded, "ada"))
    async with embedded.read() as tx:
        assert await tx.one(COUNT) == (0,)
        was_still_adding = not adding.done()
        await asyncio.gather(adding, behind)
        assert (await tx.one(COUNT), was_still_adding) == ((100_001,), True)


async def test_an_operation_that_is_cancelled_in_a_long_statement_leaves_nothing(embedded: SqliteDatabase) -> None:
    adding = asyncio.create_task(add_many(embedded))
    await asyncio.sleep(0)
    adding.cancel()
    await add(embedded, "ada")
    assert (adding.cancelled(), await emails(embedded)) == (True, ["ada"])


async def test_sorting_on_disk_needs_little_memory_for_many_rows(embedded: SqliteDatabase) -> None:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)"
    groups = Query[tuple[int]](text(f"{numbers} SELECT count(*) FROM (SELECT 1 FROM n GROUP BY randomblob(600))"))
    async with embedded.write() as tx:
        await tx.run(Query(SortOnDisk()))
        apsw.memory_high_water(True)
        count = await tx.one(groups)
    # Sorted in memory, the values alone have 36 MB.
    assert (count, apsw.memory_high_water() < 24_000_000) == ((60_000,), True)


def test_a_file_that_is_not_a_database_is_reported_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 100)
    with pytest.raises(StartupError, match=r"notes\.txt is not a SQLite database\."):
        SqliteDatabase(path)
    assert path.read_text() == "Dear diary, " * 100


def test_a_folder_that_does_not_exist_is_reported_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StartupError, match="Check that its folder exists and is writable"):
        SqliteDatabase(tmp_path / "nowhere" / "x.db")


def _other(file: Path) -> apsw.Connection:
    """A connection like that of another process."""
    return apsw.Connection(str(file))


def _make_rolling_back(file: Path) -> None:
    """A table whose constraint rolls the whole transaction back, as SQLite also does when a disk fails."""
    _other(file).execute(
        "CREATE TABLE fragile (one INTEGER UNIQUE ON CONFLICT ROLLBACK); INSERT INTO fragile VALUES (1)"
    )


async def _roll_everything_back(db: SqliteDatabase) -> None:
    async with db.write() as tx:
        await tx.run(Query(text("INSERT INTO fragile VALUES (1)")))


def _commits(file: Path) -> int:
    """How many commits the write-ahead log holds: their last frames carry the size of the database."""
    log = file.with_name(file.name + "-wal").read_bytes()
    (page_size,) = struct.unpack_from(">I", log, 8)
    salt = log[16:24]
    frames = range(_LOG_HEADER, len(log), _FRAME_HEADER + page_size)
    # Frames of an earlier round of the log have another salt.
    return sum(struct.unpack_from(">I", log, at + 4)[0] != 0 for at in frames if log[at + 8 : at + 16] == salt)
