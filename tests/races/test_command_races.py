"""Commands are handed out once: to one of several polls, and while results of an earlier lease arrive."""

from __future__ import annotations

import asyncio

from lootkeep.kernel.clock import DAY, MINUTE
from lootkeep.services import orders as orders_service
from tests.api.commanding import GIVE, bought, order_status, statuses, survival
from tests.world import World

COMMANDS = 6


async def test_polls_with_one_token_never_get_the_same_command(world: World) -> None:
    server = await survival(world, *[GIVE] * COMMANDS)
    await bought(world)
    taken = await asyncio.gather(*(server.take("?limit=2") for _ in range(COMMANDS)))
    ids = [command["id"] for commands in taken for command in commands]
    # Two that look at once may skip what the other takes: nothing is lost, it is there for the next poll.
    ids += [command["id"] for command in await server.take()]
    assert sorted(ids) == list(range(1, COMMANDS + 1))


async def test_a_result_that_arrives_while_its_lease_ends_counts_once(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    world.clock.advance(MINUTE)
    result = {"id": 1, "ok": True}
    await asyncio.gather(server.report(result), server.take(), server.report(result), server.take())
    assert await statuses(world) == [("paid", "done")]
    assert await order_status(world) == "completed"
    world.clock.advance(MINUTE)
    assert await server.take() == []


async def test_a_refund_and_a_poll_at_once_leave_nothing_to_run(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await asyncio.gather(server.take(), world.post("/api/store/v1/orders/1/refund", {}))
    await server.report({"id": 1, "ok": True})
    world.clock.advance(MINUTE)
    assert await server.take() == []


async def test_a_poll_that_waits_gets_what_is_queued_meanwhile(world: World) -> None:
    server = await survival(world)
    poll = asyncio.create_task(server.take("?wait=30"))
    await bought(world)
    assert [command["id"] for command in await poll] == [1]


async def test_workers_that_find_the_same_end_queue_its_commands_once(world: World) -> None:
    server = await survival(world, GIVE, GIVE | {"on": "expired", "text": "take it back"}, valid_days=1)
    for _ in range(3):
        await bought(world)
    await server.report(*({"id": command["id"], "ok": True} for command in await server.take()))
    world.clock.advance(DAY)
    await asyncio.gather(*(orders_service.expire_lines(world.deps) for _ in range(4)))
    assert await server.texts() == ["take it back"] * 3


async def test_a_refund_while_it_ends_takes_it_back_once(world: World) -> None:
    end, refund = GIVE | {"on": "expired", "text": "ended"}, GIVE | {"on": "refunded", "text": "refunded"}
    server = await survival(world, GIVE, end, refund, valid_days=1)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": True})
    world.clock.advance(DAY)
    await asyncio.gather(orders_service.expire_lines(world.deps), world.post("/api/store/v1/orders/1/refund", {}))
    assert await server.texts() in (["refunded"], ["ended", "refunded"])


async def test_a_refund_while_everything_is_sent_again_leaves_nothing_to_give(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": True})
    refund = world.post("/api/store/v1/orders/1/refund", {})
    await asyncio.gather(world.post("/servers/1/resync", {}), refund, world.post("/servers/1/resync", {}))
    assert await server.take() == []


async def test_a_server_that_is_sent_everything_again_twice_at_once_gets_it_once(world: World) -> None:
    server = await survival(world)
    await bought(world)
    await server.take()
    await server.report({"id": 1, "ok": True})
    await asyncio.gather(*(world.post("/servers/1/resync", {}) for _ in range(3)))
    assert len(await server.take()) == 1
