"""Data for reviewers: the waiting checks, and the results of the last reviews."""

from __future__ import annotations

from collections.abc import Collection

import msgspec
from sqlalchemy import BigInteger, Boolean, Text, bindparam, case, cast, func, literal_column, select

from lootkeep.domain.fraud.checks import Waiting
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.orders import OrderStatus
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import Filter, equals_each
from lootkeep.storage.lists import Join, Listing, Sort
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import customers, fraud_checks, fraud_reviews, orders, users
from lootkeep.storage.schema.fraud import IS_DUE, IS_LATEST

# Statistics use only the latest reviews, so the cost is the same in any store.
MAX_DECISIONS = 500
_MAX_DUE = 200
# Of one customer in one decision.
MAX_OF_CUSTOMER = 50

_ALLOWED = literal_column("'allowed'", Text)
_HELD = case((fraud_checks.c.action_taken == literal_column("'verification_required'", Text), 0), else_=1)
# Nothing happens to these until someone decides.
_IS_ON_HOLD = orders.c.status == literal_column("'on_hold'", Text)


class Held(msgspec.Struct, frozen=True):
    """The orders that stand still until someone decides: how many, their total amount, and since when."""

    count: int
    total: int
    since: Instant | None


class Decision(msgspec.Struct, frozen=True):
    """A review, and the current state of its order."""

    signals: str
    outcome: ReviewedAs
    checked_at: Instant
    reviewed_at: Instant
    order_status: OrderStatus

    @property
    def names(self) -> frozenset[str]:
        return frozenset(msgspec.json.decode(self.signals, type=dict[str, int]))


_WAITING = columns_of(fraud_checks, Waiting, customer=customers, order=orders, owner=users)
_UNDECIDED = (fraud_checks.c.review_outcome.is_(None), fraud_checks.c.action_taken != _ALLOWED, IS_LATEST)
_of_check = select(orders.c.id).where(orders.c.id == fraud_checks.c.order_id, _IS_ON_HOLD).exists()
# Held orders first, then by age: their buyers wait.
QUEUE = Listing(
    fraud_checks,
    Waiting,
    {
        **equals_each(fraud_checks, "risk_level", "action_taken", "owner_id", index=None),
        "is_held": Filter(lambda it: it == bindparam("wanted_is_held", type_=Boolean), _of_check, None),
    },
    {
        "held": Sort(_HELD),
        "created_at": Sort(fraud_checks.c.created_at),
        "risk_score": Sort(fraud_checks.c.risk_score),
        "expected_loss": Sort(fraud_checks.c.expected_loss),
        "due_at": Sort(fraud_checks.c.due_at, nulls="largest"),
    },
    always=_UNDECIDED,
    columns=_WAITING,
    joins=(
        Join(customers, customers.c.id == fraud_checks.c.customer_id),
        Join(orders, orders.c.id == fraud_checks.c.order_id),
        Join(users, users.c.id == fraud_checks.c.owner_id, is_optional=True),
    ),
)
_with_names = (
    select(*_WAITING)
    .select_from(fraud_checks)
    .join(customers, customers.c.id == fraud_checks.c.customer_id)
    .join(orders, orders.c.id == fraud_checks.c.order_id)
    .outerjoin(users, users.c.id == fraud_checks.c.owner_id)
)
# In addition to the queue: the riskiest allowed orders of a day.
_RISKIEST = Query(
    _with_names.where(
        fraud_checks.c.created_at >= bindparam("start"),
        fraud_checks.c.action_taken == _ALLOWED,
        fraud_checks.c.risk_score > 0,
        fraud_checks.c.review_outcome.is_(None),
        IS_LATEST,
    )
    .order_by(fraud_checks.c.risk_score.desc(), fraud_checks.c.expected_loss.desc(), fraud_checks.c.id)
    .limit(bindparam("size")),
    Waiting,
)
# Overdue held orders, some at a time.
_DUE = Query(
    select(fraud_checks.c.id)
    .where(IS_DUE, fraud_checks.c.due_at <= bindparam("now"))
    .order_by(fraud_checks.c.due_at)
    .limit(_MAX_DUE)
)

_TO_DECIDE = Query(
    select(
        func.count().label("count"),
        cast(func.coalesce(func.sum(orders.c.total), 0), BigInteger).label("total"),
        func.min(fraud_checks.c.created_at).label("since"),
    )
    .select_from(fraud_checks)
    .join(orders, orders.c.id == fraud_checks.c.order_id)
    .where(*_UNDECIDED, _IS_ON_HOLD),
    Held,
)
# Of one customer: what a decision can still release or cancel.
_OF_CUSTOMER = Query(
    _with_names.where(
        orders.c.customer_id == bindparam("customer", type_=BigInteger),
        orders.c.status.in_([literal_column("'on_hold'", Text), literal_column("'pending'", Text)]),
        *_UNDECIDED,
    )
    .order_by(fraud_checks.c.id)
    .limit(MAX_OF_CUSTOMER),
    Waiting,
)
_DECISIONS = Query(
    select(
        fraud_checks.c.signals,
        fraud_reviews.c.outcome,
        fraud_checks.c.created_at.label("checked_at"),
        fraud_reviews.c.created_at.label("reviewed_at"),
        orders.c.status.label("order_status"),
    )
    .select_from(fraud_reviews)
    .join(fraud_checks, fraud_checks.c.id == fraud_reviews.c.check_id)
    .join(orders, orders.c.id == fraud_checks.c.order_id)
    .where(fraud_reviews.c.created_at >= bindparam("since"))
    .order_by(fraud_reviews.c.id.desc())
    .limit(MAX_DECISIONS),
    Decision,
)


async def to_decide(tx: Transaction) -> Held:
    (waiting,) = await tx.all(_TO_DECIDE)
    return waiting


async def open_checks(tx: Transaction, customer_ids: Collection[int]) -> list[Waiting]:
    """The checks of these customers without a review, of orders that a decision can still release or cancel."""
    return await tx.fetch_for_each(_OF_CUSTOMER, [{"customer": customer_id} for customer_id in customer_ids])


async def riskiest(tx: Transaction, since: Instant, size: int) -> list[Waiting]:
    """The allowed orders since then with the highest scores."""
    return await tx.all(_RISKIEST, start=since, size=size) if size else []


async def due(tx: Transaction, now: Instant) -> list[int]:
    """The checks of held orders with an overdue review."""
    return [check_id for (check_id,) in await tx.all(_DUE, now=now)]


async def decisions(tx: Transaction, since: Instant) -> list[Decision]:
    """The last reviews, the newest first."""
    return await tx.all(_DECISIONS, since=since)
