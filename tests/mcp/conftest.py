"""Worlds for the tests of agents."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from lootkeep.storage.engine.database import Engine
from tests.mcp.agents import open_shop
from tests.world import World


@pytest.fixture
async def shop(db: Engine) -> AsyncIterator[World]:
    """A store with something for each tool, whose agents may change it."""
    world = World(db, rate_limit_per_minute=0, mcp_changes=True)
    await world.begin()
    await open_shop(world)
    yield world
    await world.close()
