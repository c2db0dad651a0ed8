"""The periodic tasks of a store."""

from __future__ import annotations

from functools import partial
from socket import gethostname

from lootkeep.deps import Deps
from lootkeep.services import (
    alerts as alerts_service,
    coupons as coupons_service,
    fraud_amounts as fraud_amounts_service,
    fraud_calibration as fraud_calibration_service,
    fraud_queue as fraud_queue_service,
    gift_cards as gift_cards_service,
    orders as orders_service,
    retention as retention_service,
    subscriptions as subscriptions_service,
)
from lootkeep.settings import Settings
from lootkeep.worker.clock_watch import ClockWatch
from lootkeep.worker.deliveries import step_replays
from lootkeep.worker.loop import PeriodicTask
from lootkeep.worker.retention import Retention


def periodic_tasks(deps: Deps, settings: Settings) -> tuple[PeriodicTask, ...]:
    retention = Retention(deps, gethostname())
    return (
        PeriodicTask("watch the clock", 5, ClockWatch(deps, settings.webhook_retry_delays).look, at_start=True),
        PeriodicTask("replay events", 1, partial(step_replays, deps)),
        PeriodicTask("cancel deliveries", 5, partial(retention_service.cancel_deliveries, deps)),
        PeriodicTask("look for alerts", 60, partial(alerts_service.look, deps)),
        PeriodicTask("settle gift cards", 60, partial(gift_cards_service.settle, deps)),
        PeriodicTask("settle coupons", 60, partial(coupons_service.settle, deps)),
        PeriodicTask("expire subscriptions", 60, partial(subscriptions_service.expire, deps)),
        PeriodicTask("expire goods", 60, partial(orders_service.expire_lines, deps)),
        PeriodicTask("serve orders that wait for keys", 60, partial(orders_service.serve_all, deps)),
        PeriodicTask("end holds", 60, partial(fraud_queue_service.end_holds, deps)),
        PeriodicTask("measure large orders", 3600, partial(fraud_amounts_service.refresh, deps)),
        PeriodicTask("measure base odds", 3600, partial(fraud_calibration_service.refresh, deps)),
        PeriodicTask("look at the clock", 300, retention.look, at_start=True),
        PeriodicTask("delete old data", 3600, retention.purge),
    )
