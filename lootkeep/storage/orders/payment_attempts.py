"""Declined payments."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from lootkeep.domain.declined_payments import PaymentAttempt
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import payment_attempts

ROWS = Rows(payment_attempts, PaymentAttempt)

_OF_ORDER = Query(
    select(*columns_of(payment_attempts, PaymentAttempt))
    .where(payment_attempts.c.order_id == bindparam("order"))
    .order_by(payment_attempts.c.at, payment_attempts.c.id),
    PaymentAttempt,
)


async def of_order(tx: Transaction, order_id: int) -> list[PaymentAttempt]:
    """The earliest first."""
    return await tx.all(_OF_ORDER, order=order_id)
