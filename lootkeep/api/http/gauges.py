"""What a scrape reads from the database and the disk: the same in every process."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import get_args

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from lootkeep.deps import Deps
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.domain.orders import CouponOrigin
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.storage import emails as emails_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import check_lists as fraud_check_lists_db
from lootkeep.storage.goods import servers as servers_db, waiting as waiting_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.totals import counters as counters_db
from lootkeep.storage.webhooks import deliveries as deliveries_db, fan_out as fan_out_db


async def read(deps: Deps, disk: Path | None) -> list[Metric]:
    """Bounded and indexed, so it costs little even with a long backlog; `disk` is where an embedded database is."""
    now = deps.clock.now()
    async with deps.db.read(slow=True) as tx:
        event = await fan_out_db.oldest_waiting(tx)
        due, oldest = await deliveries_db.backlog(tx, now)
        pending = await deliveries_db.count_pending(tx)
        due_emails, pending_emails, oldest_email = await emails_db.QUEUE.backlog(tx, now)
        decisions = await fraud_check_lists_db.decisions(tx)
        goods = await _goods(tx, now)
        unreviewed = await fraud_check_lists_db.pending_review(tx)
        _, waiting, oldest_payment = await payment_events_db.QUEUE.backlog(tx, now)
        unmatched = await payment_events_db.count_unmatched(tx)
        sale = await _sale(tx, deps.currency)
    gauges: dict[str, tuple[str, float]] = {
        "event_oldest_waiting_seconds": (
            "How long the oldest event has waited to become deliveries.",
            _age(event, now),
        ),
        "webhook_due": ("Deliveries that are due, counted up to 10,000.", due),
        "webhook_oldest_due_seconds": ("How long the oldest of them has been due.", _age(oldest, now)),
        "webhook_pending": ("Deliveries that are due now or later, counted up to 10,000.", pending),
        "email_due": ("E-mails that are due, those of campaigns not included, counted up to 10,000.", due_emails),
        "email_oldest_due_seconds": ("How long the oldest of them has been due.", _age(oldest_email, now)),
        "email_pending": ("E-mails that are due now or later, counted up to 10,000.", pending_emails),
        **goods,
        "payment_events_waiting": ("Payment events that are tried now or later, counted up to 10,000.", waiting),
        "payment_events_oldest_due_seconds": ("How long the oldest of them has been due.", _age(oldest_payment, now)),
        "payment_events_unmatched": ("Payment events that fit no order, counted up to 10,000.", unmatched),
        "fraud_unreviewed": ("Orders that were not simply allowed and that nobody has reviewed.", unreviewed),
    }
    if disk:
        gauges["disk_free_bytes"] = ("Room for the embedded database.", shutil.disk_usage(disk).free)
    read = [GaugeMetricFamily(f"lootkeep_{name}", words, value) for name, (words, value) in gauges.items()]
    return [*read, *sale, _checks(decisions)]


async def _goods(tx: Transaction, now: Instant) -> dict[str, tuple[str, float]]:
    waiting = await waiting_db.count(tx)
    queues = await servers_db.queues(tx)
    silent = sum(server.is_silent(now) for server in await servers_db.ROWS.find(tx))
    return {
        "lines_waiting_for_keys": ("Paid lines of orders that wait for keys, counted up to 10,000.", waiting),
        "commands_waiting": (
            "Commands that wait for game servers, or are being run.",
            sum(queue.waiting for queue in queues.values()),
        ),
        "commands_failed": (
            "Commands that failed on game servers and that nobody has looked after, counted up to 10,000.",
            sum(queue.failed for queue in queues.values()),
        ),
        "servers_silent": ("Game servers that have not asked for commands for an hour.", silent),
    }


async def _sale(tx: Transaction, currency: str) -> list[Metric]:
    """Coupons and creators, as the store counts them."""
    words = "Coupons, by who made them."
    coupons = GaugeMetricFamily("lootkeep_coupons", words, labels=["origin"])
    words = "Discounts of paid orders, by who made the coupon and by currency."
    discounts = CounterMetricFamily("lootkeep_coupon_discounts_total", words, labels=["origin", "currency"])
    words = "What creators have earned and were not paid, held or due, by currency."
    unpaid = GaugeMetricFamily("lootkeep_creators_unpaid", words, labels=["currency"])
    count, taken = await counters_db.totals(tx, "coupons."), await counters_db.totals(tx, "coupon_discounts.")
    origins = get_args(CouponOrigin)
    for origin in origins:
        coupons.add_metric([origin], count.get(origin, 0))
    for name, amount in (dict.fromkeys((f"{origin}.{currency}" for origin in origins), 0) | taken).items():
        discounts.add_metric(name.split("."), amount / 100)
    for code, amount in ({currency: 0} | await counters_db.totals(tx, "creator_balances.")).items():
        unpaid.add_metric([code], amount / 100)
    return [coupons, discounts, unpaid]


def _age(since: Instant | None, now: Instant) -> float:
    return 0 if since is None else max(0, now - since) / SECOND


def _checks(decisions: Mapping[tuple[str, str], int]) -> CounterMetricFamily:
    words = "Fraud checks, by the level of the risk and by what was done."
    family = CounterMetricFamily("lootkeep_fraud_checks_total", words, labels=["level", "action"])
    for level, action in product(get_args(RiskLevel), get_args(Action)):
        family.add_metric([level, action], decisions.get((level, action), 0))
    return family
