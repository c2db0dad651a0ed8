"""A worker without its database: few attempts, one log line at the start and one at the end of the outage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import pytest
from structlog.testing import capture_logs

from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.errors import Unavailable
from lootkeep.services import subscriptions as subscriptions_service
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.worker.campaigns import CampaignOptions, CampaignWorker
from lootkeep.worker.deliveries import DeliveryWorker
from lootkeep.worker.emails import EmailWorker
from lootkeep.worker.loop import Loop, PeriodicTask, Worker
from tests.gate import Gate
from tests.worker.resting import until
from tests.world import World

# A deadline against a hang; generous, because a busy machine must not fail the test.
SOON = 30


@pytest.fixture
async def world(gate: Gate) -> AsyncIterator[World]:
    db = await PostgresDatabase.open(gate.url, 2)
    world = World(db)
    yield world
    await world.close()
    await db.close()


async def test_a_database_outage_is_logged_once_per_kind_of_work_and_once_when_it_is_over(
    gate: Gate, world: World
) -> None:
    wakeup = Wakeup()
    expiry = Expiry(world)
    worker = Worker((PeriodicTask("expire", 0.01, expiry.run),), loops(world, wakeup))
    with capture_logs() as lines:
        await gate.shut()
        worker.start()
        await until(lambda: len(works(lines)) >= 4)
        await expiry.failures(20)
        gone = works(lines)
        await gate.open()
        await until(lambda: len(works(lines)) >= 8)
    wakeup.wake()
    await worker.stop()
    kinds = ["campaigns", "deliveries", "expire", "mail"]
    assert (sorted(gone), sorted(works(lines)[4:])) == (kinds, kinds)


def works(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """What waits or goes on, line by line."""
    return [line["work"] for line in lines if "work" in line]


async def test_a_task_that_needs_no_database_does_not_end_the_outage_of_another() -> None:
    failing, working = Counted(Unavailable()), Counted()
    worker = Worker((PeriodicTask("expire", 0.01, failing.run), PeriodicTask("look", 0.01, working.run)))
    with capture_logs() as lines:
        worker.start()
        await until(lambda: min(failing.runs, working.runs) >= 3)
        await worker.stop()
    assert [(line["event"], line["work"]) for line in lines] == [
        ("the database is unavailable, work is paused", "expire")
    ]


async def test_without_a_database_a_worker_backs_off(gate: Gate, world: World) -> None:
    wakeup = Wakeup()
    worker = Worker((), loops(world, wakeup))
    await gate.shut()
    gate.is_refusing = True
    await gate.open()
    before = gate.visits
    worker.start()
    await until(lambda: gate.visits - before >= 3)
    await asyncio.sleep(1)
    visits = gate.visits - before
    gate.is_refusing = False
    wakeup.wake()
    await worker.stop()
    # Three loops; without pauses they would come thousands of times.
    assert 3 <= visits <= 20


async def test_a_process_that_cannot_listen_says_so_once_and_rests_between_its_attempts(
    gate: Gate, world: World
) -> None:
    """A server that has reached `max_connections` refuses, and does so at once."""
    gate.is_refusing = True
    before = gate.visits
    with capture_logs() as lines:
        async with world.db.listening() as token_version:
            await until(lambda: gate.visits - before >= 2)
            await asyncio.sleep(1)
            assert token_version() is None
    # A second attempt after half a second at the earliest, a third after another.
    assert (2 <= gate.visits - before <= 4, [line["log_level"] for line in lines]) == (True, ["warning"])


async def test_a_process_that_could_not_listen_hears_again_when_the_server_is_back(gate: Gate, world: World) -> None:
    await gate.shut()
    wakeup = Wakeup()
    world.db.on_change(wakeup.wake)
    with capture_logs() as lines:
        async with world.db.listening() as token_version, asyncio.timeout(SOON):
            await until(lambda: bool(lines))
            await gate.open()
            await wakeup.wait(SOON)
            await until(lambda: token_version() is not None)
    assert [line["log_level"] for line in lines] == ["warning", "info"]


async def test_a_silent_server_holds_up_neither_the_start_nor_the_end_of_listening(gate: Gate, world: World) -> None:
    gate.is_silent = True
    async with asyncio.timeout(4), world.db.listening():
        pass


async def test_a_worker_that_is_stopped_during_an_outage_reports_no_fault(gate: Gate, world: World) -> None:
    wakeup = Wakeup()
    worker = Worker((), loops(world, wakeup))
    with capture_logs() as lines:
        await gate.shut()
        worker.start()
        await until(lambda: len(works(lines)) >= 3)
        wakeup.wake()
        await worker.stop()
    assert {line["log_level"] for line in lines} == {"warning"}


async def test_a_stopped_worker_cancels_work_that_does_not_finish() -> None:
    begun = asyncio.Event()

    async def hang() -> None:
        begun.set()
        await asyncio.Event().wait()

    worker = Worker((PeriodicTask("hang", 0.01, hang),), grace_seconds=0.1)
    worker.start()
    await begun.wait()
    with capture_logs() as lines:
        async with asyncio.timeout(SOON):
            await worker.stop()
    assert [(line["event"], line["work"]) for line in lines] == [("work was interrupted", "hang")]


def loops(world: World, wakeup: Wakeup) -> tuple[Loop, ...]:
    options = CampaignOptions()
    return (
        DeliveryWorker(world.deps, wakeup).run,
        EmailWorker(world.deps, wakeup.follower(), OutboxMailer()).run,
        CampaignWorker(world.deps, wakeup.follower(), OutboxMailer(), lambda: options).run,
    )


class Counted:
    """A periodic task that does nothing, or always fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error
        self.runs = 0

    async def run(self) -> None:
        self.runs += 1
        if self._error:
            raise self._error


class Expiry:
    """A periodic task that needs the database and counts its failures."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._failed = asyncio.Semaphore(0)

    async def run(self) -> None:
        try:
            await subscriptions_service.expire(self._world.deps)
        except Unavailable:
            self._failed.release()
            raise

    async def failures(self, count: int) -> None:
        async with asyncio.timeout(SOON):
            for _ in range(count):
                await self._failed.acquire()
