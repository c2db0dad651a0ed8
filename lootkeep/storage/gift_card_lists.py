"""Gift cards as they are listed: every filter and sort has its index, and totals are kept, not counted."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, bindparam, func, select

from lootkeep.domain.customers import folded
from lootkeep.domain.gift_cards import GiftCard
from lootkeep.kernel.paging import Order, Page
from lootkeep.storage import counters
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import SHORTEST_INDEXED_TERM, Contains, ContainsShort, Unindexed
from lootkeep.storage.gift_cards import COUNTER
from lootkeep.storage.query import Query
from lootkeep.storage.tables import gift_cards as cards

Sort = Literal["id", "created_at", "balance", "expires_at"]

_CARD = [cards.c[name] for name in GiftCard.__struct_fields__]
# Skipping so many index entries is cheaper than looking up where to start.
_FEW = 1000
# So many cards are sorted faster than they are picked from a walk along the index of their order.
_SHORT = 1000
# Each of these finds few cards by itself, which are then counted and sorted as they are.
_NARROW = frozenset({"customer_id", "order_id", "recipient_email", "search", "short_search"})

_TERM = bindparam("wanted_search", type_=cards.c.search_text.type)
_FILTERS: dict[str, ColumnElement[bool]] = {
    "customer_id": cards.c.customer_id == bindparam("wanted_customer_id"),
    "order_id": cards.c.order_id == bindparam("wanted_order_id"),
    "recipient_email": cards.c.recipient_email == bindparam("wanted_recipient_email"),
    "search": Contains(cards.c.search_text, _TERM),
    "short_search": ContainsShort(cards.c.search_text, _TERM),
    "from": cards.c.created_at >= bindparam("wanted_from"),
    "to": cards.c.created_at < bindparam("wanted_to"),
}
_KEPT = {"status": cards.c.kept_status, "currency": cards.c.currency}


@cache
def page_query(filters: frozenset[str], sort: Sort, order: Order, *, is_short: bool = False) -> Query[GiftCard]:
    """The page is cut from the keys alone; only its rows are read. A short list is found first and sorted then."""
    is_walked = not is_short and sort != "created_at"
    keys = _filtered(select(cards.c.id), filters, is_walked=is_walked)
    if is_walked and sort == "id" and filters <= {"currency"}:
        # Says no more than that the walk goes along the key.
        keys = keys.where(cards.c.id > 0)
    keys = keys.order_by(*_ordered(sort, order, is_short=is_short))
    page = keys.limit(bindparam("size")).offset(bindparam("skip")).subquery()
    query = select(*_CARD).select_from(page).join(cards, cards.c.id == page.c.id)
    return Query(query.order_by(*_ordered(sort, order)), GiftCard)


@cache
def total_query(filters: frozenset[str]) -> Query[tuple[Any, ...]]:
    return Query(_filtered(select(func.count()).select_from(cards), filters))


def _filtered(query: Select[Any], filters: frozenset[str], *, is_walked: bool = False) -> Select[Any]:
    """A list that is walked along the index of its order only looks at the currency on the way."""
    for name in sorted(filters):
        if name in _KEPT:
            is_looked_at = filters & _NARROW or (is_walked and name == "currency")
            column: Any = Unindexed(_KEPT[name]) if is_looked_at else _KEPT[name]
            query = query.where(column == bindparam(f"wanted_{name}"))
        else:
            query = query.where(_FILTERS[name])
    return query


def _ordered(sort: Sort, order: Order, *, is_short: bool = False) -> list[Any]:
    # Nothing is added so that no index has this order: the filters' index finds a short list faster.
    column = cards.c[sort] + 0 if is_short else cards.c[sort]
    first = column.desc() if order == "desc" else column.asc()
    if sort == "expires_at":
        # A card that never expires does so last.
        first = first.nulls_first() if order == "desc" else first.nulls_last()
    if sort == "id":
        return [first]
    return [first, cards.c.id.desc() if order == "desc" else cards.c.id.asc()]


async def page(
    tx: Transaction, asked: Page, filters: dict[str, Any], sort: Sort, order: Order
) -> tuple[list[GiftCard], int]:
    """A page and how many there are in all; `status` goes by what was settled."""
    if "search" in filters:
        filters = filters | {"search": folded(filters["search"])}
    shape = frozenset(filters)
    if len(filters.get("search", "")) < SHORTEST_INDEXED_TERM and "search" in shape:
        shape = shape - {"search"} | {"short_search"}
    values = {f"wanted_{name}": value for name, value in filters.items()}
    total = await _total(tx, shape, filters, values)
    if asked.offset >= total:
        return [], total
    skip = asked.offset
    if skip >= _FEW and (sort, order) == ("created_at", "desc") and shape <= _KEPT.keys():
        _, place = await counters.place(tx, await _names(tx, filters), asked.offset)
        if place:
            values["wanted_to"], skip = place.end, place.skip
            shape |= {"to"}
    is_short = total <= _SHORT and sort != "created_at" and bool(filters)
    query = page_query(shape, sort, order, is_short=is_short)
    return await tx.all(query, size=asked.size, skip=skip, **values), total


async def _total(tx: Transaction, shape: frozenset[str], filters: dict[str, Any], values: dict[str, Any]) -> int:
    if shape & _NARROW:
        ((total,),) = await tx.all(total_query(shape), **values)
        return int(total)
    names = await _names(tx, filters)
    return await counters.total(tx, names, since=filters.get("from"), until=filters.get("to"))


async def _names(tx: Transaction, filters: dict[str, Any]) -> list[str]:
    """The kept totals that the filters add up: one for each currency and status that ever was."""
    wanted = filters.get("currency"), filters.get("status")
    kept = [name.split(".") for name in await counters.totals(tx, COUNTER)]
    pairs = [pair for pair in kept if all(want in (None, part) for want, part in zip(wanted, pair, strict=True))]
    return [COUNTER + ".".join(pair) for pair in pairs]
