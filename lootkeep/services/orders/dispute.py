"""Records a dispute that the payment provider reports."""

from __future__ import annotations

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain import orders as orders_rules
from lootkeep.domain.disputes import Dispute, DisputeKind, DisputeReason, check_disputable
from lootkeep.domain.orders import OrderDetails
from lootkeep.kernel.clock import Instant
from lootkeep.services import creators, goods, order_alerts
from lootkeep.services.orders import _details, _labels, evidence
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.orders import disputes as disputes_db
from lootkeep.views import order_events as order_events_views

_WORDS: dict[DisputeKind, str] = {
    "early_warning": "the bank warns of a dispute",
    "dispute": "it is disputed",
    "dispute_won": "the dispute is won",
    "dispute_lost": "the dispute is lost",
}


class DisputeReport(msgspec.Struct, frozen=True):
    kind: DisputeKind
    reason: DisputeReason
    # Default: now.
    at: Instant | None = None
    external_id: str | None = None
    evidence_due_at: Instant | None = None


async def dispute(deps: Deps, order_id: int, report: DisputeReport) -> tuple[Dispute, bool]:
    """The dispute, and whether it is new: the same kind with the same external id returns the same dispute."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        details, recorded, is_new = await _record(tx, order_id, report, now)
        if is_new:
            if recorded.kind == "dispute":
                await evidence.store_copy(tx, details, recorded, now)
                await _run_commands(tx, details, now)
            await outbox_db.append(tx, "order.disputed", order_events_views.disputed(details, recorded), now)
            key, what = f"dispute:{recorded.id}", _WORDS[recorded.kind]
            await order_alerts.raise_for(tx, details.order, "order_disputed", key, what, now)
    return recorded, is_new


async def _run_commands(tx: Transaction, details: OrderDetails, now: Instant) -> None:
    """Once per order."""
    disputes = await disputes_db.of_order(tx, details.order.id)
    if sum(it.kind == "dispute" for it in disputes) == 1:
        await goods.queue(tx, details, "disputed", now)


async def import_dispute(tx: Transaction, order_id: int, report: DisputeReport, now: Instant) -> bool:
    """The same for imported history, which sends no events; returns whether it is new."""
    _, _, is_new = await _record(tx, order_id, report, now)
    return is_new


async def _record(
    tx: Transaction, order_id: int, report: DisputeReport, now: Instant
) -> tuple[OrderDetails, Dispute, bool]:
    # The checks before their order: the lock order of a review.
    checks = await fraud_checks_db.lock_of_order(tx, order_id)
    details = await _details.lock(tx, order_id)
    if report.external_id is not None:
        for dispute in await disputes_db.of_order(tx, order_id):
            if (dispute.external_id, dispute.kind) == (report.external_id, report.kind):
                return details, dispute, False
    check_disputable(details.order)
    at = orders_rules.check_reported(details.order, report.at, now)
    new = Dispute(0, order_id, report.kind, report.reason, report.external_id, at, now, report.evidence_due_at)
    recorded = await disputes_db.ROWS.add(tx, new)
    await creators.correct(tx, details.order, now)
    await _labels.settle(tx, details, checks, now)
    return details, recorded, True
