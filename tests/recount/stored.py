"""What is stored: every row of a table, and the events of the outbox."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Table, select

from lootkeep.storage.engine.database import Database
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import events, metadata

Row = dict[str, Any]
_ROWS = {table.name: Query(select(table).order_by(*table.primary_key.columns)) for table in metadata.sorted_tables}


async def rows(db: Database, table: Table) -> list[Row]:
    """Every row of a table as it is stored, by its key."""
    async with db.read() as tx:
        return [dict(zip(table.c.keys(), row, strict=True)) for row in await tx.all(_ROWS[table.name])]


async def outbox(db: Database, prefix: str = "order.") -> list[tuple[str, Row]]:
    """Type and data of the events, in the order in which they were appended."""
    records = await rows(db, events)
    return [(event["type"], json.loads(event["data"])) for event in records if event["type"].startswith(prefix)]


async def sent(db: Database, prefix: str = "order.") -> list[str]:
    """The types alone."""
    return [kind for kind, _ in await outbox(db, prefix)]
