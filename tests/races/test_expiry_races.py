"""What time ends or forgets, under concurrency: it ends once, and nothing that was just renewed is lost."""

from __future__ import annotations

import asyncio

from lootkeep.domain.attempts import FailureCount
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.services import subscriptions as subscriptions_service
from lootkeep.storage import subscriptions as subscriptions_db
from lootkeep.storage.access import attempts as attempts_db
from tests.api.commanding import GIVE, NOTCH, GameServer, survival
from tests.api.posts import MONTHLY
from tests.builders import STORE
from tests.races.racing import race
from tests.worker.delivering import only_postgresql, waits_for_a_lock
from tests.world import World

COUNT = 8


async def over(world: World, count: int = 1) -> GameServer:
    """Subscriptions that were cancelled, whose last period is over now."""
    server = await survival(world, GIVE, GIVE | {"on": "expired", "text": "take it back"}, **MONTHLY)
    for number in range(1, count + 1):
        await world.post(f"{STORE}/subscriptions", {"customer_id": 1, "product_id": 1, "player": NOTCH})
        await world.post(f"{STORE}/subscriptions/{number}/cancel", {"at_period_end": True})
    await server.run_all()
    world.clock.advance(31 * DAY)
    return server


async def expire(world: World) -> list[int]:
    async with world.db.write() as tx:
        return await subscriptions_db.expire(tx, world.clock.now())


@only_postgresql
async def test_a_subscription_that_another_process_is_ending_does_not_end_again(world: World, db_location: str) -> None:
    await over(world)
    async with world.db.write() as tx:
        first = await subscriptions_db.expire(tx, world.clock.now())
        second = asyncio.create_task(expire(world))
        await waits_for_a_lock(db_location, second)
    assert (first, await second) == ([1], [])


async def test_an_end_that_workers_and_renewals_find_at_once_takes_everything_back_once(world: World) -> None:
    server = await over(world, COUNT)
    workers = [asyncio.create_task(subscriptions_service.expire(world.deps)) for _ in range(4)]
    answers = await race(world, [(f"{STORE}/subscriptions/{number}/renew", {}) for number in range(1, COUNT + 1)])
    await asyncio.gather(*workers)
    assert {answer.json()["code"] for answer in answers} == {"subscription_expired"}
    assert await server.texts("?limit=100") == ["take it back"] * COUNT


@only_postgresql
async def test_a_failure_that_is_counted_while_old_ones_are_forgotten_is_remembered(
    world: World, db_location: str
) -> None:
    old, now = world.clock.now(), Instant(world.clock.now() + 2 * DAY)
    async with world.db.write() as tx:
        await attempts_db.ROWS.add(tx, FailureCount("ada", 1, old, old))

    async def purge() -> int:
        async with world.db.write() as tx:
            return await attempts_db.purge(tx, Instant(now - DAY))

    async with world.db.write() as tx:
        before = (await attempts_db.lock(tx, ["ada"], now))["ada"]
        await attempts_db.ROWS.save(tx, before, FailureCount("ada", 2, now, now))
        purging = asyncio.create_task(purge())
        await waits_for_a_lock(db_location, purging)
    assert await purging == 0
    async with world.db.read() as tx:
        assert await attempts_db.ROWS.get(tx, "ada") == FailureCount("ada", 2, now, now)
