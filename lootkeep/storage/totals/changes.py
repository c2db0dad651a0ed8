"""The changes of an operation to the maintained totals, collected during it and written at its end."""

from __future__ import annotations

from typing import Any

from lootkeep.domain.blocks import LENGTHS
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals import buyers
from lootkeep.storage.totals.declared import COUNTERS, SALES, TICKETS, TOTALS_OF
from lootkeep.storage.totals.total import Added, SumTable, Total

# Operations of different customers usually use different shards.
SHARDS = 4


class CounterDeltas:
    """Changes of totals, by the rows that an operation has changed."""

    def __init__(self, *, shard_key: int) -> None:
        self._shard = shard_key % SHARDS
        self._sums: dict[SumTable, dict[tuple[Any, ...], list[int]]] = {COUNTERS: {}, TICKETS: {}, SALES: {}}
        self._buyers: set[tuple[int, Instant]] = set()

    def count(self, source: str, before: object | None, after: object | None) -> None:
        """Replaces the old state of a row with its current state in the totals."""
        for total in TOTALS_OF[source]:
            old = None if before is None else total.of(before)
            new = None if after is None else total.of(after)
            if old != new:
                self._add(total, old, -1)
                self._add(total, new, 1)

    def _add(self, total: Total, added: Added | None, sign: int) -> None:
        if added is None:
            return
        at, key, values = added
        all_sums, empty = self._sums[total.sums], [0] * len(total.sums.sums)
        blocks: list[tuple[int, ...]] = [(level, at // LENGTHS[level]) for level in total.levels] or [()]
        for block in blocks:
            sums = all_sums.setdefault((*block, *key), empty[:])
            for index, value in zip(total.indexes, values, strict=True):
                sums[index] += sign * value

    def buy(self, customer_id: int, at: Instant) -> None:
        """Adds the customer to the buyers of that day."""
        self._buyers.add((customer_id, at))

    async def apply(self, tx: Transaction) -> None:
        """The last step of an operation, always in the same order, so two operations never deadlock."""
        for sums, changed in self._sums.items():
            rows = [
                dict(zip(sums.names, (*key, self._shard, *values), strict=True))
                for key, values in sorted(changed.items())
                if any(values)
            ]
            if rows:
                await tx.execute_many(sums.add, rows)
        if self._buyers:
            await buyers.add(tx, self._buyers)


async def count(tx: Transaction, source: str, before: Any, after: Any) -> None:
    """The same for an operation that changes one row, by whose id it is spread."""
    changes = CounterDeltas(shard_key=(after or before).id)
    changes.count(source, before, after)
    await changes.apply(tx)
