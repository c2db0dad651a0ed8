"""What the secret key has sealed: every such column, by the schema; the mark of the key, and its key ring."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import Column, Table, bindparam, func, not_, select, tuple_, update

from lootkeep.kernel.clock import Instant
from lootkeep.storage import settings
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import metadata

_SETTINGS = "secret_key"
# A batch is one transaction: nothing waits for it for more than milliseconds.
_BATCH = 200


class KeyMark(msgspec.Struct, frozen=True, omit_defaults=True):
    """Empty in a database that was never started with a key."""

    # Of the secret key; during a rotation, of the new one.
    fingerprint: str = ""
    # The key ring, sealed with each secret key that is valid, by its fingerprint; none before the first rotation.
    rings: dict[str, str] = {}
    # During a rotation: the ring for processes that run, sealed with the keys that they have.
    announced: str = ""

    @property
    def is_rotating(self) -> bool:
        return len(self.rings) > 1


async def mark(tx: Transaction) -> KeyMark:
    return (await settings.current(tx, _SETTINGS, KeyMark))[1]


async def mark_for_update(tx: Transaction, now: Instant) -> KeyMark:
    return await settings.get_for_update(tx, _SETTINGS, KeyMark, now)


async def set_mark(tx: Transaction, new: KeyMark, now: Instant) -> None:
    await settings.put(tx, _SETTINGS, new, now)


class SealedColumn:
    """A column, with the purposes that its values may be sealed for."""

    def __init__(self, table: Table, column: Column[str]) -> None:
        self.name = f"{table.name}.{column.name}"
        self.purposes: tuple[str, ...] = column.info["purposes"]
        self._keys = [key.name for key in table.primary_key]
        keys = [*table.primary_key]
        used = column.is_not(None) & (column != "")
        stale = used & not_(column.startswith(bindparam("prefix")))
        after = tuple_(*keys) > tuple_(*(bindparam(f"after_{key.name}", type_=key.type) for key in keys))
        first = select(*keys, column).where(stale).order_by(*keys).limit(_BATCH)
        self._first, self._next = Query(first), Query(first.where(after))
        self._count = Query(select(func.count()).select_from(table).where(stale))
        self._newest = Query(select(column).where(used).order_by(*(key.desc() for key in keys)).limit(1))
        # Only what was read is replaced: a value that changed meanwhile is newer, and another batch finds it.
        this = [key == bindparam(f"this_{key.name}") for key in keys]
        self._replace = Query(
            update(table).where(*this, column == bindparam("before")).values({column.name: bindparam("after")})
        )

    async def stale(self, tx: Transaction, prefix: str, after: Sequence[Any] | None) -> list[tuple[Any, ...]]:
        """Some rows that the key with this prefix has not sealed: their primary key, then the value."""
        if after is None:
            return await tx.all(self._first, prefix=prefix)
        position = {f"after_{name}": value for name, value in zip(self._keys, after, strict=True)}
        return await tx.all(self._next, prefix=prefix, **position)

    async def count_stale(self, tx: Transaction, prefix: str) -> int:
        ((count,),) = await tx.all(self._count, prefix=prefix)
        return int(count)

    async def newest(self, tx: Transaction) -> str | None:
        row = await tx.one(self._newest)
        return row[0] if row else None

    async def replace(self, tx: Transaction, rows: Sequence[tuple[Any, ...]], values: Sequence[str]) -> None:
        """The values of the rows that `stale` has returned."""
        changes = [
            {f"this_{name}": part for name, part in zip(self._keys, key, strict=True)}
            | {"before": before, "after": after}
            for (*key, before), after in zip(rows, values, strict=True)
        ]
        await tx.execute_many(self._replace, changes)


@cache
def columns() -> tuple[SealedColumn, ...]:
    """Made by the first rotation or check of a key: no start waits for their statements."""
    return tuple(
        SealedColumn(table, column)
        for table in metadata.sorted_tables
        for column in table.columns
        if "purposes" in column.info
    )
