"""Sends deliveries: many at a time, each webhook up to its own limit. A crash at any point loses nothing."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence

import structlog
from msgspec import UNSET

from lootkeep.deps import Deps
from lootkeep.domain import deliveries as deliveries_rules
from lootkeep.domain.deliveries import AttemptResult, ClaimedDelivery
from lootkeep.domain.signing import TEST_MODE
from lootkeep.domain.webhooks import Webhook
from lootkeep.engines.lines import DeliveryLine, Lines
from lootkeep.engines.tracing import Attributes, Tracer, trace_id
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.cause import CURRENT, Cause
from lootkeep.kernel.clock import Instant
from lootkeep.services.webhooks import post
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.webhooks import deliveries as deliveries_db, fan_out as fan_out_db, replays as replays_db
from lootkeep.storage.webhooks.deliveries import ClaimSlot
from lootkeep.worker.metrics import WorkerMetrics
from lootkeep.worker.runner import QueueWorker

log = structlog.get_logger(__name__)

# How long finished requests wait for others that were claimed with them.
_LINGER_SECONDS = 0.02


class DeliveryWorker(QueueWorker):
    work = "deliveries"
    wakes_for = frozenset({"events", "deliveries", "replays", "webhooks"})

    def __init__(
        self,
        deps: Deps,
        wakeup: Wakeup,
        *,
        delays: Sequence[int] = deliveries_rules.RETRY_SECONDS,
        concurrency: int = 10,
        metrics: WorkerMetrics | None = None,
        chance: Callable[[], float] = random.random,
        lines: Lines | None = None,
        tracer: Tracer | None = None,
    ) -> None:
        super().__init__(deps, wakeup)
        self._delays = delays
        self._concurrency = concurrency
        self._metrics = metrics
        self._chance = chance
        self._lines = lines
        self._tracer = tracer
        self._next_due: Instant | None = None
        self._in_flight: Counter[int] = Counter()
        self._sending: set[asyncio.Task[None]] = set()
        self._latest: list[asyncio.Task[None]] = []
        self._finished: list[tuple[ClaimedDelivery, AttemptResult]] = []

    async def run_once(self, stopping: asyncio.Event | None = None) -> bool:
        await self._linger()
        settled = await self._settle()
        has_more = await self._fan_out()
        claimed = await self._claim()
        return settled or has_more or claimed

    async def next_due(self, tx: Transaction, now: Instant) -> Instant | None:
        # As the last look showed. Due deliveries wait for room at their webhook, and every finished request makes room.
        return self._next_due

    async def drain(self) -> None:
        if self._sending:
            await asyncio.wait(self._sending)
        await self._settle()

    async def _linger(self) -> None:
        """Waits briefly for current requests to finish together: a round for a hundred costs as much as for one.

        It does not wait for a receiver that hangs: only for the last claim, and only for a moment.
        """
        waited_for = [task for task in self._latest if not task.done()] or self._sending
        if waited_for:
            await asyncio.wait(waited_for, timeout=_LINGER_SECONDS)

    async def _fan_out(self) -> bool:
        """Whether more events may be waiting."""
        # Looked up first: an idle worker never writes, and so never wakes itself.
        async with self._deps.db.read() as tx:
            if not await fan_out_db.has_waiting_events(tx):
                return False
        async with self._deps.db.write() as tx:
            fanned_out = await fan_out_db.fan_out(tx, self._deps.ids.delivery_id, self._deps.clock.now())
        return fanned_out == fan_out_db.BATCH

    async def _claim(self) -> bool:
        """Fair: every webhook with something due gets up to its own limit, none can take another's."""
        now = self._deps.clock.now()
        async with self._deps.db.read() as tx:
            due, self._next_due = await deliveries_db.due(tx, now)
        rooms = [ClaimSlot(webhook, what, self._concurrency - self._in_flight[webhook]) for webhook, what in due]
        slots = [slot for slot in rooms if slot.room > 0]
        if not slots:
            return False
        async with self._deps.db.write() as tx:
            claimed, cancelled = await deliveries_db.claim(tx, slots, self._lease, now)
        self._latest = [self._start(webhook, delivery, now) for webhook, delivery in claimed]
        return bool(claimed or cancelled)

    def _start(self, webhook: Webhook, claimed: ClaimedDelivery, now: Instant) -> asyncio.Task[None]:
        self._in_flight[webhook.id] += 1
        task = asyncio.create_task(self._send(webhook, claimed, now))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return task

    async def _send(self, webhook: Webhook, claimed: ClaimedDelivery, now: Instant) -> None:
        # A separate task sends each delivery.
        CURRENT.set(Cause(request_id=claimed.request_id, delivery=claimed.public_id, event_id=claimed.event_id))
        span = self._tracer.start("client", claimed.traceparent) if self._tracer else None
        try:
            result = await post(self._deps, webhook, claimed.body, claimed.event_type, claimed.public_id, now)
        except Exception:
            # A bug in the worker must not block the webhook's slot forever; it is retried like any other failure.
            log.exception("a delivery could not be sent")
            result = AttemptResult(False, None, 0, "the delivery could not be signed or sent", None)
        if self._metrics:
            self._metrics.observe(result)
        self._write_line(claimed, result)
        if span:
            span.end(f"deliver {claimed.event_type}", _attributes(claimed, result), is_good=result.is_delivered)
        self._in_flight[webhook.id] -= 1
        self._finished.append((claimed, result))
        self._wakeup.nudge()

    def _write_line(self, claimed: ClaimedDelivery, result: AttemptResult) -> None:
        is_good = result.is_delivered
        if self._lines is None or not self._lines.wants(is_good=is_good, seconds=result.latency_ms / 1000):
            return
        line = DeliveryLine(
            event="delivery",
            request_id=claimed.request_id,
            trace_id=trace_id(claimed.traceparent) or UNSET,
            delivery=claimed.public_id,
            event_id=claimed.event_id,
            event_type=claimed.event_type,
            webhook=claimed.webhook_id,
            attempt=claimed.attempts_count,
            outcome="delivered" if is_good else "failed",
            reason=result.reason,
            milliseconds=result.latency_ms,
            mode=TEST_MODE if self._deps.is_test else UNSET,
        )
        self._lines.write(line, is_good=is_good)

    async def _settle(self) -> bool:
        """One transaction for everything that has finished meanwhile."""
        finished, self._finished = self._finished, []
        if not finished:
            return False
        now = self._deps.clock.now()
        settled = [
            (claimed, result, deliveries_rules.settle(result, claimed.failures, now, self._delays, self._chance()))
            for claimed, result in finished
        ]
        try:
            async with self._deps.db.write() as tx:
                await deliveries_db.settle(tx, self._lease, settled, now)
        except BaseException:
            # Retried; if this process ends first, the leases expire and the attempts are repeated.
            self._finished = finished + self._finished
            raise
        return True


def _attributes(claimed: ClaimedDelivery, result: AttemptResult) -> Attributes:
    return {
        "http.response.status_code": result.response_code,
        "lootkeep.request_id": claimed.request_id,
        "lootkeep.event": claimed.event_id,
        "lootkeep.delivery": claimed.public_id,
        "lootkeep.webhook": claimed.webhook_id,
        "lootkeep.attempt": claimed.attempts_count,
        "lootkeep.reason": result.reason,
    }


async def step_replays(deps: Deps) -> None:
    """One step of every running replay."""
    async with deps.db.read() as tx:
        if not await replays_db.has_running(tx):
            return
    async with deps.db.write() as tx:
        await replays_db.step(tx, deps.ids.delivery_id, deps.clock.now())
