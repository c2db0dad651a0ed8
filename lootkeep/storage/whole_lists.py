"""A whole list, read batch by batch in one pass of its table."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import Select, bindparam, select

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import MAX_QUERIES, Listing, Values
from lootkeep.storage.rows import columns_of

R = TypeVar("R")


async def batch(tx: Transaction, listing: Listing[R], filters: Values, last: int, size: int) -> list[tuple[int, R]]:
    """The next matches by key, each with its key."""
    names, bound = _bound(listing, filters)
    return await tx.all(_query(listing, names), **bound, last=last, size=size)


async def newest_keys(tx: Transaction, listing: Listing[Any], filters: Values, size: int) -> list[int]:
    """The keys of the matches, from the newest on."""
    names, bound = _bound(listing, filters)
    return [key for (key,) in await tx.all(_keys_query(listing, names), **bound, size=size)]


def _bound(listing: Listing[Any], filters: Values) -> tuple[tuple[str, ...], Values]:
    values = listing.values(filters)
    names = tuple(name for name in listing.filters if name in values)
    return names, {f"wanted_{name}": value for name, value in values.items()}


@lru_cache(MAX_QUERIES)
def _keys_query(listing: Listing[Any], names: tuple[str, ...]) -> Query[tuple[Any, ...]]:
    (key,) = listing.table.primary_key
    conditions = [*listing.always, *(listing.filters[name].clause(is_indexed=False) for name in names)]
    return Query(select(key).where(*conditions).order_by(key.desc()).limit(bindparam("size")))


@lru_cache(MAX_QUERIES)
def _query(listing: Listing[Any], names: tuple[str, ...]) -> Query[Any]:
    (key,) = listing.table.primary_key
    # Along the key: an index of a filter would find all matches again for each batch.
    conditions = [*listing.always, *(listing.filters[name].clause(is_indexed=False) for name in names)]
    keys = select(key.label("key")).where(key > bindparam("last", type_=key.type), *conditions)
    page = keys.order_by(key).limit(bindparam("size")).subquery()
    rows: Select[Any] = select(page.c.key, *(listing.columns or columns_of(listing.table, listing.record)))
    rows = rows.select_from(page).join(listing.table, key == page.c.key)
    for join in listing.joins:
        rows = rows.join(join.table, join.on, isouter=join.is_optional)
    return Query(rows.order_by(page.c.key), lambda key, *row: (key, listing.record(*row)))
