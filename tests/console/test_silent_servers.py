"""A game server that no longer asks for commands, and commands that failed: health and metrics name them."""

from __future__ import annotations

from html import unescape

from lootkeep.kernel.clock import HOUR
from tests.api.commanding import bought, survival
from tests.console.visits import visitor
from tests.world import World

GAUGES = ("commands_waiting", "commands_failed", "servers_silent")


async def figures(world: World) -> list[float]:
    text = (await world.http.get("/metrics", headers={"Authorization": f"Bearer {world.token}"})).text
    lines = dict(line.split(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return [float(lines[f"lootkeep_{name}"]) for name in GAUGES]


async def health(world: World) -> str:
    return unescape((await (await visitor(world, "staff")).get("/health")).text)


async def test_a_silent_server_and_its_failed_commands_are_named(world: World) -> None:
    server = await survival(world)
    assert "Game servers" not in await health(world)
    await bought(world)
    await bought(world)
    await server.take("?limit=1")
    await server.report({"id": 1, "ok": False, "retry": False})
    assert await figures(world) == [1, 1, 0]
    world.clock.advance(2 * HOUR)
    assert await figures(world) == [1, 1, 1]
    page = await health(world)
    assert "Survival has not asked for commands for 2 h (1 waiting): is its connector running?" in page
    assert "Commands failed on Survival (1): look at them in the console" in page
    await world.post("/commands/1/resend")
    await server.take()
    assert await figures(world) == [2, 0, 0]
    assert "Game servers" not in await health(world)
