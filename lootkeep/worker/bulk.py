"""Works bulk acts: a few rows of one, then of the next."""

from __future__ import annotations

import asyncio

from lootkeep.domain.bulk import LEASE, BulkAct
from lootkeep.services import bulk as bulk_service
from lootkeep.storage import bulk as bulk_db
from lootkeep.worker.runner import SingleQueueWorker


class BulkWorker(SingleQueueWorker[BulkAct]):
    work = "bulk actions"
    wakes_for = frozenset({"bulk_acts"})
    queue = bulk_db.QUEUE
    lease_duration = LEASE

    async def process(self, item: BulkAct, stopping: asyncio.Event | None) -> None:
        await bulk_service.work(self._deps, self._lease, item, lambda: stopping is not None and stopping.is_set())
