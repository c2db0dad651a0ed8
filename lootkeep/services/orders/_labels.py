"""The outcome of an order, updated whenever there is a new label."""

from __future__ import annotations

from collections.abc import Sequence

from lootkeep.domain.disputes import StaffLabel, Truth, is_final, open_disputes, truth
from lootkeep.domain.fraud.checks import FraudCheck, settled
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.labels import Label, fraud_labels
from lootkeep.domain.orders import OrderDetails
from lootkeep.kernel.clock import Instant
from lootkeep.services import gift_cards, goods, referrals
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.orders import disputes as disputes_db, rows as orders_db


async def settle(
    tx: Transaction, details: OrderDetails, checks: Sequence[FraudCheck], now: Instant
) -> list[FraudCheck]:
    """Sets the truth of the locked checks, the links for later orders, and whether the referral still counts.

    The gift cards and keys of a confirmed fraud, or of a lost dispute, are revoked, and what its commands have not
    given stays undone.
    """
    order = details.order
    disputes = await disputes_db.of_order(tx, order.id)
    refunds = await orders_db.REFUNDS.find(tx, order_id=order.id)
    staff = [StaffLabel("fraud", "refund", refund.created_at) for refund in refunds if refund.reason_code == "fraud"]
    latest = checks[-1] if checks else None
    if latest and latest.review_outcome and latest.reviewed_at is not None:
        staff.append(StaffLabel(latest.review_outcome, "review", latest.reviewed_at))
    truth_now = truth(disputes, staff)
    opened = open_disputes(disputes)
    labels = [Label("disputed", str(order.customer_id), opened[0].at)] if opened else []
    await disputes_db.set_labels(tx, order.id, labels + _fraud_labels(details, latest, truth_now))
    is_lost = order.paid_at is not None and is_final(disputes, staff)
    if is_lost:
        # Before the referral, in the lock order of a checkout.
        await gift_cards.revoke_bought(tx, order, now)
    await referrals.update_status(tx, details.customer)
    if is_lost:
        await goods.revoke(tx, details.items, now)
        await goods.cancel_waiting(tx, details.items, now)
    return [await fraud_checks_db.ROWS.save(tx, check, settled(check, truth_now)) for check in checks]


def _fraud_labels(details: OrderDetails, check: FraudCheck | None, current: Truth | None) -> list[Label]:
    if current is None or current.outcome != "fraud":
        return []
    return fraud_labels(
        current.at,
        customer=str(details.customer.id),
        instrument=details.order.payment_instrument or (facts_of(check).payment.instrument if check else None),
        mailbox=details.customer.mailbox,
        device=details.order.device_id,
        player=details.order.player.trace if details.order.player else None,
    )
