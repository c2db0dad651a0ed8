"""What a transaction changes in the maintained totals: collected while it runs, written when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lootkeep.storage.totals.declared import TOTALS_OF
from lootkeep.storage.totals.total import LENGTHS, SumTable, Total

if TYPE_CHECKING:
    from lootkeep.storage.engine.database import Transaction

# Transactions that run at the same time usually add to different shards.
SHARDS = 4
# A total without a time has one row for each key.
_NO_BLOCK: list[tuple[int, ...]] = [()]


class Totals:
    """The totals of one transaction, `tx.totals`: the database applies them before it commits."""

    def __init__(self, shard: int = 0) -> None:
        self._shard = shard % SHARDS
        self._sums: dict[SumTable, dict[tuple[Any, ...], list[int]]] = {}

    def count(self, source: str, before: object | None, after: object | None) -> None:
        """Replaces the old state of a row with its current state in the totals."""
        for total in TOTALS_OF[source]:
            if before is not None and after is not None and total.fields(before) == total.fields(after):
                continue
            self._add(total, before, -1)
            self._add(total, after, 1)

    def _add(self, total: Total, record: object | None, sign: int) -> None:
        addition = None if record is None else total.of(record)
        if addition is None:
            return
        at, key, values = addition
        all_sums = self._sums.setdefault(total.sums, {})
        for block in [(level, at // LENGTHS[level]) for level in total.levels] or _NO_BLOCK:
            row = block + key
            if row not in all_sums:
                all_sums[row] = [0] * len(total.sums.sums)
            sums = all_sums[row]
            for index, value in zip(total.indexes, values, strict=True):
                sums[index] += sign * value

    async def apply(self, tx: Transaction) -> None:
        """The last step of a transaction, always in the same order, so no two of them deadlock."""
        counted, self._sums = self._sums, {}
        for sums in sorted(counted, key=lambda sums: sums.table.name):
            rows = [
                dict(zip(sums.names, (*key, self._shard, *values), strict=True))
                for key, values in sorted(counted[sums].items())
                if any(values)
            ]
            if rows:
                await tx.execute_many(sums.add, rows)
