"""Proving that the kept totals are right, and mending them if not."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.storage.totals import recount as storage


async def rebuild(deps: Deps) -> dict[str, int]:
    """Mends every kept total; tells how many of each kind were wrong."""
    async with deps.db.write(long=True) as tx:
        return await storage.repair(tx, deps.currency, deps.clock.now())


async def check(deps: Deps) -> dict[str, int]:
    """The same without changing anything."""
    try:
        async with deps.db.write(long=True) as tx:
            raise _Undo(await storage.repair(tx, deps.currency, deps.clock.now()))
    except _Undo as undo:
        return undo.wrong


class _Undo(Exception):
    """Ends the transaction without keeping what it did."""

    def __init__(self, wrong: dict[str, int]) -> None:
        super().__init__()
        self.wrong = wrong
