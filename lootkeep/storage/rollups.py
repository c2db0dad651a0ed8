"""Sums that analytics reads, kept by the deeds that change them: per quarter of an hour, UTC day and UTC month."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import DAY, MINUTE, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import buyers
from lootkeep.storage.schema import sales_rollups as rollups

# Every time zone of the last fifty years is a multiple of this away from UTC: so its days begin with one of these.
QUARTER = 15 * MINUTE
# A year is eleven months and a month's worth of days at most, so it costs little more than a month.
# Eights of days are for the sets of buyers alone, which are large.
# Years are for what each customer spent.
QUARTERS, DAYS, MONTHS, EIGHTS, YEARS = 0, 1, 2, 3, 4

_EPOCH = date(1970, 1, 1)

# Deeds of different customers mostly meet in different shards.
SHARDS = 4
# How many customers' bits a row holds: two kilobytes.
CHUNK = 16_384

MEASURES = (
    "orders",
    "items",
    "gross",
    "discounts",
    "gift_cards",
    "refunds",
    "refunded_orders",
    "completed_orders",
    "new_customers",
)
# (dimension, level, block, key, currency)
Key = tuple[str, int, int, str, str]

_KEY = ("dimension", "level", "block", "key", "currency", "shard")
_NAMES = tuple(f"new_{name}" for name in (*_KEY, *MEASURES))
_NEW = postgresql.insert(rollups).values({name: bindparam(f"new_{name}") for name in (*_KEY, *MEASURES)})
_ADD = Query(
    _NEW.on_conflict_do_update(
        index_elements=list(_KEY), set_={name: rollups.c[name] + _NEW.excluded[name] for name in MEASURES}
    ),
    at_once=True,
)

# (level, block, shard, chunk)
SetKey = tuple[int, int, int, int]

_SET_KEY = ("level", "block", "shard", "chunk")
_THESE = tuple(buyers.c[name] == bindparam(f"of_{name}") for name in _SET_KEY)
_THERE = Query(select(*(buyers.c[name] for name in _SET_KEY)).where(*_THESE))
_LOCK = Query(select(*(buyers.c[name] for name in (*_SET_KEY, "bits"))).where(*_THESE).with_for_update())
_SET = Query(update(buyers).where(*_THESE).values(bits=bindparam("new_bits")), at_once=True)
_BEGIN = Query(
    postgresql.insert(buyers)
    .values({name: bindparam(f"of_{name}") for name in _SET_KEY} | {"bits": b""})
    .on_conflict_do_nothing(),
    at_once=True,
)


def block(level: int, at: int) -> int:
    """The number of the quarter, day, month or eight days that a time lies in, since the epoch."""
    if level == MONTHS:
        return month_of(at // DAY)
    return at // {QUARTERS: QUARTER, DAYS: DAY, EIGHTS: 8 * DAY}[level]


@lru_cache(maxsize=4096)
def month_of(day: int) -> int:
    """The UTC month of a day, both counted since the epoch."""
    when = _EPOCH + timedelta(days=day)
    return (when.year - _EPOCH.year) * 12 + when.month - 1


@lru_cache(maxsize=4096)
def first_day(month: int) -> int:
    return (_EPOCH.replace(year=_EPOCH.year + month // 12, month=month % 12 + 1) - _EPOCH).days


def place_of(customer_id: int) -> tuple[int, int, int]:
    """Shard, chunk and bit of a customer."""
    chunk, bit = divmod(customer_id // SHARDS, CHUNK)
    return customer_id % SHARDS, chunk, bit


class Rollups:
    """Changes of sums that a deed gathers on its way and applies at its end, after the counters."""

    def __init__(self, *, spread: int) -> None:
        self._shard = spread % SHARDS
        self._changes: dict[Key, dict[str, int]] = {}
        self._buyers: dict[SetKey, set[int]] = {}

    def add(
        self, dimension: str, key: str, at: Instant, currency: str, levels: tuple[int, ...], **changes: int
    ) -> None:
        for level in levels:
            sums = self._changes.setdefault((dimension, level, block(level, at), key, currency), {})
            for name, change in changes.items():
                sums[name] = sums.get(name, 0) + change

    def buy(self, customer_id: int, at: Instant) -> None:
        """The customer is among those who bought on that day."""
        shard, chunk, bit = place_of(customer_id)
        for level in (DAYS, EIGHTS, MONTHS):
            self._buyers.setdefault((level, block(level, at), shard, chunk), set()).add(bit)

    async def apply(self, tx: Transaction) -> None:
        """Always in the same order: two deeds never wait for each other in a circle."""
        changed = [(key, sums) for key, sums in sorted(self._changes.items()) if any(sums.values())]
        if changed:
            await tx.many(_ADD, [_row(key, self._shard, sums) for key, sums in changed])
        if self._buyers:
            await _set_bits(tx, dict(sorted(self._buyers.items())))


def _row(key: Key, shard: int, sums: dict[str, int]) -> dict[str, Any]:
    """The values of `_ADD`."""
    return dict(zip(_NAMES, (*key, shard, *(sums.get(name, 0) for name in MEASURES)), strict=True))


async def _set_bits(tx: Transaction, wanted: dict[SetKey, set[int]]) -> None:
    """Nobody holds a row while they wait for one to begin: so here, too, nobody waits in a circle."""
    rows = {key: {f"of_{name}": value for name, value in zip(_SET_KEY, key, strict=True)} for key in wanted}
    missing = rows.keys() - set(await tx.each(_THERE, list(rows.values())))
    if missing:
        await tx.many(_BEGIN, [rows[key] for key in rows if key in missing])
    changed = []
    for *key, bits in await tx.each(_LOCK, list(rows.values())):
        these: SetKey = tuple(key)
        after = with_bits(bits, wanted[these])
        if after != bits:
            changed.append(rows[these] | {"new_bits": after})
    if changed:
        await tx.many(_SET, changed)


def with_bits(bits: bytes, more: Collection[int]) -> bytes:
    changed = bytearray(bits.ljust(max(more) // 8 + 1, b"\0"))
    for bit in more:
        changed[bit // 8] |= 1 << bit % 8
    return bytes(changed)
