"""Letting go of what is kept only for a while."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage import idempotency

# An idempotency key can be replayed for so long.
ANSWERS_KEPT_FOR = DAY


async def purge_answers(deps: Deps) -> None:
    """Removes old idempotency keys, a bounded batch per transaction."""
    before = Instant(deps.clock.now() - ANSWERS_KEPT_FOR)
    more = True
    while more:
        async with deps.db.write() as tx:
            more = await idempotency.purge(tx, before) > 0
