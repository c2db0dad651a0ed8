"""Fixing the recipients of a campaign: a hundred thousand in seconds, with a few megabytes.

`LOOTKEEP_TEST_RECIPIENTS=100000` is the long form; `python -m bench.campaigns` tells the figures.
"""

from __future__ import annotations

import os
import time
import tracemalloc

from sqlalchemy import text

from bench.campaigns import NUMBERS, PEOPLE, TARGET_SECONDS
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from tests.world import World

RECIPIENTS = int(os.environ.get("LOOTKEEP_TEST_RECIPIENTS", "10000"))
MOST_BYTES = 4_000_000


async def test_many_recipients_are_fixed_in_seconds_and_with_little_memory(world: World) -> None:
    engine = "sqlite" if isinstance(world.db, SqliteDatabase) else "postgresql"
    async with world.db.write() as tx:
        await tx.run(Query(text(PEOPLE + NUMBERS[engine].format(RECIPIENTS))))
    await world.post("/email-campaigns", {"name": "N", "subject": "S", "body_text": "Hello"})
    tracemalloc.start()
    started = time.perf_counter()
    answer = await world.post("/email-campaigns/1/send")
    seconds, (_, most) = time.perf_counter() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.json()["data"]["recipients_count"] == RECIPIENTS
    assert (seconds < TARGET_SECONDS, most < MOST_BYTES) == (True, True), (seconds, most)
