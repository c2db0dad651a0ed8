"""Buyers per day and per eight days, a bit for each customer: sets of people are combined, not added up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain.blocks import DAYS, EIGHTS, LENGTHS, Run
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import buyers, orders

if TYPE_CHECKING:
    from lootkeep.storage.engine.database import Transaction

# As many as the sums have.
_SHARDS = 4
# How many customers' bits a row has: two kilobytes.
_CHUNK = 16_384
# How many orders a recount reads at a time, and how many sets it writes.
_ORDERS_AT_ONCE = 50_000
_SETS_AT_ONCE = 1_000

_KEY = ("level", "block", "shard", "chunk")
_THIS = tuple(buyers.c[name] == bindparam(f"of_{name}") for name in _KEY)
_THERE = Query(select(*(buyers.c[name] for name in _KEY)).where(*_THIS))
_LOCK = Query(select(*(buyers.c[name] for name in (*_KEY, "bits"))).where(*_THIS).with_for_update())
_SET = Query(update(buyers).where(*_THIS).values(bits=bindparam("new_bits")), set_based=True)
_BEGIN = Query(
    postgresql.insert(buyers)
    .values({name: bindparam(f"of_{name}") for name in _KEY} | {"bits": b""})
    .on_conflict_do_nothing(),
    set_based=True,
)
_IN_BLOCKS = Query(
    select(buyers.c.shard, buyers.c.chunk, buyers.c.bits).where(
        buyers.c.level == bindparam("of_level"),
        buyers.c.block >= bindparam("first"),
        buyers.c.block < bindparam("stop"),
    )
)
_BOUGHT = Query(
    select(orders.c.id, orders.c.customer_id, orders.c.paid_at)
    .where(orders.c.id > bindparam("after"), orders.c.paid_at.is_not(None))
    .order_by(orders.c.id)
    .limit(_ORDERS_AT_ONCE)
)
_ALL = Query(select(*(buyers.c[name] for name in (*_KEY, "bits"))))
_REMOVE_ALL = Query(delete(buyers))
_INSERT = Query(
    insert(buyers).values({name: bindparam(f"of_{name}") for name in _KEY} | {"bits": bindparam("new_bits")}),
    set_based=True,
)

Key = tuple[int, ...]


async def add(tx: Transaction, bought: Iterable[tuple[int, Instant]]) -> None:
    """Nobody holds a row while waiting for another transaction to insert one, so no two deadlock."""
    sets = dict(sorted(_sets(bought).items()))
    rows = {key: _named(key) for key in sets}
    missing = rows.keys() - set(await tx.fetch_for_each(_THERE, list(rows.values())))
    if missing:
        await tx.execute_many(_BEGIN, [rows[key] for key in rows if key in missing])
    changed = []
    for *key, bits in await tx.fetch_for_each(_LOCK, list(rows.values())):
        before = int.from_bytes(bits, "little")
        if after := sets[tuple(key)] & ~before:
            changed.append(rows[tuple(key)] | {"new_bits": _bytes(before | after)})
    if changed:
        await tx.execute_many(_SET, changed)


async def count(tx: Transaction, runs: Sequence[Run], others: Iterable[int]) -> int:
    """How many different customers bought in these blocks, or are among the others."""
    sets: dict[Key, int] = defaultdict(int)
    blocks = [dict(zip(("of_level", "first", "stop"), run, strict=True)) for run in runs]
    for shard, chunk, bits in await tx.fetch_for_each(_IN_BLOCKS, blocks):
        sets[shard, chunk] |= int.from_bytes(bits, "little")
    for key, bits in _sets((customer_id, Instant(0)) for customer_id in others).items():
        sets[key[2:]] |= bits
    return sum(bits.bit_count() for bits in sets.values())


async def repair(tx: Transaction) -> int:
    """How many sets were wrong; in this transaction they are now right."""
    expected = {key: _bytes(bits) for key, bits in (await _expected(tx)).items()}
    stored = {tuple(key): bits for *key, bits in await tx.all(_ALL)}
    wrong = sum(expected.get(key) != stored.get(key) for key in expected.keys() | stored.keys())
    if wrong:
        await tx.run(_REMOVE_ALL)
        rows = [_named(key) | {"new_bits": expected[key]} for key in sorted(expected)]
        for start in range(0, len(rows), _SETS_AT_ONCE):
            await tx.execute_many(_INSERT, rows[start : start + _SETS_AT_ONCE])
    return wrong


async def _expected(tx: Transaction) -> dict[Key, int]:
    sets: dict[Key, int] = defaultdict(int)
    after = 0
    while rows := await tx.all(_BOUGHT, after=after):
        for key, bits in _sets((customer_id, paid_at) for _, customer_id, paid_at in rows).items():
            sets[key] |= bits
        after = rows[-1][0]
    return sets


def _sets(bought: Iterable[tuple[int, Instant]]) -> dict[Key, int]:
    """The bits of these customers, by the sets that they belong to."""
    bytes_of: dict[Key, bytearray] = defaultdict(lambda: bytearray(_CHUNK // 8))
    for customer_id, at in bought:
        chunk, bit = divmod(customer_id // _SHARDS, _CHUNK)
        for level in (DAYS, EIGHTS):
            bytes_of[level, at // LENGTHS[level], customer_id % _SHARDS, chunk][bit // 8] |= 1 << bit % 8
    return {key: int.from_bytes(bits, "little") for key, bits in bytes_of.items()}


def _bytes(bits: int) -> bytes:
    """Without the zeros at the end."""
    return bits.to_bytes(-(-bits.bit_length() // 8), "little")


def _named(key: Key) -> dict[str, Any]:
    return {f"of_{name}": value for name, value in zip(_KEY, key, strict=True)}
