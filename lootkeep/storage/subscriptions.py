"""Subscriptions."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from sqlalchemy import bindparam, insert, select, update

from lootkeep.domain.subscriptions import Subscription
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import Listing, Sort, equals
from lootkeep.storage.queue import MAX_COUNTED
from lootkeep.storage.schema import subscriptions

_SUBSCRIPTION = [subscriptions.c[name] for name in Subscription.__struct_fields__]
_THIS = subscriptions.c.id == bindparam("subscription")
# The columns that renewing and cancelling change; the terms are fixed at creation.
_CHANGING = (
    "status",
    "current_period_start",
    "current_period_end",
    "cancel_at_period_end",
    "cancelled_at",
    "ends_at",
    "cancel_reason",
    "renewals_count",
    "latest_order_id",
    "updated_at",
)

_ADD = Query(
    insert(subscriptions)
    .values({name: bindparam(name) for name in Subscription.__struct_fields__ if name != "id"})
    .returning(*_SUBSCRIPTION),
    Subscription,
)
_GET = Query(select(*_SUBSCRIPTION).where(_THIS), Subscription)
_BY_EXTERNAL_ID = Query(select(*_SUBSCRIPTION).where(subscriptions.c.external_id == bindparam("wanted")), Subscription)
_LOCK = Query(select(*_SUBSCRIPTION).where(_THIS).with_for_update(), Subscription)
_STARTED = Query(
    select(subscriptions.c.customer_id, subscriptions.c.product_id, subscriptions.c.created_at).where(
        subscriptions.c.customer_id == bindparam("customer"),
        subscriptions.c.product_id == bindparam("product"),
        subscriptions.c.created_at == bindparam("start"),
    )
)
_SET = Query(update(subscriptions).where(_THIS).values({name: bindparam(name) for name in _CHANGING}))
# Bounded: one batch never holds the write lock for long.
_EXPIRE = Query(
    update(subscriptions)
    .where(
        subscriptions.c.id.in_(
            select(subscriptions.c.id)
            .where(
                subscriptions.c.status == "active",
                subscriptions.c.ends_at.is_not(None),
                subscriptions.c.ends_at <= bindparam("now"),
            )
            .limit(500)
        )
    )
    .values(status="expired", updated_at=bindparam("now"))
    .returning(subscriptions.c.id)
)


LISTING = Listing(
    subscriptions,
    Subscription,
    {
        "external_id": equals(subscriptions.c.external_id, "external_id", "unsorted"),
        "customer_id": equals(subscriptions.c.customer_id, "customer_id"),
        "status": equals(subscriptions.c.status, "status"),
    },
    {"created_at": Sort(subscriptions.c.created_at)},
    max_counted=MAX_COUNTED,
)


async def add(tx: Transaction, subscription: Subscription) -> Subscription:
    """Stores a new subscription and assigns its id."""
    values = msgspec.structs.asdict(subscription)
    del values["id"]
    (added,) = await tx.all(_ADD, **values)
    return added


async def get(tx: Transaction, subscription_id: int) -> Subscription | None:
    return await tx.one(_GET, subscription=subscription_id)


async def by_external_id(tx: Transaction, external_id: str) -> Subscription | None:
    return await tx.one(_BY_EXTERNAL_ID, wanted=external_id)


async def get_for_update(tx: Transaction, subscription_id: int) -> Subscription | None:
    """Locked until the transaction ends: two renewals of one subscription run one after the other."""
    return await tx.one(_LOCK, subscription=subscription_id)


async def started(tx: Transaction, starts: Iterable[tuple[int, int, Instant]]) -> set[tuple[int, int, Instant]]:
    """Those that exist: who subscribed to what, and when."""
    rows = [dict(zip(("customer", "product", "start"), start, strict=True)) for start in sorted(set(starts))]
    return {(customer, product, start) for customer, product, start in await tx.fetch_for_each(_STARTED, rows)}


async def save(tx: Transaction, subscription: Subscription) -> None:
    """Writes a step of a subscription."""
    await tx.run(_SET, subscription=subscription.id, **{name: getattr(subscription, name) for name in _CHANGING})


async def expire(tx: Transaction, now: Instant) -> int:
    """Ends subscriptions that were cancelled at the end of a period that is over; returns how many."""
    return len(await tx.all(_EXPIRE, now=now))
