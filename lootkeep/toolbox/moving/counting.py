"""How far an export, an import or a move is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeAlias

from lootkeep.storage.transfer.tables import Row

# Called with a table and how many of its rows are done.
Advance: TypeAlias = Callable[[str, int], None]


async def counted(batches: AsyncIterator[list[Row]], table: str, advance: Advance) -> AsyncIterator[list[Row]]:
    async for rows in batches:
        yield rows
        advance(table, len(rows))
        # SQLite and files never wait, and Ctrl-C is only heard of where something does.
        await asyncio.sleep(0)
