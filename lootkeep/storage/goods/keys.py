"""The keys of products: added in batches, assigned to the oldest line first, and never twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Text, bindparam, func, literal_column, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain.goods import KeyBatch, KeyCount, KeyStatus, ProductKey, SealedKey
from lootkeep.domain.order_items import OrderItem
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import ByEngine, IsListed
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import equals, equals_each
from lootkeep.storage.lists import Join, Listing, Sort
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import key_batches as batches, product_keys as keys
from lootkeep.storage.schema.goods import AVAILABLE
from lootkeep.storage.totals import counters

ROWS = Rows(keys, ProductKey)
BATCHES = Rows(batches, KeyBatch)
# How many keys one statement adds.
_CHUNK = 1_000

_OF_PRODUCT = keys.c.product_id == bindparam("product")
_IS_ASSIGNED = keys.c.status == literal_column("'assigned'")
_COUNTED = (keys.c.product_id, keys.c.batch_id)

# ON CONFLICT reads the same in both dialects; SQLAlchemy spells it in the dialect modules only.
_ADD = Query(
    postgresql.insert(keys)
    .values({name: bindparam(name) for name in ("product_id", "batch_id", *SealedKey.__struct_fields__, "created_at")})
    .values(status="available")
    .on_conflict_do_nothing()
    .returning(keys.c.id)
)
# Two payments never wait for each other's keys.
_oldest = (
    select(keys.c.id)
    .where(_OF_PRODUCT, AVAILABLE)
    .order_by(keys.c.id)
    .limit(bindparam("size"))
    .with_for_update(skip_locked=True)
)
# PostgreSQL does not know how many there will be, and would read every key to join them; an array is looked up.
_IS_OLDEST = ByEngine(
    sqlite=keys.c.id.in_(_oldest),
    postgresql=keys.c.id == func.any(func.array(_oldest.scalar_subquery())),
)
_ASSIGN = Query(
    update(keys)
    .where(_IS_OLDEST)
    .values(status="assigned", order_id=bindparam("order"), item_id=bindparam("item"), assigned_at=bindparam("now"))
    .returning(keys.c.id, *_COUNTED)
)
_REVOKE = Query(
    update(keys)
    .where(keys.c.order_id == bindparam("order"), _IS_ASSIGNED)
    .values(status="revoked", ended_at=bindparam("now"))
    .returning(keys.c.id, *_COUNTED)
)


class KeySelection(NamedTuple):
    """Which keys of a product are meant: those of a batch, or these."""

    condition: Any
    value: Any


def of_batch(batch_id: int) -> KeySelection:
    return KeySelection("batch", batch_id)


def with_ids(ids: Iterable[int]) -> KeySelection:
    return KeySelection("ids", msgspec.json.encode(sorted(set(ids))).decode())


_SELECTED: dict[str, Any] = {
    "batch": keys.c.batch_id == bindparam("selected"),
    "ids": IsListed(keys.c.id, bindparam("selected", type_=Text)),
}
_WITHDRAW = {
    name: Query(
        update(keys)
        .where(_OF_PRODUCT, AVAILABLE, condition)
        .values(status="withdrawn", ended_at=bindparam("now"))
        .returning(keys.c.id, *_COUNTED)
    )
    for name, condition in _SELECTED.items()
}
_OWNED = {
    name: Query(select(keys.c.id, keys.c.order_id).where(_OF_PRODUCT, _IS_ASSIGNED, condition).order_by(keys.c.id))
    for name, condition in _SELECTED.items()
}


class ListedKey(NamedTuple):
    key: ProductKey
    batch: str


def _listed(*values: Any) -> ListedKey:
    *key, batch = values
    return ListedKey(ProductKey(*key), batch)


async def _maintained(tx: Transaction, values: Mapping[str, Any]) -> int | None:
    """The keys of a product are counted by batch and status."""
    if "order_id" in values:
        return None
    counts = await counters.totals(tx, f"keys.{values['product_id']}.")
    parts = ((name.split("."), count) for name, count in counts.items())
    return sum(
        count
        for (batch, status), count in parts
        if ("batch_id" not in values or values["batch_id"] == int(batch)) and values.get("status", status) == status
    )


LISTING = Listing(
    keys,
    _listed,
    {
        **equals_each(keys, "order_id", "batch_id"),
        "status": equals(keys.c.status, "status", None),
        "product_id": equals(keys.c.product_id, "product_id"),
    },
    {"id": Sort(keys.c.id)},
    _maintained,
    columns=(*columns_of(keys, ProductKey), batches.c.name),
    joins=(Join(batches, batches.c.id == keys.c.batch_id),),
)


async def add(tx: Transaction, batch: KeyBatch, new: Sequence[SealedKey], now: Instant) -> int:
    """How many are new: a key that the product has, or had, is skipped."""
    common = {"product_id": batch.product_id, "batch_id": batch.id, "created_at": now}
    rows = [msgspec.structs.asdict(key) | common for key in new]
    count = 0
    for start in range(0, len(rows), _CHUNK):
        count += len(await tx.fetch_for_each(_ADD, rows[start : start + _CHUNK]))
    if count:
        tx.totals.count("keys", None, KeyCount(batch.product_id, batch.id, "available", count))
    return count


async def assign(tx: Transaction, line: OrderItem, quantity: int, now: Instant) -> list[int]:
    """Gives the oldest available keys to a line, fewer if there are not enough; returns their ids."""
    rows = await tx.all(_ASSIGN, product=line.product_id, size=quantity, order=line.order_id, item=line.id, now=now)
    return _count(tx, rows, "available", "assigned")


async def revoke(tx: Transaction, order_id: int, now: Instant) -> None:
    """The keys of an order; they never return to the stock."""
    _count(tx, await tx.all(_REVOKE, order=order_id, now=now), "assigned", "revoked")


async def withdraw(tx: Transaction, product_id: int, selection: KeySelection, now: Instant) -> int:
    """Takes those that are still available from the stock; returns how many."""
    query = _WITHDRAW[selection.condition]
    rows = await tx.all(query, product=product_id, selected=selection.value, now=now)
    return len(_count(tx, rows, "available", "withdrawn"))


async def owned(tx: Transaction, product_id: int, selection: KeySelection) -> list[tuple[int, int]]:
    """The keys that buyers have, with their orders."""
    rows = await tx.all(_OWNED[selection.condition], product=product_id, selected=selection.value)
    return [(int(key_id), int(order_id)) for key_id, order_id in rows]


async def save(tx: Transaction, before: ProductKey, after: ProductKey) -> None:
    """Writes a key with another status."""
    await ROWS.save(tx, before, after)
    _count(tx, [(before.id, before.product_id, before.batch_id)], before.status, after.status)


async def counts(tx: Transaction, product_id: int) -> dict[int, dict[str, int]]:
    """How many keys of each batch have each status."""
    by_batch: dict[int, dict[str, int]] = {}
    for name, count in (await counters.totals(tx, f"keys.{product_id}.")).items():
        batch, _, status = name.partition(".")
        by_batch.setdefault(int(batch), {})[status] = count
    return by_batch


def _count(tx: Transaction, rows: Sequence[tuple[Any, ...]], old: KeyStatus, new: KeyStatus) -> list[int]:
    for (product_id, batch_id), quantity in Counter((row[1], row[2]) for row in rows).items():
        of_batch = KeyCount(product_id, batch_id, old, quantity), KeyCount(product_id, batch_id, new, quantity)
        tx.totals.count("keys", *of_batch)
    return [int(row[0]) for row in rows]
