"""Verifies the maintained totals, and repairs them."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Database
from lootkeep.storage.totals import recount as recount_db


async def rebuild(deps: Deps) -> dict[str, int]:
    """Repairs every maintained total; returns how many of each kind were wrong."""
    async with deps.db.write(is_long=True) as tx:
        return await recount_db.repair(tx, deps.currency, deps.clock.now())


async def check(deps: Deps) -> dict[str, int]:
    """The same without changing anything."""
    return await check_database(deps.db, deps.currency, deps.clock.now())


async def check_database(db: Database, currency: str, now: Instant) -> dict[str, int]:
    try:
        async with db.write(is_long=True) as tx:
            raise _Rollback(await recount_db.repair(tx, currency, now))
    except _Rollback as undo:
        return undo.wrong


class _Rollback(Exception):
    """Rolls the transaction back."""

    def __init__(self, wrong: dict[str, int]) -> None:
        super().__init__()
        self.wrong = wrong
