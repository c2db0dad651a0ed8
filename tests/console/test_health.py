"""Health in the console: the findings of `lootkeep doctor` for the running process."""

from __future__ import annotations

import socket

from tests.console.visits import visitor
from tests.world import World


async def test_the_page_shows_what_works_and_what_needs_repair(world: World) -> None:
    well = (await (await visitor(world, "staff")).get("/health")).text
    assert "The database answers and its schema is up to date" in well
    assert "Worth a look" in well
    with socket.socket() as taken:
        # Bound, but nobody listens there.
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        other_world = World(world.db, clock=world.clock, redis_url=f"redis://127.0.0.1:{port}/0")
        page = (await (await visitor(other_world, "staff")).get("/health")).text
    assert "To repair" in page
    assert "Redis does not answer" in page
    await other_world.close()
