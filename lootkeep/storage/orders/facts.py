"""Orders in chronological order, with their checks and what led to them: for analyses."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, bindparam, func, literal_column, select, tuple_

from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import columns_of, one_of
from lootkeep.storage.schema import (
    campaign_recipients as recipients,
    customers,
    email_campaigns,
    fraud_checks,
    order_items,
    orders,
    referrals,
)

# How many orders are read at a time.
_BATCH = 500
# An order belongs to the campaign whose link its buyer clicked last, if that was at most this long before.
CAMPAIGN_EFFECT = 7 * DAY


class PlacedOrder(NamedTuple):
    # Its judgements, the latest last; none if fraud detection was off.
    checks: list[FraudCheck]
    order: Order
    email: str
    customer_created_at: Instant
    referrer_id: int | None
    referral_status: str | None
    campaign_id: int | None
    campaign_name: str | None


_clicked_last = (
    select(recipients.c.campaign_id)
    .where(
        recipients.c.customer_id == orders.c.customer_id,
        recipients.c.clicked_at <= orders.c.created_at,
        recipients.c.clicked_at > orders.c.created_at - literal_column(str(CAMPAIGN_EFFECT), BigInteger),
    )
    .order_by(recipients.c.clicked_at.desc(), recipients.c.id.desc())
    .limit(1)
    .scalar_subquery()
)
_BETWEEN = Query(
    select(
        *columns_of(orders, Order),
        customers.c.email,
        customers.c.created_at,
        referrals.c.referrer_id,
        referrals.c.status,
        email_campaigns.c.id,
        email_campaigns.c.name,
    )
    .select_from(orders)
    .join(customers, customers.c.id == orders.c.customer_id)
    .outerjoin(referrals, referrals.c.customer_id == orders.c.customer_id)
    .outerjoin(email_campaigns, email_campaigns.c.id == _clicked_last)
    .where(
        tuple_(orders.c.created_at, orders.c.id) > tuple_(bindparam("time"), bindparam("last")),
        orders.c.created_at < bindparam("end"),
    )
    .order_by(orders.c.created_at, orders.c.id)
    .limit(_BATCH)
)
_FIRST = Query(select(func.min(orders.c.created_at)))
_TO_EMAIL = len(Order.__struct_fields__)


async def first_placed_at(tx: Transaction) -> Instant | None:
    row: Any = await tx.one(_FIRST)
    return None if row is None else row[0]


async def after(tx: Transaction, time: Instant, order_id: int, end: Instant) -> list[PlacedOrder]:
    """A batch of the orders after this position and before `end`; empty at the end."""
    rows = await tx.all(_BETWEEN, time=time, last=order_id, end=end)
    checks: dict[int, list[FraudCheck]] = defaultdict(list)
    ids = [row[0] for row in rows]
    for check in sorted(await one_of(tx, fraud_checks, "order_id", FraudCheck, ids), key=lambda check: check.id):
        checks[check.order_id].append(check)
    return [PlacedOrder(checks[row[0]], Order(*row[:_TO_EMAIL]), *row[_TO_EMAIL:]) for row in rows]


async def items_of(tx: Transaction, placed: list[PlacedOrder]) -> dict[int, list[OrderItem]]:
    """The lines of these orders, by order."""
    lines: dict[int, list[OrderItem]] = defaultdict(list)
    for line in await one_of(tx, order_items, "order_id", OrderItem, [row.order.id for row in placed]):
        lines[line.order_id].append(line)
    return lines
