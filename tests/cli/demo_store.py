"""Loads a small demo store, and reads the rows of its tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import Table, select

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import metadata
from lootkeep.toolbox.demo_store import load as loading
from lootkeep.toolbox.demo_store.shop import Shop
from tests.world import World

# A tenth of the small scale.
ORDERS = 200
ROWS = {table.name: Query(select(table).order_by(*table.primary_key.columns)) for table in metadata.sorted_tables}


async def loaded(db: Engine, seed: int = 1) -> tuple[World, Shop]:
    world = World(db)
    await world.begin()
    return world, await loading.load(world.deps, "small", seed, ORDERS, lambda count: None)


async def rows(db: Engine, table: Table) -> list[dict[str, Any]]:
    async with db.read() as tx:
        return [dict(zip(table.c.keys(), row, strict=True)) for row in await tx.all(ROWS[table.name])]


async def counted(db: Engine, table: Table, column: str) -> Counter[Any]:
    return Counter(row[column] for row in await rows(db, table))
