"""What happens when: deeds in the order of their time, many to a transaction."""

from __future__ import annotations

import heapq
from collections.abc import Awaitable, Callable
from itertools import count

from lootkeep.kernel.clock import Instant, ManualClock
from lootkeep.storage.engine.database import Database, Transaction
from lootkeep.storage.totals.changes import Changes

Deed = Callable[[], Awaitable[object]]

# A commit costs little then, and PostgreSQL holds the locks of so many orders at once.
_BATCH = 600


class Agenda:
    """Moves the clock from deed to deed. What lies beyond the end does not happen."""

    def __init__(self, clock: ManualClock, end: Instant) -> None:
        self.end = end
        self._clock = clock
        self._waiting: list[tuple[Instant, int, Deed]] = []
        self._numbers = count()

    def add(self, after: int, deed: Deed) -> None:
        """So many microseconds from now."""
        at = Instant(self._clock.now() + after)
        if at <= self.end:
            heapq.heappush(self._waiting, (at, next(self._numbers), deed))

    @property
    def next_at(self) -> Instant | None:
        return self._waiting[0][0] if self._waiting else None

    async def run(
        self,
        db: Database,
        join: Callable[[Transaction, Changes], None],
        after_each: Callable[[], Awaitable[None]],
        advance: Callable[[], None],
    ) -> None:
        """`join` is told of each transaction; its totals are applied at its end, as an import does."""
        while self._waiting:
            async with db.write() as tx:
                changes = Changes(spread=0)
                join(tx, changes)
                for _ in range(_BATCH):
                    if not self._waiting:
                        break
                    at, _, deed = heapq.heappop(self._waiting)
                    self._clock.advance(at - self._clock.now())
                    await deed()
                    await after_each()
                await changes.apply(tx)
            advance()
