"""The effect of a fraud review on its order, and of an overdue review."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import held_payments as held_payments_rules
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.review import Consequence, ReviewedAs, consequence
from lootkeep.domain.orders import FRAUD, OrderDetails
from lootkeep.kernel.clock import Instant
from lootkeep.services.orders import _details, _labels, _payment
from lootkeep.services.orders.cancel import cancel_in
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.fraud import checks as fraud_checks_db, ring_locks as ring_locks_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.views import fraud_events as fraud_events_views


async def lock_ring(tx: Transaction, order_ids: Collection[int], outcome: ReviewedAs) -> None:
    """Locks everything that reviews of these orders change, up front: one by one they could deadlock."""
    if outcome == "legitimate":
        # A released order may have nothing left to pay.
        await ring_locks_db.for_paying(tx, order_ids)
    else:
        await ring_locks_db.for_cancelling(tx, order_ids)


async def apply_review(
    deps: Deps, tx: Transaction, checks: Sequence[FraudCheck], outcome: ReviewedAs, now: Instant
) -> list[FraudCheck]:
    """Cancels or releases the order; a paid or finished order does not change. Its checks with their truth."""
    latest = checks[-1]
    details = await _details.lock(tx, latest.order_id)
    settled = await _labels.settle(tx, details, checks, now)
    step = consequence(outcome, details.order)
    details = await _take(deps, tx, details, step, now) if step else details
    await outbox_db.append(tx, "fraud.reviewed", fraud_events_views.reviewed(details.order, latest), now)
    return settled


async def end_hold(deps: Deps, tx: Transaction, check: FraudCheck, step: Consequence, now: Instant) -> None:
    """The review is overdue: the order is released or cancelled as configured, and no label is set."""
    details = await _details.lock(tx, check.order_id)
    # Money that arrived is given back or handed over by a person, and so is what a blocked customer ordered.
    is_left = details.order.payment_held_at is not None or (step == "release" and details.customer.status == "blocked")
    if details.order.status == "on_hold" and not is_left:
        details = await _take(deps, tx, details, step, now)
        await outbox_db.append(tx, "fraud.reviewed", fraud_events_views.reviewed(details.order, check), now)
    await fraud_checks_db.ROWS.save(tx, check, replace(check, due_at=None))


async def _take(deps: Deps, tx: Transaction, details: OrderDetails, step: Consequence, now: Instant) -> OrderDetails:
    if step == "cancel":
        details, _ = await cancel_in(tx, details, FRAUD, now)
        return details
    if details.order.payment_held_at is not None:
        return await _payment.record(deps, tx, details, held_payments_rules.released(details.order, now))
    pending = replace(details.order, status="pending", updated_at=now)
    await orders_db.save(tx, details.order, pending, details.items)
    details, paid = replace(details, order=pending), _payment.paid_if_nothing_due(pending, None, now)
    return await _payment.record(deps, tx, details, paid) if paid else details
