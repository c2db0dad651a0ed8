"""Lists and rankings of the referral program."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from sqlalchemy import Integer, literal_column, select

from lootkeep.domain.referrals import ClaimEntry, ReferralEntry, ReferralStatus, RefusedEntry, RewardEvent, TopReferrer
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import Filter, contains, contains_short, equals_each, subquery
from lootkeep.storage.lists import Counted, Join, Listing, Sort, Values
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import (
    coupons,
    customers,
    referral_tiers,
    referrals,
    referrers,
    refused_referrals,
    reward_claims,
)

_brought_by = customers.alias("brought_by")


def _of_customers(customer: Filter) -> Filter:
    return subquery(referrals.c.customer_id, select(customers.c.id).where(customer.clause(is_indexed=True)))


def _counters(values: Values) -> list[str]:
    return ["referrals." + status for status in get_args(ReferralStatus) if values.get("status", status) == status]


REFERRALS = Listing(
    referrals,
    ReferralEntry,
    {
        "search": _of_customers(contains(customers.c.search_text)),
        "search_masked": _of_customers(contains(customers.c.search_text, "search_masked")),
        "search_short": _of_customers(contains_short(customers.c.search_text)),
        "search_short_masked": _of_customers(contains_short(customers.c.search_text, "search_short_masked")),
        **equals_each(referrals, "referrer_id", "status"),
    },
    {"created_at": Sort(referrals.c.referred_at)},
    Counted(_counters, {"status"}),
    columns=(
        referrals.c.customer_id,
        customers.c.name,
        customers.c.email,
        referrals.c.referred_at,
        referrals.c.status,
        referrals.c.first_order_at,
        referrals.c.referrer_id,
        _brought_by.c.name.label("referrer_name"),
        _brought_by.c.email.label("referrer_email"),
        _brought_by.c.referral_code,
    ),
    joins=(
        Join(customers, customers.c.id == referrals.c.customer_id),
        Join(_brought_by, _brought_by.c.id == referrals.c.referrer_id),
    ),
)

CLAIMS = Listing(
    reward_claims,
    ClaimEntry,
    {},
    {"created_at": Sort(reward_claims.c.claimed_at)},
    Counted(lambda _: ["claims.made"]),
    columns=columns_of(reward_claims, ClaimEntry, customer=customers, tier=referral_tiers, coupon=coupons),
    joins=(
        Join(customers, customers.c.id == reward_claims.c.customer_id),
        Join(referral_tiers, referral_tiers.c.id == reward_claims.c.tier_id),
        Join(coupons, coupons.c.id == reward_claims.c.coupon_id),
    ),
)

REFUSED = Listing(
    refused_referrals,
    RefusedEntry,
    {},
    {"created_at": Sort(refused_referrals.c.id)},
    Counted(lambda _: ["refused_referrals.made"]),
    columns=columns_of(refused_referrals, RefusedEntry, customer=customers, referrer=_brought_by),
    joins=(
        Join(customers, customers.c.id == refused_referrals.c.customer_id),
        Join(_brought_by, _brought_by.c.id == refused_referrals.c.referrer_id),
    ),
)


@cache
def ranking_query(size: int, *order: str) -> Query[TopReferrer]:
    """The head of an index over maintained counts; `-` before a name is descending.

    The size is written out: PostgreSQL assumes an unknown LIMIT to be a tenth of the table, too expensive, and
    so plans a query of a large store again each time.
    """

    def ordered(columns: Any) -> list[Any]:
        return [columns[name[1:]].desc() if name.startswith("-") else columns[name] for name in order]

    head = select(referrers).order_by(*ordered(referrers.c)).limit(literal_column(str(size), Integer)).subquery()
    return Query(
        select(
            customers.c.id,
            customers.c.name,
            customers.c.email,
            customers.c.referral_code,
            head.c.total_referrals,
            head.c.successful_referrals,
            head.c.rewards_claimed,
        )
        .select_from(head)
        .join(customers, customers.c.id == head.c.customer_id)
        .order_by(*ordered(head.c)),
        TopReferrer,
    )


LEADERBOARDS: dict[RewardEvent, tuple[str, ...]] = {
    "signup": ("-total_referrals", "total_reached_at", "customer_id"),
    "first_purchase": ("-successful_referrals", "successful_reached_at", "customer_id"),
}
TOP_REFERRERS = ("-successful_referrals", "-total_referrals", "customer_id")


async def leaderboard(tx: Transaction, event: RewardEvent, size: int) -> list[TopReferrer]:
    return await tx.all(ranking_query(size, *LEADERBOARDS[event]))


async def top_referrers(tx: Transaction, size: int) -> list[TopReferrer]:
    return await tx.all(ranking_query(size, *TOP_REFERRERS))
