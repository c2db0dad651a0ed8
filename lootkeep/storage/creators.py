"""Creators and their ledgers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import BigInteger, Text, and_, bindparam, case, cast, exists, func, or_, select

from lootkeep.domain.creators import Balance, Creator, CreatorAccount, CreatorEntry
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import coupons
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsListed
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import equals
from lootkeep.storage.lists import Listing, Sort
from lootkeep.storage.rows import Rows
from lootkeep.storage.schema import creator_entries as entries, creators, sightings

ROWS = Rows(creators, Creator, key_share=True)
ENTRIES = Rows(entries, CreatorEntry, totals="creator entries")
LISTING = Listing(creators, Creator, {}, {"created_at": Sort(creators.c.created_at)})
LEDGER = Listing(
    entries,
    CreatorEntry,
    {"creator_id": equals(entries.c.creator_id, "creator_id")},
    {"created_at": Sort(entries.c.created_at)},
)

_is_payout = entries.c.type == "payout"
_is_held = entries.c.available_at > bindparam("now", type_=BigInteger)


def _sum(condition: Any) -> Any:
    return cast(func.coalesce(func.sum(case((condition, entries.c.amount), else_=0)), 0), BigInteger)


_FIGURES = Query(
    select(
        entries.c.creator_id,
        entries.c.currency,
        _sum(_is_held),
        _sum(~_is_held),
        _sum(_is_payout),
        cast(func.sum(case((entries.c.type == "commission", 1), else_=0)), BigInteger),
    )
    .where(IsListed(entries.c.creator_id, bindparam("ids", type_=Text)))
    .group_by(entries.c.creator_id, entries.c.currency)
    .order_by(entries.c.creator_id, entries.c.currency)
)
_of_creator = sightings.alias("of_creator")
_of_buyer = sightings.alias("of_buyer")
# Households share addresses, so these say nothing.
_SHARED = Query(
    select(_of_creator.c.kind)
    .where(
        _of_creator.c.customer_id == bindparam("creator"),
        _of_creator.c.kind != "address",
        or_(
            and_(_of_creator.c.kind == "instrument", _of_creator.c.value == bindparam("paid_with", type_=Text)),
            exists().where(
                _of_buyer.c.customer_id == bindparam("buyer"),
                _of_buyer.c.kind == _of_creator.c.kind,
                _of_buyer.c.value == _of_creator.c.value,
            ),
        ),
    )
    .limit(1)
)


async def accounts(tx: Transaction, owners: Sequence[Creator], now: Instant) -> list[CreatorAccount]:
    """Each with the code, the balance in every currency, and how many orders earned something."""
    codes = await coupons.ROWS.get_many(tx, [creator.coupon_id for creator in owners])
    ids = msgspec.json.encode(sorted(creator.id for creator in owners)).decode()
    balances: defaultdict[int, list[Balance]] = defaultdict(list)
    counts = Counter[int]()
    for creator_id, currency, later, due, payouts, orders in await tx.all(_FIGURES, ids=ids, now=now):
        balances[creator_id].append(Balance(currency, Hundredths(later), Hundredths(due), Hundredths(-payouts)))
        counts[creator_id] += orders
    return [CreatorAccount(it, codes[it.coupon_id], balances[it.id], counts[it.id]) for it in owners]


async def share_trace(tx: Transaction, creator_customer: int, buyer: int, instrument: str | None) -> bool:
    """Whether the two accounts were seen with one mailbox, device, payment method or player."""
    return bool(await tx.all(_SHARED, creator=creator_customer, buyer=buyer, paid_with=instrument))
