"""Applies the events of payment providers: one at a time, each in its own transaction."""

from __future__ import annotations

import asyncio

from lootkeep.domain.payments.events import LEASE
from lootkeep.kernel.clock import Instant
from lootkeep.services import payments as payments_service
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.worker.runner import QueueWorker


class PaymentWorker(QueueWorker):
    work = "payment events"
    # An order that is placed or paid announces an event of its own.
    wakes_for = frozenset({"payment_events", "events"})

    async def run_once(self, stopping: asyncio.Event | None = None) -> bool:
        now = self._deps.clock.now()
        # Looked up first: an idle worker never writes, and so never wakes itself.
        async with self._deps.db.read() as tx:
            due = await self.next_due(tx, now)
        if due is None or due > now:
            return False
        async with self._deps.db.write() as tx:
            event = await payment_events_db.QUEUE.claim(tx, self._lease, Instant(now + LEASE), now)
        if event is None:
            return False
        await payments_service.apply(self._deps, self._lease, event)
        return True

    async def next_due(self, tx: Transaction, now: Instant) -> Instant | None:
        return await payment_events_db.QUEUE.next_due(tx)

    async def drain(self) -> None:
        return None
