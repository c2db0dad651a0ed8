"""Sends deliveries: many at a time, each webhook up to its own limit. A crash at any point loses nothing."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain

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
from lootkeep.kernel.errors import Unavailable
from lootkeep.services.webhooks import post
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.webhooks import deliveries as deliveries_db, fan_out as fan_out_db, replays as replays_db
from lootkeep.storage.webhooks.deliveries import FIRST_ATTEMPT, ClaimSlot, Due
from lootkeep.worker.metrics import WorkerMetrics
from lootkeep.worker.runner import QueueWorker

log = structlog.get_logger(__name__)

# How long finished requests wait for others that were claimed with them, while more deliveries are waiting.
_LINGER_SECONDS = 0.02


class DeliveryWorker(QueueWorker):
    work = "deliveries"
    wakes_for = frozenset({"events", "deliveries", "webhooks"})

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
        # The last round left deliveries or events that were waiting.
        self._has_more = False

    async def run_once(self, stopping: asyncio.Event | None = None) -> bool:
        """One transaction settles what has finished, fans out new events and claims what is due."""
        now = self._deps.clock.now()
        # Looked up first: an idle worker never writes, and so never wakes itself.
        async with self._deps.db.read() as tx:
            due = await deliveries_db.due(tx, now)
        self._next_due = due.next_at
        if not (self._finished or due.has_events or self._slots(due.webhooks)):
            return False
        finished, self._finished = self._finished, []
        try:
            async with self._deps.db.write() as tx:
                await self._record(tx, finished, now)
                fanned_out, claimed, cancelled = await self._fan_out_and_claim(tx, due, now)
        except BaseException as error:
            # Retried; if this process ends first, the leases expire and the attempts are repeated.
            self._finished = finished + self._finished
            if not isinstance(error, (Unavailable, asyncio.CancelledError)):
                # An event that cannot be fanned out must not hold back what has been sent.
                await self._settle()
            raise
        self._latest = [self._start(webhook, delivery, now) for webhook, delivery in claimed]
        return bool(finished or fanned_out or claimed or cancelled)

    async def has_more(self) -> bool:
        """Waits briefly for current requests to finish together: a round for a hundred costs as much as for one.

        It does not wait for a receiver that hangs: only for the last claim, and only for a moment.
        """
        if self._has_more and self._latest:
            await asyncio.wait(self._latest, timeout=_LINGER_SECONDS)
        return self._has_more

    async def next_due(self, tx: Transaction, now: Instant) -> Instant | None:
        # As the last look showed. Due deliveries wait for room at their webhook, and every finished request makes room.
        return self._next_due

    async def drain(self) -> None:
        if self._sending:
            await asyncio.wait(self._sending)
        if self._finished:
            await self._settle()

    async def _fan_out_and_claim(
        self, tx: Transaction, due: Due, now: Instant
    ) -> tuple[int, list[tuple[Webhook, ClaimedDelivery]], int]:
        """How many events were fanned out, what was claimed, and how many deliveries were cancelled."""
        fanned_out = await fan_out_db.fan_out(tx, self._deps.ids.delivery_id, now) if due.has_events else {}
        wanted = {webhook: set(priorities) for webhook, priorities in due.webhooks}
        for webhook in chain.from_iterable(fanned_out.values()):
            wanted.setdefault(webhook, set()).add(FIRST_ATTEMPT)
        slots = self._slots(sorted(wanted.items()))
        claimed, cancelled = await deliveries_db.claim(tx, slots, self._lease, now)
        taken = Counter(webhook.id for webhook, _ in claimed)
        is_full = any(taken[slot.webhook_id] == slot.room for slot in slots)
        self._has_more = is_full or cancelled > 0 or len(fanned_out) == fan_out_db.BATCH
        return len(fanned_out), claimed, cancelled

    def _slots(self, wanted: Iterable[tuple[int, Collection[int]]]) -> list[ClaimSlot]:
        """Fair: every webhook with something due gets up to its own limit, none can take another's."""
        slots = (ClaimSlot(webhook, what, self._concurrency - self._in_flight[webhook]) for webhook, what in wanted)
        return [slot for slot in slots if slot.room > 0]

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

    async def _settle(self) -> None:
        """Settles without looking for more."""
        finished, self._finished = self._finished, []
        try:
            async with self._deps.db.write() as tx:
                await self._record(tx, finished, self._deps.clock.now())
        except BaseException:
            self._finished = finished + self._finished
            raise

    async def _record(
        self, tx: Transaction, finished: Sequence[tuple[ClaimedDelivery, AttemptResult]], now: Instant
    ) -> None:
        if not finished:
            return
        settled = [
            (claimed, result, deliveries_rules.settle(result, claimed.failures, now, self._delays, self._chance()))
            for claimed, result in finished
        ]
        await deliveries_db.settle(tx, self._lease, settled, now)
        retries = [settlement.due_at for _, _, settlement in settled if not settlement.is_final]
        self._next_due = min([*retries, *([self._next_due] if self._next_due else [])], default=None)


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
