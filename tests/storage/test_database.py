"""Reading and writing on both engines: what is acknowledged is committed, what fails leaves no trace."""

from __future__ import annotations

import asyncio

import pytest

from lootkeep.storage.engine.database import Engine, JoinedDatabase
from tests.storage.statements import ADD, COUNT, EMAILS, add, emails


class OperationFailure(Exception):
    """The error of failing operations in these tests."""


async def fail(db: Engine, email: str) -> None:
    async with db.write() as tx:
        await tx.run(ADD, email=email)
        raise OperationFailure


async def test_an_operation_that_succeeds_is_committed(db: Engine) -> None:
    await add(db, "ada")
    assert await emails(db) == ["ada"]


async def test_an_operation_that_fails_leaves_nothing(db: Engine) -> None:
    with pytest.raises(OperationFailure):
        await fail(db, "ada")
    assert await emails(db) == []


async def test_a_statement_that_the_database_refuses_undoes_the_whole_operation(db: Engine) -> None:
    await add(db, "ada")
    with pytest.raises(Exception, match=r"(?i)unique"):
        await add(db, "grace", "ada")
    assert await emails(db) == ["ada"]


async def test_the_engine_keeps_working_after_a_failed_statement(db: Engine) -> None:
    await add(db, "ada")
    with pytest.raises(Exception, match=r"(?i)unique"):
        await add(db, "ada")
    await add(db, "grace")
    assert await emails(db) == ["ada", "grace"]


async def test_a_failing_operation_does_not_affect_its_neighbours(db: Engine) -> None:
    operations = [(fail if number % 4 == 0 else add)(db, f"{number:02}") for number in range(20)]
    outcomes = await asyncio.gather(*operations, return_exceptions=True)
    committed = [f"{number:02}" for number in range(20) if number % 4]
    assert await emails(db) == committed
    assert [type(outcome) for outcome in outcomes[::4]] == [OperationFailure] * 5


async def test_64_concurrent_operations_are_all_committed(db: Engine) -> None:
    await asyncio.gather(*(add(db, f"{number:02}") for number in range(64)))
    assert await emails(db) == [f"{number:02}" for number in range(64)]


async def test_a_write_can_be_read_as_soon_as_it_is_acknowledged(db: Engine) -> None:
    seen: list[bool] = []

    async def write_then_read(email: str) -> None:
        await add(db, email)
        seen.append(email in await emails(db))

    await asyncio.gather(*(write_then_read(f"{number:02}") for number in range(32)))
    assert seen == [True] * 32


async def test_a_slow_read_sees_what_is_acknowledged_too(db: Engine) -> None:
    await add(db, "ada")
    async with db.read(slow=True) as tx:
        assert await tx.all(EMAILS) == [("ada",)]


async def test_uncommitted_changes_are_visible_only_to_their_operation(db: Engine) -> None:
    async with db.write() as tx:
        await tx.run(ADD, email="ada")
        assert await tx.one(COUNT) == (1,)
        assert await emails(db) == []


async def test_an_operation_sees_the_writes_of_earlier_ones(db: Engine) -> None:
    await add(db, "ada")
    async with db.write() as tx:
        assert await tx.one(COUNT) == (1,)


async def test_a_cancelled_operation_leaves_nothing_and_the_engine_keeps_working(db: Engine) -> None:
    # More often than there are connections: none of them may be lost.
    for number in range(25):
        await _cancel_in_the_middle(db, f"{number:02}")
    await asyncio.gather(*(add(db, f"stored {number:02}") for number in range(12)))
    assert await emails(db) == [f"stored {number:02}" for number in range(12)]


async def test_an_operation_cancelled_while_it_waits_for_its_slot_blocks_nobody(db: Engine) -> None:
    go_on = asyncio.Event()
    # Enough to hold every connection, so that the next one waits.
    holders = [asyncio.create_task(_hold(db, go_on)) for _ in range(10)]
    waiting = asyncio.create_task(add(db, "cancelled"))
    assert not (await asyncio.wait({waiting}, timeout=0.05))[0]
    waiting.cancel()
    go_on.set()
    await asyncio.gather(*holders)
    await add(db, "ada")
    assert await emails(db) == ["ada"]


async def test_a_reader_that_is_cancelled_leaves_the_engine_usable(db: Engine) -> None:
    for _ in range(25):
        started = asyncio.Event()

        async def read(started: asyncio.Event = started) -> None:
            async with db.read() as tx:
                await tx.one(COUNT)
                started.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(read())
        await started.wait()
        task.cancel()
        await asyncio.wait({task})
    assert await emails(db) == []


async def test_a_joined_operation_commits_and_rolls_back_with_the_transaction_around_it(db: Engine) -> None:
    async def operation() -> None:
        async with db.write() as outer:
            async with JoinedDatabase(outer).write() as tx:
                await tx.run(ADD, email="ada")
            raise OperationFailure

    with pytest.raises(OperationFailure):
        await operation()
    assert await emails(db) == []


async def test_a_joined_reader_sees_what_its_transaction_wrote(db: Engine) -> None:
    async with db.write() as outer:
        await outer.run(ADD, email="ada")
        async with JoinedDatabase(outer).read() as tx:
            assert await tx.all(EMAILS) == [("ada",)]


async def test_a_slow_read_that_joins_a_transaction_answers_and_is_warned_of(db: Engine) -> None:
    async with db.write() as outer:
        await outer.run(ADD, email="ada")
        with pytest.warns(UserWarning, match="blocks all writers"):
            reading = JoinedDatabase(outer).read(slow=True)
        async with reading as tx:
            assert await tx.all(EMAILS) == [("ada",)]


async def test_a_free_lock_is_granted(db: Engine) -> None:
    async with db.write() as tx:
        assert await tx.lock("a name") is True


async def test_a_lock_is_released_when_its_operation_ends(db: Engine) -> None:
    async with db.write() as tx:
        await tx.lock("a name")
    async with db.write() as tx:
        assert await tx.lock("a name") is True


async def _cancel_in_the_middle(db: Engine, email: str) -> None:
    started = asyncio.Event()

    async def operation() -> None:
        async with db.write() as tx:
            await tx.run(ADD, email=email)
            started.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(operation())
    await started.wait()
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


async def _hold(db: Engine, go_on: asyncio.Event) -> None:
    async with db.write() as tx:
        await tx.one(COUNT)
        await go_on.wait()
