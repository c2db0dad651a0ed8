"""What was handed over for the paid lines of an order, or of all orders of a customer."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import bindparam, select, update

from lootkeep.domain.goods import LineGoods, OwnedCard, ProductKey
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import gift_cards as cards, order_items as items, orders, product_keys as keys, products

_TO_ITEM = len(Order.__struct_fields__)


class _Queries:
    """The paid lines of some orders, newest first, their keys and their gift cards."""

    def __init__(self, condition: Any) -> None:
        is_paid = (condition, orders.c.paid_at.is_not(None))
        self.lines = Query(
            select(*columns_of(orders, Order), *columns_of(items, OrderItem), products.c.file_url)
            .select_from(orders)
            .join(items, items.c.order_id == orders.c.id)
            .join(products, products.c.id == items.c.product_id)
            .where(*is_paid)
            .order_by(orders.c.id.desc(), items.c.id)
        )
        self.keys = Query(
            select(*columns_of(keys, ProductKey))
            .join(orders, orders.c.id == keys.c.order_id)
            .where(*is_paid)
            .order_by(keys.c.id),
            ProductKey,
        )
        self.cards = Query(
            select(*columns_of(cards, OwnedCard))
            .join(orders, orders.c.id == cards.c.order_id)
            .where(*is_paid)
            .order_by(cards.c.id),
            OwnedCard,
        )


_OF_ORDER = _Queries(orders.c.id == bindparam("owner"))
_OF_CUSTOMER = _Queries(orders.c.customer_id == bindparam("owner"))
_HAND = Query(
    update(items)
    .where(items.c.order_id == bindparam("order"), items.c.fulfilled_quantity > 0, items.c.handed_at.is_(None))
    .values(handed_at=bindparam("now"))
)


async def of_order(tx: Transaction, order_id: int) -> list[LineGoods]:
    return await _lines(tx, _OF_ORDER, order_id)


async def of_customer(tx: Transaction, customer_id: int) -> list[LineGoods]:
    return await _lines(tx, _OF_CUSTOMER, customer_id)


async def mark_handed(tx: Transaction, order_id: int, now: Instant) -> None:
    """The store has read what was delivered."""
    await tx.run(_HAND, order=order_id, now=now)


async def _lines(tx: Transaction, queries: _Queries, owner: int) -> list[LineGoods]:
    of_item: dict[int, list[ProductKey]] = defaultdict(list)
    for key in await tx.all(queries.keys, owner=owner):
        of_item[key.item_id or 0].append(key)
    bought: dict[int, list[OwnedCard]] = defaultdict(list)
    for card in await tx.all(queries.cards, owner=owner):
        bought[card.order_id].append(card)
    lines: list[LineGoods] = []
    for *values, file_url in await tx.all(queries.lines, owner=owner):
        order, item = Order(*values[:_TO_ITEM]), OrderItem(*values[_TO_ITEM:])
        own: list[OwnedCard] = []
        if item.delivery_type == "gift_card":
            # Cards are issued line by line.
            own, bought[order.id] = bought[order.id][: item.quantity], bought[order.id][item.quantity :]
        lines.append(LineGoods(order, item, of_item[item.id], own, file_url))
    return lines
