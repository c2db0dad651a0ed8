"""The audience of a campaign: one condition on customers, to count them, to show some, and to fix them all."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    Text,
    and_,
    bindparam,
    cast as sql_cast,
    exists,
    func,
    insert,
    literal_column,
    select,
)

from lootkeep.domain.audiences import Audience
from lootkeep.domain.campaigns import SAMPLE, Exclusion, Preview, Reader
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsListed
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import campaign_recipients, customer_tags, customers, order_items, orders, referrers

_LISTS = frozenset({"customer_ids", "countries", "product_ids", "tags"})


def _list(name: str) -> Any:
    return bindparam(f"wanted_{name}", type_=Text)


def _number(name: str) -> Any:
    return bindparam(f"wanted_{name}", type_=BigInteger)


# Found from the products and tags: a campaign names few of them.
_HAS_BOUGHT = customers.c.id.in_(
    select(orders.c.customer_id).where(
        orders.c.paid_at.is_not(None),
        order_items.c.order_id == orders.c.id,
        IsListed(order_items.c.product_id, _list("product_ids")),
    )
)
_HAS_TAG = customers.c.id.in_(select(customer_tags.c.customer_id).where(IsListed(customer_tags.c.tag, _list("tags"))))
_HAS_REFERRED = exists().where(referrers.c.customer_id == customers.c.id, referrers.c.total_referrals > 0)

# Each filter by name; `segment` is any combination of them.
_FILTERS: dict[str, Any] = {
    "customer_ids": IsListed(customers.c.id, _list("customer_ids")),
    "countries": IsListed(customers.c.country, _list("countries")),
    "min_total_spent": customers.c.total_spent >= _number("min_total_spent"),
    "min_orders": customers.c.orders_count >= _number("min_orders"),
    "last_order_before": customers.c.last_order_at < _number("last_order_before"),
    "last_order_after": customers.c.last_order_at >= _number("last_order_after"),
    "registered_from": customers.c.created_at >= _number("registered_from"),
    "registered_to": customers.c.created_at <= _number("registered_to"),
    "product_ids": _HAS_BOUGHT,
    "tags": _HAS_TAG,
    "is_referrer": _HAS_REFERRED,
    "is_no_referrer": ~_HAS_REFERRED,
}

_IS_ACTIVE = customers.c.status == "active"
# Written out, as the condition of the index is.
_OK = literal_column("'ok'", Text)
_IS_REACHED = customers.c.email_status == _OK
_IS_UNREACHED = customers.c.email_status != _OK
_HAS_BOUNCED = customers.c.email_status == "bounced"
MAY_BE_WRITTEN_TO = and_(customers.c.accepts_marketing, _IS_REACHED, _IS_ACTIVE)


@cache
def _counts(shape: frozenset[str]) -> Query[tuple[Any, ...]]:
    """Everyone, who may be written to, who is blocked; who is not reached, and of those, who bounced.

    All customers are read, so what follows from these counts is not counted itself. Not grouped: an engine may sort
    everyone to find the groups.
    """
    chosen = _chosen(shape)

    def few(*conditions: Any) -> Any:
        people = select(func.count()).select_from(customers).where(_IS_UNREACHED, _IS_ACTIVE, *conditions, *chosen)
        return people.correlate(None).scalar_subquery()

    counts = [func.count().filter(condition) for condition in (MAY_BE_WRITTEN_TO, ~_IS_ACTIVE)]
    everyone = select(func.count(), *counts, few(), few(_HAS_BOUNCED))
    return Query(everyone.select_from(customers).where(*chosen))


@cache
def _sample(shape: frozenset[str]) -> Query[tuple[Any, ...]]:
    recipients = select(customers.c.id, customers.c.name, customers.c.email, customers.c.referral_code)
    # In any order; otherwise everyone is sorted to show a few.
    return Query(recipients.where(MAY_BE_WRITTEN_TO, *_chosen(shape)).limit(bindparam("size")))


@cache
def _fix(shape: frozenset[str]) -> Query[tuple[Any, ...]]:
    now = bindparam("now", type_=BigInteger)
    values: dict[str, Any] = {
        "campaign_id": bindparam("campaign", type_=BigInteger),
        "customer_id": customers.c.id,
        "email": customers.c.email,
        "status": literal_column("'queued'", Text),
        "due_at": now,
        "attempts_count": literal_column("0", BigInteger),
        "failures": literal_column("0", BigInteger),
        "perhaps_twice": sql_cast(literal_column("false", Boolean), Boolean),
    }
    people = select(*values.values()).select_from(customers).where(MAY_BE_WRITTEN_TO, *_chosen(shape))
    return Query(insert(campaign_recipients).from_select(list(values), people.order_by(customers.c.id)))


_COUNT_FIXED = Query(
    select(func.count())
    .select_from(campaign_recipients)
    .where(campaign_recipients.c.campaign_id == bindparam("campaign"))
)


async def preview(tx: Transaction, audience: Audience) -> Preview:
    """Who a campaign would reach now, and who is excluded and why; each is counted once."""
    shape, values = _asked(audience)
    ((everyone, total, blocked, unreached, bounced),) = await tx.all(_counts(shape), **values)
    sample = [row[:3] for row in await tx.all(_sample(shape), size=SAMPLE, **values)]
    excluded: dict[Exclusion, int] = {
        "blocked": blocked,
        "bounced": bounced,
        "unsubscribed": unreached - bounced,
        "not_opted_in": everyone - total - blocked - unreached,
    }
    return Preview(total, excluded, sample)


async def someone(tx: Transaction, audience: Audience) -> Reader | None:
    """One of the current recipients of a campaign; None if there are none."""
    shape, values = _asked(audience)
    rows = await tx.run_slow(_sample(shape), size=1, **values)
    return Reader(*rows[0]) if rows else None


async def fix(tx: Transaction, campaign_id: int, audience: Audience, now: Instant) -> int:
    """Fixes the list of recipients in one statement; returns how many."""
    shape, values = _asked(audience)
    await tx.run_slow(_fix(shape), campaign=campaign_id, now=now, **values)
    ((count,),) = await tx.run_slow(_COUNT_FIXED, campaign=campaign_id)
    return int(count)


def _chosen(shape: frozenset[str]) -> list[Any]:
    return [_FILTERS[name] for name in sorted(shape)]


def _asked(audience: Audience) -> tuple[frozenset[str], dict[str, Any]]:
    arguments: dict[str, Any] = {}
    if audience.type == "customers":
        arguments["customer_ids"] = audience.customer_ids
    if audience.type == "segment":
        values = msgspec.structs.asdict(audience.filters)
        arguments |= {name: value for name, value in values.items() if value is not None}
        if arguments.get("is_referrer") is False:
            arguments["is_no_referrer"] = arguments.pop("is_referrer")
    values = {
        f"wanted_{name}": msgspec.json.encode(value).decode() if name in _LISTS else value
        for name, value in arguments.items()
    }
    return frozenset(arguments), values
