"""Declined payments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, insert, select

from lootkeep.domain.orders import Order, PaymentAttempt
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import payment_attempts

_ATTEMPT = [payment_attempts.c[name] for name in PaymentAttempt.__struct_fields__]
_OF_ORDER = payment_attempts.c.order_id == bindparam("order")

_ADD = Query(
    insert(payment_attempts).values({column.name: bindparam(f"new_{column.name}") for column in payment_attempts.c[1:]})
)
_GET = Query(select(*_ATTEMPT).where(_OF_ORDER, payment_attempts.c.external_id == bindparam("name")), PaymentAttempt)
_LIST = Query(select(*_ATTEMPT).where(_OF_ORDER).order_by(payment_attempts.c.at, payment_attempts.c.id), PaymentAttempt)


async def add(
    tx: Transaction, order: Order, reason: str | None, external_id: str | None, at: Instant
) -> PaymentAttempt:
    (attempt_id,) = await tx.insert(_ADD, [_row(order, at) | {"new_reason": reason, "new_external_id": external_id}])
    return PaymentAttempt(attempt_id, order.id, reason, external_id, at)


async def add_times(tx: Transaction, declined: Iterable[tuple[Order, Sequence[Instant]]]) -> None:
    """For imported orders, for which only the times of declines are known."""
    rows = [_row(order, at) for order, times in declined for at in times]
    if rows:
        await tx.insert(_ADD, rows)


def _row(order: Order, at: Instant) -> dict[str, object]:
    return {
        "new_order_id": order.id,
        "new_customer_id": order.customer_id,
        "new_device_id": order.device_id,
        "new_ip_network": order.ip_network,
        "new_reason": None,
        "new_external_id": None,
        "new_at": at,
    }


async def by_external_id(tx: Transaction, order_id: int, external_id: str) -> PaymentAttempt | None:
    return await tx.one(_GET, order=order_id, name=external_id)


async def of_order(tx: Transaction, order_id: int) -> list[PaymentAttempt]:
    """The earliest first."""
    return await tx.all(_LIST, order=order_id)
