"""What a reviewer works with: the checks that wait, accounts that share something, and how the last reviews ended."""

from __future__ import annotations

import msgspec
from sqlalchemy import BigInteger, Text, bindparam, case, cast, exists, func, literal_column, select

from lootkeep.domain.customers import CustomerStatus
from lootkeep.domain.fraud.checks import CheckSummary
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.identity import Trace
from lootkeep.domain.orders import OrderStatus
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import Join, Listing, Sort, columns_of, equals
from lootkeep.storage.schema import customers, fraud_checks, fraud_reviews, labels, orders, sightings

# What is said of earlier reviews is said of the last of them, so that it costs the same in any store.
MAX_DECISIONS = 500
# So many accounts that share something are looked at.
MAX_ACCOUNTS = 50

_ALLOWED = literal_column("'allowed'", Text)
_HELD = case((fraud_checks.c.action_taken == literal_column("'verification_required'", Text), 0), else_=1)


class Waiting(CheckSummary, frozen=True):
    """A check in the review queue."""

    signals: str
    customer_name: str
    order_total: Hundredths
    order_currency: str

    @property
    def points(self) -> dict[str, int]:
        return msgspec.json.decode(self.signals, type=dict[str, int])


class Decision(msgspec.Struct, frozen=True):
    """A review, and what has become of its order."""

    signals: str
    outcome: ReviewedAs
    checked_at: Instant
    reviewed_at: Instant
    order_status: OrderStatus

    @property
    def names(self) -> frozenset[str]:
        return frozenset(msgspec.json.decode(self.signals, type=dict[str, int]))


class Account(msgspec.Struct, frozen=True):
    """A customer who shares something with a buyer, and how they turned out."""

    id: int
    name: str
    status: CustomerStatus
    orders_count: int
    is_confirmed_fraud: bool


# Held orders first, then by age: somebody waits for those.
QUEUE = Listing(
    fraud_checks,
    Waiting,
    {
        "risk_level": equals(fraud_checks.c.risk_level, "risk_level", None),
        "action_taken": equals(fraud_checks.c.action_taken, "action_taken", None),
    },
    {"held": Sort(_HELD), "created_at": Sort(fraud_checks.c.created_at), "risk_score": Sort(fraud_checks.c.risk_score)},
    always=(fraud_checks.c.review_outcome.is_(None), fraud_checks.c.action_taken != _ALLOWED),
    columns=(
        *columns_of(fraud_checks, CheckSummary),
        fraud_checks.c.signals,
        customers.c.name.label("customer_name"),
        orders.c.total.label("order_total"),
        orders.c.currency.label("order_currency"),
    ),
    joins=(
        Join(customers, customers.c.id == fraud_checks.c.customer_id),
        Join(orders, orders.c.id == fraud_checks.c.order_id),
    ),
)

_HELD_ORDERS = Query(
    select(func.count(), cast(func.coalesce(func.sum(orders.c.total), 0), BigInteger)).where(
        orders.c.status == literal_column("'on_hold'", Text)
    )
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
_IS_FRAUD = exists().where(
    labels.c.kind == literal_column("'customer'", Text), labels.c.value == cast(customers.c.id, Text)
)
_ACCOUNT = (
    customers.c.id,
    customers.c.name,
    customers.c.status,
    customers.c.orders_count,
    _IS_FRAUD.label("is_confirmed_fraud"),
)
_ACCOUNTS = Query(
    select(*_ACCOUNT)
    .select_from(sightings)
    .join(customers, customers.c.id == sightings.c.customer_id)
    .where(
        sightings.c.kind == bindparam("kind"),
        sightings.c.value == bindparam("seen_with"),
        sightings.c.customer_id != bindparam("customer"),
    )
    .order_by(sightings.c.last_seen_at.desc())
    .limit(MAX_ACCOUNTS),
    Account,
)
_ONE_ACCOUNT = Query(select(*_ACCOUNT).where(customers.c.id == bindparam("customer")), Account)


async def held(tx: Transaction) -> tuple[int, int]:
    """How many orders are on hold, and what they come to."""
    ((count, total),) = await tx.all(_HELD_ORDERS)
    return count, total


async def decisions(tx: Transaction, since: Instant) -> list[Decision]:
    """The last reviews, the newest first."""
    return await tx.all(_DECISIONS, since=since)


async def accounts_with(tx: Transaction, trace: Trace, customer_id: int) -> list[Account]:
    """Other accounts that were seen with this, the last seen first."""
    return await tx.all(_ACCOUNTS, kind=trace.kind, seen_with=trace.value, customer=customer_id)


async def account(tx: Transaction, customer_id: int) -> Account | None:
    return await tx.one(_ONE_ACCOUNT, customer=customer_id)
