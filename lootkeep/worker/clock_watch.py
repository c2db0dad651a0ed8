"""Notices that the wall clock was set back, and lets nothing in the queues wait for the time to come round again.

Due times and leases are wall times, since processes and machines share them and people read them. A clock that is
set back by a day would move all of them a day away. How much time has really passed is known within one process, so
each watches its own clock, and checks the queues once when it starts: the clock may have been set back while nothing
ran. A clock that is set forward needs nothing: what waits is due sooner.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from lootkeep.deps import Deps
from lootkeep.domain import (
    bulk as bulk_rules,
    deliveries as deliveries_rules,
    emails as emails_rules,
    retention as retention_rules,
)
from lootkeep.domain.payments import events as payments_rules
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.storage import alerts as alerts_db, bulk as bulk_db, emails as emails_db
from lootkeep.storage.campaigns import queue as campaign_queue_db
from lootkeep.storage.engine import server_clock
from lootkeep.storage.goods import commands as commands_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.queue import TOLERANCE, Queue
from lootkeep.storage.webhooks import deliveries as deliveries_db
from lootkeep.worker.campaigns import HOLD_OFF

log = structlog.get_logger(__name__)

# Time servers correct a clock by milliseconds; a smaller step delays nothing noticeably.
_MIN_STEP_SECONDS = 30.0


class ClockWatch:
    def __init__(self, deps: Deps, delays: Sequence[int] = deliveries_rules.RETRY_SECONDS) -> None:
        self._deps = deps
        self._delays = delays
        self._lead = self._lead_now()
        self._is_started = False

    async def look(self) -> None:
        """A step is done once the queues have followed it: a failure is retried at the next check."""
        if not self._is_started:
            await self._start()
        lead = self._lead_now()
        step = self._lead - lead
        if step >= _MIN_STEP_SECONDS:
            log.warning("the clock was set back, waiting work is rescheduled", seconds=round(step))
            await self._pull_in()
        elif step > 0:
            # Small steps add up.
            return
        self._lead = lead

    async def _start(self) -> None:
        """Only a clock that agrees with the database server's: one that is behind would make all retries early."""
        async with self._deps.db.read() as tx:
            server_time = await server_clock.now(tx)
        if not retention_rules.differs(server_time, self._deps.clock.now()):
            await self._pull_in()
        self._is_started = True

    def _lead_now(self) -> float:
        """How far the wall clock is ahead of the time that has passed."""
        return self._deps.clock.now() / SECOND - self._deps.clock.monotonic()

    async def _pull_in(self) -> None:
        now = self._deps.clock.now()
        retries = [deliveries_rules.max_wait(seconds) for seconds in (0, *self._delays)]
        # An e-mail that is being sent is protected by its due time.
        email_retries = [max(seconds * SECOND, emails_rules.LEASE) for seconds in (0, *emails_rules.RETRY_SECONDS)]
        payment_retries = [
            max(seconds * SECOND, payments_rules.LEASE) for seconds in (0, *payments_rules.RETRY_SECONDS)
        ]
        queues: tuple[tuple[Queue, Sequence[int], int], ...] = (
            (deliveries_db.QUEUE, retries, deliveries_rules.LEASE),
            (emails_db.QUEUE, email_retries, emails_rules.LEASE),
            (campaign_queue_db.QUEUE, email_retries, emails_rules.LEASE),
            (alerts_db.QUEUE, email_retries, emails_rules.LEASE),
            (payment_events_db.QUEUE, payment_retries, payments_rules.LEASE),
            (bulk_db.QUEUE, [bulk_rules.LEASE], bulk_rules.LEASE),
        )
        for queue, waits, lease in queues:
            async with self._deps.db.write() as tx:
                await queue.pull_in(tx, waits, lease, now)
        async with self._deps.db.write() as tx:
            await campaign_queue_db.pull_in_pace(tx, Instant(now + HOLD_OFF + TOLERANCE), now)
        async with self._deps.db.write() as tx:
            await commands_db.pull_in(tx, self._deps.commands, now)
