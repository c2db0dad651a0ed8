"""The referral program as it is listed and ranked: each page costs the same, however long the list is."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Integer, Select, bindparam, func, literal_column, select

from lootkeep.domain.customers import folded
from lootkeep.domain.referrals import (
    ClaimEntry,
    ReferralEntry,
    ReferralStatus,
    RefusedEntry,
    RewardEvent,
    TopReferrer,
)
from lootkeep.kernel.paging import Page
from lootkeep.storage import counters
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import SHORTEST_INDEXED_TERM, Contains, ContainsShort, Unindexed
from lootkeep.storage.query import Query
from lootkeep.storage.referrals import COUNTER
from lootkeep.storage.tables import (
    coupons,
    customers,
    referral_tiers,
    referrals,
    referrers,
    refused_referrals,
    reward_claims,
)

_brought_by = customers.alias("brought_by")
_NEWEST = (referrals.c.referred_at.desc(), referrals.c.customer_id.desc())
# Skipping so many index entries is cheaper than looking up where to start.
_FEW = 1000


@cache
def page_query(by_status: bool, *, until: bool) -> Query[ReferralEntry]:
    keys = select(referrals.c.customer_id)
    if by_status:
        keys = keys.where(referrals.c.status == bindparam("wanted"))
    if until:
        keys = keys.where(referrals.c.referred_at < bindparam("end"))
    return _entries(keys)


@cache
def search_query(by_status: bool, is_short: bool) -> Query[ReferralEntry]:
    return _entries(_matching(select(referrals.c.customer_id), by_status, is_short))


@cache
def search_total_query(by_status: bool, is_short: bool) -> Query[tuple[Any, ...]]:
    return Query(_matching(select(func.count()), by_status, is_short))


def _entries(keys: Select[Any]) -> Query[ReferralEntry]:
    """The page is cut from the keys alone; only its rows are joined."""
    page = keys.order_by(*_NEWEST).limit(bindparam("size")).offset(bindparam("skip")).subquery()
    return Query(
        select(
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
        )
        .select_from(page)
        .join(referrals, referrals.c.customer_id == page.c.customer_id)
        .join(customers, customers.c.id == referrals.c.customer_id)
        .join(_brought_by, _brought_by.c.id == referrals.c.referrer_id)
        .order_by(*_NEWEST),
        ReferralEntry,
    )


def _matching(query: Select[Any], by_status: bool, is_short: bool) -> Select[Any]:
    contains = ContainsShort if is_short else Contains
    query = query.select_from(referrals).join(customers, customers.c.id == referrals.c.customer_id)
    query = query.where(contains(customers.c.search_text, bindparam("term", type_=customers.c.search_text.type)))
    return query.where(Unindexed(referrals.c.status) == bindparam("wanted")) if by_status else query


async def page(tx: Transaction, asked: Page, status: ReferralStatus | None) -> tuple[list[ReferralEntry], int]:
    """A page of the list, newest first, and how many there are in all."""
    kept = await counters.totals(tx, COUNTER)
    total = sum(kept.values()) if status is None else kept.get(status, 0)
    wanted = {} if status is None else {"wanted": status}
    if asked.offset >= total:
        return [], total
    if asked.offset < _FEW:
        query = page_query(status is not None, until=False)
        return await tx.all(query, size=asked.size, skip=asked.offset, **wanted), total
    names = [COUNTER + name for name in kept if status in (None, name)]
    total, place = await counters.place(tx, names, asked.offset)
    if place is None:
        return [], total
    query = page_query(status is not None, until=True)
    return await tx.all(query, size=asked.size, skip=place.skip, end=place.end, **wanted), total


async def search(
    tx: Transaction, asked: Page, status: ReferralStatus | None, term: str
) -> tuple[list[ReferralEntry], int]:
    """The same for referrals whose name or e-mail contains the term, whatever its case."""
    term = folded(term)
    shape = (status is not None, len(term) < SHORTEST_INDEXED_TERM)
    wanted = {"term": term} if status is None else {"term": term, "wanted": status}
    found = await tx.one(search_total_query(*shape), **wanted)
    total = int(found[0]) if found else 0
    if asked.offset >= total:
        return [], total
    return await tx.all(search_query(*shape), size=asked.size, skip=asked.offset, **wanted), total


@cache
def ranking_query(size: int, *order: str) -> Query[TopReferrer]:
    """The head of an index over kept counts; `-` before a name is descending.

    The size is written out: PostgreSQL takes a LIMIT it does not know for a tenth of the table, finds that dear, and
    so plans a query of a large store anew each time.
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

_claims_page = (
    select(reward_claims.c.id)
    .order_by(reward_claims.c.claimed_at.desc(), reward_claims.c.id.desc())
    .limit(bindparam("size"))
    .offset(bindparam("skip"))
    .subquery()
)
CLAIMS = Query(
    select(
        reward_claims.c.id,
        reward_claims.c.claimed_at,
        customers.c.id.label("customer_id"),
        customers.c.name.label("customer_name"),
        customers.c.email.label("customer_email"),
        referral_tiers.c.id.label("tier_id"),
        referral_tiers.c.name.label("tier_name"),
        referral_tiers.c.referrals_required,
        coupons.c.id.label("coupon_id"),
        coupons.c.code.label("coupon_code"),
        coupons.c.status.label("coupon_status"),
    )
    .select_from(_claims_page)
    .join(reward_claims, reward_claims.c.id == _claims_page.c.id)
    .join(customers, customers.c.id == reward_claims.c.customer_id)
    .join(referral_tiers, referral_tiers.c.id == reward_claims.c.tier_id)
    .join(coupons, coupons.c.id == reward_claims.c.coupon_id)
    .order_by(reward_claims.c.claimed_at.desc(), reward_claims.c.id.desc()),
    ClaimEntry,
)

_refused_page = (
    select(refused_referrals)
    .order_by(refused_referrals.c.id.desc())
    .limit(bindparam("size"))
    .offset(bindparam("skip"))
    .subquery()
)
REFUSED = Query(
    select(
        _refused_page.c.id,
        _refused_page.c.reason,
        _refused_page.c.created_at,
        customers.c.id.label("customer_id"),
        customers.c.name.label("customer_name"),
        customers.c.email.label("customer_email"),
        _brought_by.c.id.label("referrer_id"),
        _brought_by.c.name.label("referrer_name"),
        _brought_by.c.email.label("referrer_email"),
    )
    .select_from(_refused_page)
    .join(customers, customers.c.id == _refused_page.c.customer_id)
    .join(_brought_by, _brought_by.c.id == _refused_page.c.referrer_id)
    .order_by(_refused_page.c.id.desc()),
    RefusedEntry,
)


async def leaderboard(tx: Transaction, event: RewardEvent, size: int) -> list[TopReferrer]:
    return await tx.all(ranking_query(size, *LEADERBOARDS[event]))


async def top_referrers(tx: Transaction, size: int) -> list[TopReferrer]:
    return await tx.all(ranking_query(size, *TOP_REFERRERS))


async def claims(tx: Transaction, asked: Page) -> tuple[list[ClaimEntry], int]:
    total = (await counters.totals(tx, "claims.")).get("made", 0)
    return await tx.all(CLAIMS, size=asked.size, skip=asked.offset), total


async def refused(tx: Transaction, asked: Page) -> tuple[list[RefusedEntry], int]:
    total = (await counters.totals(tx, "refused_referrals.")).get("made", 0)
    return await tx.all(REFUSED, size=asked.size, skip=asked.offset), total
