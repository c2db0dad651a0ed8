"""Works bulk acts: a few rows of one, then of the next."""

from __future__ import annotations

import asyncio

from lootkeep.domain.bulk import LEASE
from lootkeep.kernel.clock import Instant
from lootkeep.services import bulk as bulk_service
from lootkeep.storage import bulk as bulk_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.worker.runner import QueueWorker


class BulkWorker(QueueWorker):
    work = "bulk actions"
    wakes_for = frozenset({"bulk_acts"})

    async def run_once(self, stopping: asyncio.Event | None = None) -> bool:
        now = self._deps.clock.now()
        # Looked up first: an idle worker never writes, and so never wakes itself.
        async with self._deps.db.read() as tx:
            due = await self.next_due(tx, now)
        if due is None or due > now:
            return False
        async with self._deps.db.write() as tx:
            act = await bulk_db.QUEUE.claim(tx, self._lease, Instant(now + LEASE), now)
        if act is None:
            return False
        await bulk_service.work(self._deps, self._lease, act, lambda: stopping is not None and stopping.is_set())
        return True

    async def next_due(self, tx: Transaction, now: Instant) -> Instant | None:
        return await bulk_db.QUEUE.next_due(tx)

    async def drain(self) -> None:
        return None
