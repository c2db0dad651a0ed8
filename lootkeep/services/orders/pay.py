"""Paying an order."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain import held_payments as held_payments_rules, orders as orders_rules
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.orders import OrderDetails
from lootkeep.services.orders import _details, _hold, _payment
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db

_BY_BLOCKED = "paid by a blocked customer, held for review"


async def pay(deps: Deps, order_id: int, method: str | None, transaction_id: str | None) -> OrderDetails:
    """Paying again with the same transaction changes nothing: payment providers repeat calls.

    The money of a blocked customer is recorded, but a reviewer decides whether anything is handed over.
    """
    async with deps.db.write() as tx:
        details = await _details.lock(tx, order_id)
        if details.customer.status != "blocked":
            return await _pay(deps, tx, details, method, transaction_id)
    async with deps.db.write() as tx:
        # The check before its order: the lock order of a review. Either may have changed meanwhile.
        check = await fraud_checks_db.ROWS.lock_one(tx, order_id=order_id)
        details = await _details.lock(tx, order_id)
        return await _pay(deps, tx, details, method, transaction_id, check)


async def _pay(
    deps: Deps,
    tx: Transaction,
    details: OrderDetails,
    method: str | None,
    transaction_id: str | None,
    check: FraudCheck | None = None,
) -> OrderDetails:
    now, order = deps.clock.now(), details.order
    if transaction_id and order.received_at is not None and order.transaction_id == transaction_id:
        return details
    orders_rules.require(order, "pay")
    payment = order, now, method, transaction_id, now
    if details.customer.status != "blocked":
        return await _payment.record(deps, tx, details, orders_rules.paid(*payment))
    return await _hold.hold(deps, tx, details, held_payments_rules.held(*payment), check, _BY_BLOCKED)
