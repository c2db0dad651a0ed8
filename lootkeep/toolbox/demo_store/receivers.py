"""The demo's webhooks: one works, one was broken, one fails today; and the results of their deliveries."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from lootkeep.domain.deliveries import AttemptResult
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.kernel.clock import DAY, HOUR, SECOND, Clock, Instant
from lootkeep.services import retention as retention_service, webhooks as webhooks_service
from lootkeep.storage.webhooks import deliveries as deliveries_db, fan_out as fan_out_db
from lootkeep.toolbox.demo_store import protection
from lootkeep.toolbox.demo_store.shop import Shop
from lootkeep.worker.deliveries import DeliveryWorker

# Where `lootkeep webhooks listen` listens: start it to receive what the demo sends.
LISTENER = "http://127.0.0.1:4000/"
BROKEN = "http://127.0.0.1:4000/old-endpoint"
FAILING = "http://127.0.0.1:4000/statistics"
_LISTENED = ("order.created", "order.paid", "order.completed", "order.refunded", "subscription.renewed")
_BROKEN_WANTS = ("order.paid", "order.refunded", "subscription.created")
_FAILING_WANTS = ("order.created", "order.paid")

# Retries continue for 21 hours, so some deliveries have failed for good by the end.
WINDOW = 10 * DAY


class Receivers(Outbound):
    """Replaces the receivers during the year: no request leaves the process."""

    def __init__(self, rng: Random, clock: Clock, end: Instant) -> None:
        super().__init__()
        self._rng = rng
        self._clock = clock
        # Shortly before the end, so some deliveries still wait for their next attempt.
        self._fails_from = end - 5 * HOUR

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> AttemptResult:
        latency = self._rng.randrange(18, 240)
        if url == BROKEN:
            return AttemptResult(False, 410, latency, "answered 410, gone for good", "This endpoint has moved.")
        if url == FAILING and self._clock.now() > self._fails_from:
            return AttemptResult(False, 404, latency, "answered 404", "No such path.")
        if self._rng.random() < 0.04:
            return AttemptResult(False, 503, latency, "answered 503", "Down for maintenance.")
        return AttemptResult(True, 200, latency, None, "received")


class Deliveries:
    """Sends due deliveries after every operation, like the worker of a running store."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop
        self._is_open = False
        self._broken_id = 0

    def begin(self, length: int) -> None:
        self._shop.agenda.add(length - WINDOW, self._open)
        self._shop.agenda.add(length - 2 * DAY, self._switch_off)

    async def after_each(self) -> None:
        """New events, and the retries that are due before the next operation."""
        if not self._is_open:
            return
        clock, agenda = self._shop.clock, self._shop.agenda
        before, until = clock.now(), agenda.next_at or agenda.end
        worker = DeliveryWorker(self._shop.deps, MemoryWakeup(), chance=self._shop.rng.random)
        due: Instant | None = Instant(before + SECOND)
        while due is not None and due <= until:
            clock.advance(due - clock.now())
            while await worker.run_once():
                await worker.drain()
            async with self._shop.deps.db.read() as tx:
                due = (await deliveries_db.due(tx, clock.now())).next_at
        clock.advance(before - clock.now())

    async def _open(self) -> None:
        """Earlier events have no receivers: they are fanned out to no webhook."""
        deps = self._shop.deps
        async with deps.db.write() as tx:
            while await fan_out_db.fan_out(tx, deps.ids.delivery_id, deps.clock.now()):
                pass
        await protection.set_up(deps)
        await webhooks_service.create(deps, LISTENER, _LISTENED)
        await webhooks_service.create(deps, FAILING, _FAILING_WANTS)
        broken, _ = await webhooks_service.create(deps, BROKEN, _BROKEN_WANTS)
        self._broken_id = broken.id
        self._is_open = True

    async def _switch_off(self) -> None:
        """Someone notices, days later."""
        await webhooks_service.change(self._shop.deps, self._broken_id, {"is_active": False})
        await retention_service.cancel_deliveries(self._shop.deps)
