"""What players and staff quote as a whole: ids, codes, IP addresses and devices. Each is found by an index."""

from __future__ import annotations

from sqlalchemy import BigInteger, Text, bindparam, func, select

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import coupons, customers, gift_cards, orders, sightings, subscriptions

_TERM = bindparam("term", type_=Text)
_SIZE = bindparam("size", type_=BigInteger)
_BY_ID = (
    Query(select(customers.c.id).where(customers.c.external_id == _TERM)),
    Query(select(subscriptions.c.customer_id).where(subscriptions.c.external_id == _TERM)),
)
_BY_USERNAME = Query(select(customers.c.id).where(func.lower(customers.c.username) == func.lower(_TERM)).limit(_SIZE))
_BY_CODE = (
    Query(select(customers.c.id).where(customers.c.referral_code == _TERM)),
    Query(select(coupons.c.customer_id).where(coupons.c.code == _TERM, coupons.c.customer_id.is_not(None))),
)
_SEEN = Query(
    select(sightings.c.customer_id)
    .where(sightings.c.kind == bindparam("seen_kind"), sightings.c.value == _TERM)
    .order_by(sightings.c.last_seen_at.desc())
    .limit(_SIZE)
)
_ORDERS_WITH_COUPON = Query(
    select(orders.c.id).where(orders.c.coupon_code == _TERM).order_by(orders.c.created_at.desc()).limit(_SIZE)
)
_ORDERS_FROM = Query(
    select(orders.c.id).where(orders.c.ip_network == _TERM).order_by(orders.c.created_at.desc()).limit(_SIZE)
)
_CARD = Query(select(gift_cards.c.id).where(gift_cards.c.code_hash == _TERM))


async def customer_ids(tx: Transaction, term: str, code: str, traces: dict[str, str], size: int) -> set[int]:
    """By external id, user name, subscription, referral or coupon code, IP address or device."""
    matches = {row[0] for query in _BY_ID for row in await tx.all(query, term=term)}
    matches |= {row[0] for row in await tx.all(_BY_USERNAME, term=term, size=size)}
    matches |= {row[0] for query in _BY_CODE for row in await tx.all(query, term=code)}
    for kind, value in traces.items():
        matches |= {row[0] for row in await tx.all(_SEEN, seen_kind=kind, term=value, size=size)}
    return matches


async def order_ids(tx: Transaction, code: str, network: str | None, size: int) -> set[int]:
    """By coupon code or IP address."""
    matches = {row[0] for row in await tx.all(_ORDERS_WITH_COUPON, term=code, size=size)}
    if network is not None:
        matches |= {row[0] for row in await tx.all(_ORDERS_FROM, term=network, size=size)}
    return matches


async def gift_card_ids(tx: Transaction, code_hash: str) -> set[int]:
    return {row[0] for row in await tx.all(_CARD, term=code_hash)}
