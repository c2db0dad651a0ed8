"""Locks everything that a decision on orders changes, table by table, in the order of docs/architecture.md."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Text, bindparam, select, union

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsListed
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import (
    coupons,
    customers,
    gift_card_entries,
    gift_cards,
    order_items as items,
    orders,
    products,
    referrals,
    referrers,
)
from lootkeep.storage.schema.gift_cards import TENDER

_IDS = bindparam("ids", type_=Text)
_ORDERS = IsListed(orders.c.id, _IDS)
_OF_ORDERS = IsListed(items.c.order_id, _IDS)
_buyers = select(orders.c.customer_id).where(_ORDERS)
_with_a_stock = select(items.c.product_id).where(_OF_ORDERS, items.c.holds_stock)
# Those that paid, and those that were bought: what a fraud bought is revoked.
_cards = union(
    select(gift_card_entries.c.gift_card_id).where(IsListed(gift_card_entries.c.order_id, _IDS), TENDER),
    select(gift_cards.c.id).where(IsListed(gift_cards.c.order_id, _IDS)),
)
_coupons = select(orders.c.coupon_id).where(_ORDERS)
_referrers = select(referrals.c.referrer_id).where(referrals.c.customer_id.in_(_buyers))


def _lock(key: Any, condition: Any) -> Query[Any]:
    """Locked as by an UPDATE, so rows that only refer to it can be added meanwhile."""
    return Query(select(key).where(condition).order_by(key).with_for_update(key_share=True))


_ORDER_ROWS = _lock(orders.c.id, _ORDERS)
_CARDS = _lock(gift_cards.c.id, gift_cards.c.id.in_(_cards))
_COUPONS = _lock(coupons.c.id, coupons.c.id.in_(_coupons))
_STOCKS = _lock(products.c.id, products.c.id.in_(_with_a_stock))
_REFERRALS = (
    _lock(referrals.c.customer_id, referrals.c.customer_id.in_(_buyers)),
    _lock(referrers.c.customer_id, referrers.c.customer_id.in_(_referrers)),
)
_OF_CANCELLING = (
    _ORDER_ROWS,
    _CARDS,
    # A fraud takes back the referral of a paid order.
    *_REFERRALS,
    _COUPONS,
    _STOCKS,
)
_OF_PAYING = (
    _ORDER_ROWS,
    # A lost dispute outlasts the decision.
    _CARDS,
    _lock(customers.c.id, customers.c.id.in_(_buyers)),
    *_REFERRALS,
    _COUPONS,
    _STOCKS,
    _lock(products.c.id, products.c.id.in_(select(items.c.product_id).where(_OF_ORDERS))),
)


async def for_cancelling(tx: Transaction, order_ids: Collection[int]) -> None:
    await _run(tx, _OF_CANCELLING, order_ids)


async def for_paying(tx: Transaction, order_ids: Collection[int]) -> None:
    await _run(tx, _OF_PAYING, order_ids)


async def _run(tx: Transaction, queries: Collection[Query[Any]], order_ids: Collection[int]) -> None:
    ids = msgspec.json.encode(sorted(order_ids)).decode()
    for query in queries:
        await tx.all(query, ids=ids)
