"""Recounts every maintained total from its rows, to verify or repair it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Select, cast, func, or_, select, union_all
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql import literal_column

from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import LockTables, SortOnDisk
from lootkeep.storage.engine.query import Query
from lootkeep.storage.totals.columns import GIVEN, REPAIRS
from lootkeep.storage.totals.declared import COUNTERS, SALES, SOURCES, TICKETS, TOTALS
from lootkeep.storage.totals.total import LENGTHS, SumTable, Total, summed

# Nobody may change the rows during the recount. The shared totals are locked last, as in every operation.
_HOLD = Query(
    LockTables(
        "support_tickets",
        "customers",
        "email_campaigns",
        "products",
        "referral_tiers",
        "referrers",
        "gift_cards",
        "counters",
        "ticket_figures",
        "sales_rollups",
    )
)

_SORT_ON_DISK = Query(SortOnDisk())


class Comparison:
    """Sums that are wrong: counted, and repaired."""

    def __init__(self, sums: SumTable, expected: Sequence[Select[Any]], *which: Any) -> None:
        table = sums.table
        less = (cast(-table.c[name], BigInteger).label(name) for name in sums.sums)
        stored = select(*(table.c[name] for name in sums.key), *less).where(*which)
        rows = summed(sums, union_all(*expected, stored).subquery()).subquery()
        is_wrong = or_(*(rows.c[name] != 0 for name in sums.sums))
        zero = literal_column("0", BigInteger)
        names = [*sums.key, *sums.sums, "shard"]
        new = postgresql.insert(table).from_select(names, select(*rows.c, zero).where(is_wrong))
        self._count = Query(select(func.count()).select_from(rows).where(is_wrong))
        self.add = Query(sums.added_to(new))

    async def repair(self, tx: Transaction) -> int:
        """Counted first: a million sums are repaired without reading their rows here."""
        ((count,),) = await tx.all(self._count)
        if count:
            await tx.run(self.add)
        return int(count)


def _counted(totals: Sequence[Total], level: int | None = None) -> list[Select[Any]]:
    return [total.counted(SOURCES[total.source], level) for total in totals]


def _by_level(dimension: str, totals: Sequence[Total]) -> list[Comparison]:
    """The finest level from the rows themselves, every other from the previous level, which is right by then."""
    table, levels = SALES.table, totals[0].levels
    comparisons: list[Comparison] = []
    for number, level in enumerate(levels):
        of_level = (table.c.dimension == dimension, table.c.level == level)
        expected = _counted(totals, level)
        if number:
            finer = levels[number - 1]
            blocks = {
                "level": literal_column(str(level), BigInteger),
                "block": table.c.block // (LENGTHS[level] // LENGTHS[finer]),
            }
            columns = (blocks.get(name, table.c[name]).label(name) for name in (*SALES.key, *SALES.sums))
            rows = select(*columns).where(table.c.dimension == dimension, table.c.level == finer)
            expected = [summed(SALES, rows.subquery())]
        comparisons.append(Comparison(SALES, expected, *of_level))
    return comparisons


def _of_sales() -> list[list[Comparison]]:
    dimensions: dict[str, list[Total]] = defaultdict(list)
    for total in TOTALS:
        if total.sums is SALES:
            dimensions[str(total.key["dimension"])].append(total)
    return [_by_level(dimension, totals) for dimension, totals in dimensions.items()]


# Each list in its order; one does not need another.
SUMS = {
    "totals": [[Comparison(COUNTERS, _counted([total for total in TOTALS if total.sums is COUNTERS]))]],
    "ticket figures": [[Comparison(TICKETS, _counted([total for total in TOTALS if total.sums is TICKETS]))]],
    "sales figures": _of_sales(),
}


async def repair(tx: Transaction, currency: str, now: Instant) -> dict[str, int]:
    """How many totals of each kind were wrong; in this transaction they are now right."""
    await tx.run(_SORT_ON_DISK)
    await tx.run(_HOLD)
    values = {"currency": currency, "now": now}
    wrong: dict[str, int] = {}
    for kind, queries in REPAIRS.items():
        parameters = {name: values[name] for name in GIVEN.get(kind, ())}
        wrong[kind] = sum([len(await tx.all(query, **parameters)) for query in queries])
    for kind, lists in SUMS.items():
        wrong[kind] = sum([await comparison.repair(tx) for comparisons in lists for comparison in comparisons])
    return wrong
