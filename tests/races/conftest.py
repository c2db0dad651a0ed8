"""Fixture: a world without a request limit, for concurrent requests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from lootkeep.storage.engine.database import Engine
from tests.world import World


@pytest.fixture
async def world(db: Engine) -> AsyncIterator[World]:
    """The world without a limit of requests."""
    world = World(db, rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()
