"""A clock that is ahead deletes nothing: not at a start, not after a step, and not on one of several machines."""

from __future__ import annotations

from structlog.testing import capture_logs

from lootkeep.domain.retention import CLOCK, WATCHED_FOR, ClockRecord
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant, SystemClock
from lootkeep.storage import settings as settings_db
from lootkeep.wiring.periodic import periodic_tasks
from lootkeep.worker.loop import Worker
from lootkeep.worker.retention import Retention
from tests.console.visits import visitor
from tests.worker.delivering import fan_out, only_postgresql, only_sqlite, record
from tests.worker.resting import until
from tests.world import World


def retention(world: World, host: str = "worker-1") -> Retention:
    return Retention(world.deps, host)


async def count(world: World) -> int:
    return len((await world.get("/events")).json()["data"]["events"])


async def old_event(world: World, age: int = 60 * DAY) -> None:
    """An event from long ago; the clock then agrees with the database server's, as retention demands."""
    now = SystemClock().now()
    world.clock.set_to(Instant(now - age))
    await record(world)
    await fan_out(world)
    world.clock.set_to(now)


async def stored(world: World) -> ClockRecord:
    async with world.db.read() as tx:
        return await settings_db.get(tx, CLOCK, ClockRecord)


async def remember(world: World, clock_record: ClockRecord) -> None:
    now = world.clock.now()
    async with world.db.write() as tx:
        await settings_db.get_for_update(tx, CLOCK, ClockRecord, now)
        await settings_db.put(tx, CLOCK, clock_record, now)


async def health(world: World) -> str:
    return (await (await visitor(world, "staff")).get("/health")).text


async def test_a_worker_looks_at_the_clock_when_it_starts(world: World) -> None:
    await old_event(world)
    await remember(world, ClockRecord(Instant(world.clock.now() - 60 * DAY)))
    tasks = tuple(task for task in periodic_tasks(world.deps, world.settings) if task.name == "look at the clock")
    worker = Worker(tasks)
    with capture_logs() as lines:
        worker.start()
        await until(lambda: bool(lines))
    await worker.stop()
    assert [line["event"] for line in lines] == ["no old data is deleted"]


async def test_old_data_is_deleted_where_a_worker_ran_a_minute_ago(world: World) -> None:
    await old_event(world)
    await remember(world, ClockRecord(Instant(world.clock.now() - MINUTE)))
    await retention(world).purge()
    assert await count(world) == 0
    assert "Old data is deleted when it is due." in await health(world)


async def test_a_process_that_starts_two_months_after_the_last_one_deletes_nothing_and_says_why(world: World) -> None:
    await old_event(world)
    await remember(world, ClockRecord(Instant(world.clock.now() - 60 * DAY)))
    await retention(world).purge()
    assert await count(world) == 1
    page = await health(world)
    assert "No old data is deleted" in page
    assert "deleting resumes after 24 more hours of running" in page


async def test_a_store_without_a_record_of_the_time_relies_on_its_newest_event(world: World) -> None:
    await old_event(world)
    await retention(world).purge()
    assert await count(world) == 1


async def test_after_a_day_of_running_a_long_absence_is_believed(world: World) -> None:
    await old_event(world)
    now = world.clock.now()
    await remember(world, ClockRecord(Instant(now - 60 * DAY), now, WATCHED_FOR))
    await retention(world).purge()
    assert await count(world) == 0


@only_sqlite
async def test_a_quiet_store_cleans_up_a_day_after_its_restart_even_if_it_is_restarted_often(world: World) -> None:
    await old_event(world)
    counts = []
    for _ in range(24):
        # A clock that is right: it runs while the process does.
        process = retention(world)
        await process.look()
        world.clock.advance(HOUR)
        await process.purge()
        counts.append(await count(world))
    assert counts == [1] * 23 + [0]


@only_sqlite
async def test_a_quiet_store_that_runs_without_a_break_keeps_deleting(world: World) -> None:
    await record(world)
    await fan_out(world)
    process = retention(world)
    for _ in range(31):
        world.clock.advance(DAY)
        await process.purge()
    assert await count(world) == 0


@only_sqlite
async def test_a_step_of_two_months_while_it_runs_deletes_nothing_and_setting_it_right_ends_the_doubt(
    world: World,
) -> None:
    await record(world)
    await fan_out(world)
    process = retention(world)
    await process.purge()
    right = world.clock.now()
    world.clock.set_to(Instant(right + 60 * DAY))
    for _ in range(10):
        world.clock.advance(MINUTE)
        await process.purge()
    world.clock.set_to(Instant(right + 10 * MINUTE))
    await process.purge()
    assert await count(world) == 1
    assert not (await stored(world)).has_leapt


@only_postgresql
async def test_a_worker_whose_clock_differs_from_the_database_servers_deletes_nothing_and_is_named(
    world: World,
) -> None:
    await old_event(world, 10 * DAY)
    right, wrong = retention(world, "worker-1"), retention(world, "worker-2")
    await right.purge()
    world.clock.advance(60 * DAY)
    await wrong.purge()
    world.clock.set_to(SystemClock().now())
    await right.purge()
    assert await count(world) == 1
    assert "The clock of worker-2 and the database server" in await health(world)
    await wrong.purge()
    assert "The clock of worker-2" not in await health(world)


async def test_a_minute_of_the_service_with_a_clock_two_months_ahead_deletes_nothing(world: World) -> None:
    """All periodic tasks run once more when the service stops, so even a minute is enough for retention."""
    await old_event(world, DAY)
    await retention(world).look()
    world.clock.advance(60 * DAY)
    for task in periodic_tasks(world.deps, world.settings):
        await task.run()
    assert await count(world) == 1
