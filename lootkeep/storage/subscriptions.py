"""Subscriptions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import bindparam, select, update

from lootkeep.domain.subscriptions import Subscription
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import at_least, at_most, equals, equals_each
from lootkeep.storage.lists import Listing, Sort
from lootkeep.storage.queue import MAX_COUNTED
from lootkeep.storage.rows import Rows
from lootkeep.storage.schema import subscriptions
from lootkeep.storage.schema.orders import IS_ENDING, IS_LEAVING, IS_RENEWED, IS_RENEWING

ROWS = Rows(subscriptions, Subscription)

_STARTED = Query(
    select(subscriptions.c.customer_id, subscriptions.c.product_id, subscriptions.c.created_at).where(
        subscriptions.c.customer_id == bindparam("customer"),
        subscriptions.c.product_id == bindparam("product"),
        subscriptions.c.created_at == bindparam("start"),
    )
)
# Bounded: one batch never holds the write lock for long. One that is locked is being ended, renewed or cancelled by
# someone else: if it is still to be ended after that, the next run finds it.
_OVER = (
    select(subscriptions.c.id)
    .where(IS_ENDING, subscriptions.c.ends_at <= bindparam("now"))
    .order_by(subscriptions.c.ends_at)
    .limit(500)
    .with_for_update(skip_locked=True, key_share=True)
)
_EXPIRE = Query(
    update(subscriptions)
    .where(subscriptions.c.id.in_(_OVER))
    .values(status="expired", updated_at=bindparam("now"))
    .returning(subscriptions.c.id)
)


LISTING = Listing(
    subscriptions,
    Subscription,
    {
        "external_id": equals(subscriptions.c.external_id, "external_id", "unsorted"),
        **equals_each(subscriptions, "customer_id", "status"),
        "product_id": equals(subscriptions.c.product_id, "product_id", None),
    },
    {"created_at": Sort(subscriptions.c.created_at)},
    max_counted=MAX_COUNTED,
)


def _sorted(by: Any, these: Any) -> Listing[Subscription]:
    """Some of them, along an index of their own."""
    filters = {
        "due_from": at_least(subscriptions.c.current_period_end, "due_from"),
        "due_to": at_most(subscriptions.c.current_period_end, "due_to"),
        **equals_each(subscriptions, "customer_id", "product_id", "status", index=None),
    }
    return Listing(subscriptions, Subscription, filters, {by.name: Sort(by)}, always=(these,), max_counted=MAX_COUNTED)


# Those whose next period is to be paid, that were renewed, and that were cancelled.
RENEWING = _sorted(subscriptions.c.current_period_end, IS_RENEWING)
RENEWED = _sorted(subscriptions.c.current_period_start, IS_RENEWED)
LEAVING = _sorted(subscriptions.c.cancelled_at, IS_LEAVING)


async def started(tx: Transaction, starts: Iterable[tuple[int, int, Instant]]) -> set[tuple[int, int, Instant]]:
    """Those that exist: who subscribed to what, and when."""
    rows = [dict(zip(("customer", "product", "start"), start, strict=True)) for start in sorted(set(starts))]
    return {(customer, product, start) for customer, product, start in await tx.fetch_for_each(_STARTED, rows)}


async def expire(tx: Transaction, now: Instant) -> list[int]:
    """Ends some of those that were cancelled at the end of a period that is over; returns their ids."""
    return [subscription_id for (subscription_id,) in await tx.all(_EXPIRE, now=now)]
