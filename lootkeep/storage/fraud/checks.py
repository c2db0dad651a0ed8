"""Fraud checks: added with their order, reviewed, and judged again."""

from __future__ import annotations

import msgspec
from sqlalchemy import bindparam, select
from sqlalchemy.dialects import postgresql

from lootkeep.domain.fraud.checks import CheckDetail, FraudCheck, Review
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import customers, fraud_checks, fraud_policies, fraud_reviews, orders

ROWS = Rows(fraud_checks, FraudCheck, totals="fraud checks", is_shown=True)
REVIEWS = Rows(fraud_reviews, Review)

_CHECK = columns_of(fraud_checks, FraudCheck)

# Uses the index of orders: checks have no index by customer.
_OF_CUSTOMER = Query(
    select(*_CHECK)
    .join(orders, orders.c.id == fraud_checks.c.order_id)
    .where(orders.c.customer_id == bindparam("customer"))
    .order_by(orders.c.created_at.desc(), orders.c.id.desc())
    .limit(bindparam("size")),
    FraudCheck,
)
_DETAIL = Query(
    select(*columns_of(fraud_checks, CheckDetail, customer=customers, order=orders))
    .join(customers, customers.c.id == fraud_checks.c.customer_id)
    .join(orders, orders.c.id == fraud_checks.c.order_id)
    .where(fraud_checks.c.id == bindparam("check")),
    CheckDetail,
)
_order_of_check = select(fraud_checks.c.order_id).where(fraud_checks.c.id == bindparam("check")).scalar_subquery()
# By age, so that two operations on one order do not deadlock.
_OF_ORDER = Query(
    select(*_CHECK).where(fraud_checks.c.order_id == bindparam("order")).order_by(fraud_checks.c.id).with_for_update(),
    FraudCheck,
)
_OF_SAME_ORDER = Query(
    select(*_CHECK).where(fraud_checks.c.order_id == _order_of_check).order_by(fraud_checks.c.id).with_for_update(),
    FraudCheck,
)
_REVIEWS_OF = Query(
    select(*columns_of(fraud_reviews, Review))
    .join(fraud_checks, fraud_checks.c.id == fraud_reviews.c.check_id)
    .where(fraud_checks.c.order_id == bindparam("order"))
    .order_by(fraud_reviews.c.id),
    Review,
)
_ADD_POLICY = Query(
    postgresql.insert(fraud_policies).values(
        version=bindparam("version"), document=bindparam("document"), created_at=bindparam("now")
    )
)
_POLICY = Query(select(fraud_policies.c.document).where(fraud_policies.c.version == bindparam("version")))


async def of_customer(tx: Transaction, customer_id: int, size: int) -> list[FraudCheck]:
    """The newest first."""
    return await tx.all(_OF_CUSTOMER, customer=customer_id, size=size)


async def get(tx: Transaction, check_id: int) -> CheckDetail | None:
    return await tx.one(_DETAIL, check=check_id)


async def lock_of_order(tx: Transaction, order_id: int) -> list[FraudCheck]:
    """All judgements of an order, the latest last."""
    return await tx.all(_OF_ORDER, order=order_id)


async def lock_with_others(tx: Transaction, check_id: int) -> list[FraudCheck]:
    """The check and the other judgements of its order, the latest last."""
    return await tx.all(_OF_SAME_ORDER, check=check_id)


async def reviews_of(tx: Transaction, order_id: int) -> list[Review]:
    """Of all judgements of the order, the oldest first."""
    return await tx.all(_REVIEWS_OF, order=order_id)


async def store_policy(tx: Transaction, version: int, policy: Policy, now: Instant) -> None:
    """Stores the settings with their version, so their checks can be reproduced."""
    await tx.run(_ADD_POLICY, version=version, document=msgspec.json.encode(policy).decode(), now=now)


async def policy_of(tx: Transaction, version: int) -> Policy:
    """The settings of this version; version 0 is that of a new store."""
    row = await tx.one(_POLICY, version=version)
    return msgspec.json.decode(row[0], type=Policy) if row else Policy()
