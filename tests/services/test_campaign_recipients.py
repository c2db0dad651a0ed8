"""Storing a hundred thousand recipients of a campaign takes a few megabytes.

`LOOTKEEP_TEST_RECIPIENTS=100000` is the long form; `python -m bench.campaigns` prints the figures.
"""

from __future__ import annotations

import os
import tracemalloc

from sqlalchemy import text

from bench.campaigns import NUMBERS, PEOPLE
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from tests.world import World

RECIPIENTS = int(os.environ.get("LOOTKEEP_TEST_RECIPIENTS", "10000"))
MAX_BYTES = 4_000_000


async def test_a_large_recipient_list_is_stored_with_little_memory(world: World) -> None:
    engine = "sqlite" if isinstance(world.db, SqliteDatabase) else "postgresql"
    async with world.db.write() as tx:
        await tx.run(Query(text(PEOPLE + NUMBERS[engine].format(RECIPIENTS))))
    await world.post("/email-campaigns", {"name": "N", "subject": "S", "body_text": "Hello"})
    tracemalloc.start()
    answer = await world.post("/email-campaigns/1/send")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.json()["data"]["recipients_count"] == RECIPIENTS
    assert most < MAX_BYTES
