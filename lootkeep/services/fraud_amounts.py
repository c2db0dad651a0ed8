"""Measuring which orders are large, outside of any checkout."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain.fraud.amounts import week_of
from lootkeep.storage.fraud import amounts as fraud_amounts_db


async def refresh(deps: Deps) -> None:
    """Once a week, as soon as there are enough orders: checkouts compare with the stored limit."""
    week = week_of(deps.clock.now())
    async with deps.db.read(slow=True) as tx:
        lines = {} if await fraud_amounts_db.is_measured(tx, week) else await fraud_amounts_db.measure(tx, week)
    if lines:
        async with deps.db.write() as tx:
            await fraud_amounts_db.save(tx, week, lines)
