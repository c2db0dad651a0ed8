"""What a fraud review means for its order."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.review import ReviewedAs, consequence
from lootkeep.domain.orders import FRAUD
from lootkeep.kernel.clock import Instant
from lootkeep.services.orders import _details, _labels, _payment
from lootkeep.services.orders.cancel import cancel_in
from lootkeep.storage import orders as orders_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals.changes import CounterDeltas


async def apply_review(
    deps: Deps, tx: Transaction, check: FraudCheck, outcome: ReviewedAs, now: Instant, changes: CounterDeltas
) -> FraudCheck:
    """Cancels or releases the order; one that is paid or has ended stays as it is. The check with its truth."""
    details = await _details.lock(tx, check.order_id)
    match consequence(outcome, details.order.status):
        case "cancel":
            await cancel_in(tx, details, FRAUD, now, changes)
        case "release":
            pending = replace(details.order, status="pending", updated_at=now)
            await orders_db.save(tx, details.order, pending, details.items, changes)
            await _payment.record_if_nothing_due(deps, tx, replace(details, order=pending), None, now, changes)
    return await _labels.settle(tx, details, check) or check
