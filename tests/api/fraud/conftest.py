"""Fixtures: a store with fraud detection and small lists."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lootkeep.storage.engine.database import Engine
from tests.world import World

LISTS = {
    "tor.txt": "198.51.100.7\n",
    "vpn.txt": "198.51.100.16/28\n",
    "proxy.txt": "198.51.100.32/28\n",
    "datacenter.txt": "198.51.100.64/26\n",
    "disposable.txt": "trash.example\n",
}


@pytest.fixture
async def world(db: Engine, tmp_path: Path) -> AsyncIterator[World]:
    for name, text in LISTS.items():
        (tmp_path / name).write_text(text)
    world = World(db, data_dir=tmp_path, rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()
