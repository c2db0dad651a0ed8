"""The demo's webhooks: one works, one was replaced, one fails today; and the results of their deliveries."""

from __future__ import annotations

from lootkeep.engines.demo_receivers import BOT, OLD_BOT, STATISTICS
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import DAY, SECOND, Instant
from lootkeep.services import retention as retention_service, webhooks as webhooks_service
from lootkeep.storage.webhooks import deliveries as deliveries_db, fan_out as fan_out_db
from lootkeep.toolbox.demo_store import protection
from lootkeep.toolbox.demo_store.shop import Shop
from lootkeep.worker.deliveries import DeliveryWorker

_BOT_WANTS = ("order.created", "order.paid", "order.completed", "order.refunded", "subscription.renewed")
_OLD_BOT_WANTS = ("order.paid", "order.refunded", "subscription.created")
_STATISTICS_WANTS = ("order.created", "order.paid")

# Retries continue for 21 hours, so some deliveries have failed for good by the end.
WINDOW = 10 * DAY


class Deliveries:
    """Sends due deliveries after every operation, like the worker of a running store."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop
        self._is_open = False
        self._old_bot_id = 0

    def begin(self, length: int) -> None:
        self._shop.agenda.add(length - WINDOW, self._open)
        self._shop.agenda.add(length - 2 * DAY, self._switch_off)

    async def after_each(self) -> None:
        """New events, and the retries that are due before the next operation."""
        if not self._is_open:
            return
        clock, agenda = self._shop.clock, self._shop.agenda
        before, until = clock.now(), agenda.next_at or agenda.end
        worker = DeliveryWorker(self._shop.deps, Wakeup(), chance=self._shop.rng.random)
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
        await webhooks_service.create(deps, BOT, _BOT_WANTS)
        await webhooks_service.create(deps, STATISTICS, _STATISTICS_WANTS)
        old_bot, _ = await webhooks_service.create(deps, OLD_BOT, _OLD_BOT_WANTS)
        self._old_bot_id = old_bot.id
        self._is_open = True

    async def _switch_off(self) -> None:
        """Someone notices, days later."""
        await webhooks_service.change(self._shop.deps, self._old_bot_id, {"is_active": False})
        await retention_service.cancel_deliveries(self._shop.deps)
