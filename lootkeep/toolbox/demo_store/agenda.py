"""Runs operations in chronological order, many per transaction."""

from __future__ import annotations

import heapq
from collections.abc import Awaitable, Callable
from itertools import count

from lootkeep.kernel.clock import Instant, ManualClock
from lootkeep.storage.engine.database import Database, Transaction

ScheduledAction = Callable[[], Awaitable[object]]

# A commit then costs little, and PostgreSQL can hold the locks of this many orders at once.
_BATCH = 600


class Agenda:
    """Moves the clock from action to action. Actions after the end do not happen."""

    def __init__(self, clock: ManualClock, end: Instant) -> None:
        self.end = end
        self._clock = clock
        self._waiting: list[tuple[Instant, int, ScheduledAction]] = []
        self._numbers = count()

    def add(self, after: int, operation: ScheduledAction) -> None:
        """This many microseconds from now."""
        at = Instant(self._clock.now() + after)
        if at <= self.end:
            heapq.heappush(self._waiting, (at, next(self._numbers), operation))

    @property
    def next_at(self) -> Instant | None:
        return self._waiting[0][0] if self._waiting else None

    async def run(
        self,
        db: Database,
        join: Callable[[Transaction], None],
        after_each: Callable[[], Awaitable[None]],
        advance: Callable[[], None],
    ) -> None:
        """`join` is called with each transaction."""
        while self._waiting:
            async with db.write() as tx:
                join(tx)
                for _ in range(_BATCH):
                    if not self._waiting:
                        break
                    at, _, operation = heapq.heappop(self._waiting)
                    self._clock.advance(at - self._clock.now())
                    await operation()
                    await after_each()
            advance()
