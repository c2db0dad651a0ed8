"""The goods of a customer page by page: which pieces a page holds, and how many there are."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Select, Text, and_, bindparam, case, func, literal_column, or_, select, union_all

from lootkeep.domain.goods import Piece, PieceKind
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.paging import PageRequest
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import (
    commands,
    gift_cards as cards,
    order_items as items,
    orders,
    product_keys as keys,
    subscriptions,
)
from lootkeep.storage.schema.servers import IS_DELIVERING

_IS_PAID = (orders.c.customer_id == bindparam("customer"), orders.c.paid_at.is_not(None))
_IS_WHOLE = items.c.fulfilled_quantity == items.c.quantity
_IS_KEPT = orders.c.status != "refunded"
_HAS_DAYS_LEFT = or_(
    items.c.valid_days.is_(None),
    items.c.delivered_at.is_(None),
    items.c.delivered_at + items.c.valid_days * DAY > bindparam("now"),
)
_ended = select(subscriptions.c.id).where(
    subscriptions.c.id == orders.c.subscription_id, subscriptions.c.ends_at <= bindparam("now")
)
_IS_VALID = and_(_HAS_DAYS_LEFT, or_(items.c.delivery_type != "command", ~_ended.exists()))


def _pieces(kind: PieceKind, piece_id: Any, is_active: Any) -> Select[Any]:
    """Of the customer's paid lines."""
    piece = (literal_column(f"'{kind}'", Text).label("kind"), piece_id.label("piece_id"))
    lines = select(orders.c.id.label("order_id"), items.c.id.label("item_id"), *piece, is_active.label("is_active"))
    return lines.select_from(orders).join(items, items.c.order_id == orders.c.id).where(*_IS_PAID)


def _done() -> Any:
    """The commands that were done, and those that they repeat."""
    of_customer = commands.c.customer_id == bindparam("customer")
    done = select(commands.c.id, commands.c.resent_from_id).where(of_customer, commands.c.status == "done")
    all_done = done.cte("done", recursive=True)
    is_repeated = commands.c.id == all_done.c.resent_from_id
    return all_done.union(select(commands.c.id, commands.c.resent_from_id).join(all_done, is_repeated))


def _goods() -> Any:
    """What `goods_of` makes of them: one row for each key, gift card and command, and for the rest of a line."""
    other, done = items.alias(), _done()
    is_card = other.c.delivery_type == "gift_card"
    first_card = select(func.min(other.c.id)).where(other.c.order_id == orders.c.id, is_card).scalar_subquery()
    room = select(func.sum(other.c.quantity)).where(other.c.order_id == orders.c.id, is_card, other.c.id <= items.c.id)
    issued = select(func.count()).select_from(cards).where(cards.c.order_id == orders.c.id)
    assigned = select(func.count()).where(keys.c.item_id == items.c.id, keys.c.status != "replaced")
    sent = select(commands.c.id).where(commands.c.item_id == items.c.id, IS_DELIVERING)
    has_rest = case(
        (items.c.delivery_type == "keys", assigned.scalar_subquery() < items.c.quantity),
        (items.c.delivery_type == "gift_card", issued.scalar_subquery() < room.scalar_subquery()),
        (items.c.delivery_type == "command", ~sent.exists()),
        else_=literal_column("1") == literal_column("1"),
    )
    is_usable = and_(keys.c.status != "replaced", keys.c.status != "revoked")
    is_running = or_(cards.c.expires_at.is_(None), cards.c.expires_at > bindparam("now"))
    is_given = and_(_IS_KEPT, _IS_VALID, or_(_IS_WHOLE, commands.c.id.in_(select(done.c.id))))
    return union_all(
        _pieces("key", keys.c.id, and_(is_usable, _IS_VALID)).join(keys, keys.c.item_id == items.c.id),
        # Cards belong to an order, and are issued line by line.
        _pieces("gift_card", cards.c.id, and_(cards.c.revoked_at.is_(None), is_running))
        .join(cards, cards.c.order_id == orders.c.id)
        .where(items.c.id == first_card),
        _pieces("command", commands.c.id, is_given)
        .join(commands, commands.c.item_id == items.c.id)
        .where(commands.c.resent_from_id.is_(None), IS_DELIVERING),
        _pieces("line", items.c.id, and_(_IS_KEPT, _IS_WHOLE, _IS_VALID)).where(has_rest),
    ).subquery()


class _Queries:
    def __init__(self, is_active: bool | None) -> None:
        goods = _goods()
        wanted = [] if is_active is None else [goods.c.is_active if is_active else ~goods.c.is_active]
        self.total = Query(select(func.count()).select_from(goods).where(*wanted))
        self.page = Query(
            select(goods.c.order_id, goods.c.kind, goods.c.piece_id)
            .where(*wanted)
            .order_by(goods.c.order_id.desc(), goods.c.item_id, goods.c.kind, goods.c.piece_id)
            .limit(bindparam("size"))
            .offset(bindparam("skip"))
        )


@cache
def _queries(is_active: bool | None) -> _Queries:
    """Made by the first page: no start waits for statements of this size."""
    return _Queries(is_active)


async def page(
    tx: Transaction, customer_id: int, is_active: bool | None, wanted: PageRequest, now: Instant
) -> tuple[dict[Piece, int], int]:
    """The pieces of the page with their orders, the newest order first; and how many there are on all pages."""
    queries, whose = _queries(is_active), {"customer": customer_id, "now": now}
    ((total,),) = await tx.all(queries.total, **whose)
    if wanted.offset >= total:
        return {}, total
    rows = await tx.all(queries.page, **whose, size=wanted.size, skip=wanted.offset)
    return {(kind, piece_id): order_id for order_id, kind, piece_id in rows}, total
