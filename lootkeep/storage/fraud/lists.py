"""The store's own lists and their entries: looked up at checkout if a rule uses them, at any length."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Text, bindparam, delete, func, or_, select
from sqlalchemy.dialects import postgresql

from lootkeep.domain.fraud.lists import FraudList, ListEntry
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsListed
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import equals
from lootkeep.storage.lists import Listing, Sort
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import fraud_list_entries as entries, fraud_lists as lists

LISTS = Rows(lists, FraudList)

_OF_LIST = entries.c.list_id == bindparam("list_id")
_COUNTS = or_(entries.c.expires_at.is_(None), entries.c.expires_at > bindparam("at"))

_ALL = Query(select(*columns_of(lists, FraudList)).order_by(lists.c.name), FraudList)
_EMPTY = Query(delete(entries).where(_OF_LIST))
_COUNT = Query(select(entries.c.list_id, func.count()).group_by(entries.c.list_id))
_put = postgresql.insert(entries).values(
    {name: bindparam(name) for name in ListEntry.__struct_fields__ if name != "id"}
)
# If an entry is added again, it gets the new reason and expiry.
_PUT = Query(
    _put.on_conflict_do_update(
        index_elements=["list_id", "value"],
        set_={name: _put.excluded[name] for name in ("reason", "added_by", "expires_at", "created_at")},
    )
)
_REMOVE = Query(delete(entries).where(_OF_LIST, entries.c.value == bindparam("entry")))
_FIND = Query(
    select(lists.c.name, entries.c.value)
    .join(entries, entries.c.list_id == lists.c.id)
    .where(
        IsListed(lists.c.name, bindparam("names", type_=Text)),
        IsListed(entries.c.value, bindparam("sought", type_=Text)),
        _COUNTS,
    )
)
_ENTRIES_OF = Query(
    select(lists.c.name, entries.c.value)
    .join(entries, entries.c.list_id == lists.c.id)
    .where(IsListed(lists.c.name, bindparam("names", type_=Text)), _COUNTS)
)

ENTRIES = Listing(
    entries,
    ListEntry,
    {"list_id": equals(entries.c.list_id, "list_id"), "value": equals(entries.c.value, "value", None)},
    {"created_at": Sort(entries.c.id)},
)


async def find(tx: Transaction, names: Collection[str], values: Collection[str], at: Instant) -> set[tuple[str, Any]]:
    """Which of these lists have which of these values."""
    return set(await tx.all(_FIND, names=_json(names), sought=_json(values), at=at))


async def entries_of(tx: Transaction, names: Collection[str], at: Instant) -> set[tuple[str, Any]]:
    """Every entry of these lists, by the name of the list."""
    return set(await tx.all(_ENTRIES_OF, names=_json(names), at=at)) if names else set()


async def all_lists(tx: Transaction) -> list[FraudList]:
    return await tx.all(_ALL)


async def counts(tx: Transaction) -> dict[int, int]:
    """How many entries each list has, by its id."""
    return dict(await tx.all(_COUNT))


async def remove_list(tx: Transaction, fraud_list: FraudList) -> None:
    await tx.run(_EMPTY, list_id=fraud_list.id)
    await LISTS.remove(tx, fraud_list)


async def put(
    tx: Transaction,
    list_id: int,
    values: Collection[str],
    reason: str | None,
    author: int,
    expires_at: Instant | None,
    now: Instant,
) -> None:
    shared = {"list_id": list_id, "reason": reason, "added_by": author, "expires_at": expires_at, "created_at": now}
    await tx.execute_many(_PUT, [{"value": value, **shared} for value in sorted(set(values))])


async def remove(tx: Transaction, list_id: int, value: str) -> None:
    await tx.run(_REMOVE, list_id=list_id, entry=value)


def _json(texts: Collection[str]) -> str:
    return msgspec.json.encode(sorted(texts)).decode()
