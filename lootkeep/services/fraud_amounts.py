"""Measuring which orders are large: before any checkout, and before orders are imported."""

from __future__ import annotations

from collections.abc import Iterable

from lootkeep.deps import Deps
from lootkeep.domain.fraud.amounts import rank, week_of, window
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import amounts as fraud_amounts_db


async def refresh(deps: Deps) -> None:
    """Once a week, as soon as there are enough orders: checkouts compare with the stored limit."""
    week = week_of(deps.clock.now())
    async with deps.db.read(slow=True) as tx:
        lines = {} if await fraud_amounts_db.is_measured(tx, week) else await _measure(tx, week)
    if lines:
        async with deps.db.write() as tx:
            await fraud_amounts_db.save(tx, week, lines)


async def ensure(tx: Transaction, weeks: Iterable[int]) -> None:
    """For an import, which judges orders of weeks that were not measured yet."""
    for week in weeks:
        if not await fraud_amounts_db.is_measured(tx, week):
            await fraud_amounts_db.save(tx, week, await _measure(tx, week))


async def _measure(tx: Transaction, week: int) -> dict[str, int]:
    """The amount that nine of ten orders before the week do not exceed, by currency; reads months of orders."""
    begin, end = window(week)
    positions = {currency: rank(count) for currency, count in (await fraud_amounts_db.counts(tx, begin, end)).items()}
    return {
        currency: await fraud_amounts_db.amount_at(tx, begin, end, currency, position)
        for currency, position in positions.items()
        if position is not None
    }
