"""Records a declined payment of an order. The card that was tried is not the account's: it may be anyone's."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain import orders as orders_rules
from lootkeep.domain.declined_payments import PaymentAttempt, declined
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing
from lootkeep.storage.orders import payment_attempts as payment_attempts_db, rows as orders_db


async def decline(
    deps: Deps,
    order_id: int,
    *,
    reason: str | None = None,
    external_id: str | None = None,
    at: Instant | None = None,
) -> tuple[PaymentAttempt, bool]:
    """The attempt, and whether it is new: the same external id for the order returns the same attempt."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        order = existing(await orders_db.ROWS.lock(tx, order_id), "Order")
        if external_id is not None:
            attempt = await payment_attempts_db.ROWS.find_one(tx, order_id=order_id, external_id=external_id)
            if attempt:
                return attempt, False
        at = orders_rules.check_reported(order, at, now)
        attempt = declined(order, at, reason, external_id)
        return await payment_attempts_db.ROWS.add(tx, attempt), True
