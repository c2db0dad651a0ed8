"""Applies the events of payment providers: one at a time, each in its own transaction."""

from __future__ import annotations

import asyncio

from lootkeep.domain.payments.events import LEASE, PaymentEvent
from lootkeep.services import payments as payments_service
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.worker.runner import SingleQueueWorker


class PaymentWorker(SingleQueueWorker[PaymentEvent]):
    work = "payment events"
    wakes_for = frozenset({"payment_events"})
    queue = payment_events_db.QUEUE
    lease_duration = LEASE

    async def process(self, item: PaymentEvent, stopping: asyncio.Event | None) -> None:
        await payments_service.apply(self._deps, self._lease, item)
