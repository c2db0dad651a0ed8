"""Accounts linked by device, address, mailbox, instrument or referral: a bounded walk along indexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import BigInteger, Text, bindparam, cast, exists, literal_column, select

from lootkeep.domain.fraud.linked import (
    MAX_ACCOUNTS,
    MAX_DEPTH,
    MAX_HUB,
    AccountLink,
    Hub,
    LinkedAccount,
    LinkedAccounts,
)
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, labels, referrals, sightings

# The limit for one account: a bot may leave thousands.
_MAX_THINGS = 20

_ID = bindparam("customer", type_=BigInteger)
_REFERRAL = literal_column("'referral'", Text).label("kind")


def _has_label(kind: str) -> Any:
    return exists().where(
        labels.c.kind == literal_column(f"'{kind}'", Text), labels.c.value == cast(customers.c.id, Text)
    )


_ACCOUNT = Query(
    select(
        *(customers.c[name] for name in ("id", "name", "status", "orders_count", "total_spent")),
        _has_label("customer").label("is_fraud"),
        _has_label("disputed").label("is_disputed"),
    ).where(customers.c.id == _ID)
)
_THINGS = Query(
    select(sightings.c.customer_id, sightings.c.kind, sightings.c.value)
    .where(sightings.c.customer_id == _ID)
    .order_by(sightings.c.last_seen_at.desc(), sightings.c.kind, sightings.c.value)
    .limit(_MAX_THINGS + 1)
)
_SEEN = Query(
    select(
        *(sightings.c[name] for name in ("kind", "value", "customer_id", "first_seen_at", "last_seen_at")),
    )
    .where(sightings.c.kind == bindparam("thing"), sightings.c.value == bindparam("seen_with"))
    .order_by(sightings.c.last_seen_at.desc())
    .limit(MAX_HUB + 1)
)
# A referral is a value like others: the id of the referrer.
_REFERRERS = Query(
    select(_REFERRAL, cast(referrals.c.referrer_id, Text).label("value")).where(referrals.c.customer_id == _ID)
)
_BROUGHT = Query(
    select(
        _REFERRAL,
        cast(referrals.c.referrer_id, Text).label("value"),
        referrals.c.customer_id,
        referrals.c.referred_at,
        referrals.c.referred_at.label("last_seen_at"),
    )
    .where(referrals.c.referrer_id == _ID)
    .order_by(referrals.c.referred_at)
    .limit(MAX_HUB)
)


async def walk(tx: Transaction, customer_id: int) -> LinkedAccounts:
    """From the customer outwards, nearest first."""
    depths = {customer_id: 0}
    things: set[tuple[str, str]] = set()
    edges: list[AccountLink] = []
    hubs: list[Hub] = []
    is_complete = True
    frontier = [customer_id]
    for depth in range(1, MAX_DEPTH + 1):
        found, has_all = await _things(tx, frontier)
        is_complete = is_complete and has_all
        new = found - things
        things |= new
        frontier = []
        for kind, value in sorted(new):
            shared = [AccountLink(*row) for row in await _seen(tx, kind, value)]
            if len(shared) > MAX_HUB:
                hubs.append(Hub(kind, value))  # type: ignore[arg-type]  # as the table has it
                continue
            if len(shared) < 2:
                continue
            others = {edge.customer_id for edge in shared} - depths.keys()
            room = MAX_ACCOUNTS - len(depths)
            is_complete = is_complete and len(others) <= room
            new_accounts = sorted(others)[:room]
            depths |= dict.fromkeys(new_accounts, depth)
            frontier += new_accounts
            edges += [edge for edge in shared if edge.customer_id in depths]
    return LinkedAccounts(await _accounts(tx, depths), edges, hubs, is_complete)


async def _things(tx: Transaction, customer_ids: Collection[int]) -> tuple[set[tuple[str, str]], bool]:
    """The traces of these accounts, and whether they are complete."""
    wanted: list[dict[str, Any]] = [{"customer": customer_id} for customer_id in customer_ids]
    if not wanted:
        return set(), True
    seen = await tx.fetch_for_each(_THINGS, wanted)
    most = max(Counter(customer_id for customer_id, _, _ in seen).values(), default=0)
    things = {(kind, value) for _, kind, value in seen} | {
        ("referral", str(customer_id)) for customer_id in customer_ids
    }
    things |= {(kind, value) for kind, value in await tx.fetch_for_each(_REFERRERS, wanted)}
    return things, most <= _MAX_THINGS


async def _seen(tx: Transaction, kind: str, value: str) -> list[Any]:
    if kind == "referral":
        brought = await tx.all(_BROUGHT, customer=int(value))
        # The referrer is one of them, starting with the first referral.
        return [(kind, value, int(value), *brought[0][3:]), *brought] if brought else []
    return await tx.all(_SEEN, thing=kind, seen_with=value)


async def _accounts(tx: Transaction, depths: dict[int, int]) -> list[LinkedAccount]:
    rows: Iterable[Any] = await tx.fetch_for_each(_ACCOUNT, [{"customer": customer_id} for customer_id in depths])
    accounts = [
        LinkedAccount(
            id=row[0],
            name=row[1],
            status=row[2],
            orders_count=row[3],
            total_spent=row[4],
            is_fraud=bool(row[5]),
            is_disputed=bool(row[6]),
            depth=depths[row[0]],
        )
        for row in rows
    ]
    return sorted(accounts, key=lambda account: (account.depth, account.id))
