"""What was handed over for the paid lines of orders, or of all orders of a customer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Text, bindparam, select, update

from lootkeep.domain.commands import Command
from lootkeep.domain.goods import LineGoods, OwnedCard, ProductKey, ServerCommand
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsListed
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import (
    commands,
    gift_cards as cards,
    order_items as items,
    orders,
    product_keys as keys,
    products,
    servers,
    subscriptions,
)

_TO_ITEM = len(Order.__struct_fields__)
_OTHER = (products.c.file_url, subscriptions.c.ends_at)


class _Queries:
    """The paid lines of some orders, newest first, their keys, gift cards and commands."""

    def __init__(self, condition: Any) -> None:
        is_paid = (condition, orders.c.paid_at.is_not(None))
        self.lines = Query(
            select(*columns_of(orders, Order), *columns_of(items, OrderItem), *_OTHER)
            .select_from(orders)
            .join(items, items.c.order_id == orders.c.id)
            .join(products, products.c.id == items.c.product_id)
            .outerjoin(subscriptions, subscriptions.c.id == orders.c.subscription_id)
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
        self.commands = Query(
            select(*columns_of(commands, Command), servers.c.name)
            .join(orders, orders.c.id == commands.c.order_id)
            .join(servers, servers.c.id == commands.c.server_id)
            .where(*is_paid)
            .order_by(commands.c.id),
            lambda *values: ServerCommand(Command(*values[:-1]), values[-1]),
        )


_OF_ORDER = _Queries(orders.c.id == bindparam("owner"))
_OF_CUSTOMER = _Queries(orders.c.customer_id == bindparam("owner"))
_OF_ORDERS = _Queries(IsListed(orders.c.id, bindparam("owner", type_=Text)))
_HAND = Query(
    update(items)
    .where(items.c.id == bindparam("item"), items.c.handed_at.is_(None))
    .values(handed_at=bindparam("now")),
    set_based=True,
)


async def of_order(tx: Transaction, order_id: int) -> list[LineGoods]:
    return await _lines(tx, _OF_ORDER, order_id)


async def of_customer(tx: Transaction, customer_id: int) -> list[LineGoods]:
    return await _lines(tx, _OF_CUSTOMER, customer_id)


async def of_orders(tx: Transaction, order_ids: Collection[int]) -> list[LineGoods]:
    return await _lines(tx, _OF_ORDERS, msgspec.json.encode(sorted(order_ids)).decode())


async def mark_handed(tx: Transaction, item_ids: Collection[int], now: Instant) -> None:
    """The store has read what was delivered for these lines."""
    await tx.execute_many(_HAND, [{"item": item_id, "now": now} for item_id in sorted(item_ids)])


async def _lines(tx: Transaction, queries: _Queries, owner: int | str) -> list[LineGoods]:
    """Only what the lines are delivered by is read."""
    rows = [
        (Order(*values[:_TO_ITEM]), OrderItem(*values[_TO_ITEM:]), file_url, ends_at)
        for *values, file_url, ends_at in await tx.all(queries.lines, owner=owner)
    ]
    kinds = {item.delivery_type for _, item, _, _ in rows}
    of_item: dict[int, list[ProductKey]] = defaultdict(list)
    for key in await tx.all(queries.keys, owner=owner) if "keys" in kinds else ():
        of_item[key.item_id or 0].append(key)
    bought: dict[int, list[OwnedCard]] = defaultdict(list)
    for card in await tx.all(queries.cards, owner=owner) if "gift_card" in kinds else ():
        bought[card.order_id].append(card)
    queued: dict[int, list[ServerCommand]] = defaultdict(list)
    for it in await tx.all(queries.commands, owner=owner) if "command" in kinds else ():
        queued[it.command.item_id].append(it)
    lines: list[LineGoods] = []
    for order, item, file_url, ends_at in rows:
        own: list[OwnedCard] = []
        if item.delivery_type == "gift_card":
            # Cards are issued line by line.
            own, bought[order.id] = bought[order.id][: item.quantity], bought[order.id][item.quantity :]
        lines.append(LineGoods(order, item, of_item[item.id], own, queued[item.id], file_url, ends_at))
    return lines
