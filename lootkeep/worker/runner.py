"""The one loop of every queue: settle, claim, send, then rest until the next is due or something wakes it."""

from __future__ import annotations

import asyncio
import secrets
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import ClassVar, Generic, TypeVar

from lootkeep.deps import Deps
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.errors import Unavailable
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.queue import SingleQueue
from lootkeep.worker.outage import Outage

# How long a worker rests when nothing wakes it.
_MAX_REST = 5 * SECOND
_MIN_REST = SECOND // 100
# How far apart two rounds begin, unless more work is waiting than one of them takes: a round for ten costs hardly more
# than a round for one. The first after a rest begins at once.
_COLLECT_SECONDS = 0.05

ItemT = TypeVar("ItemT")


class QueueWorker(ABC):
    """Processes one queue. Any number may run on PostgreSQL: each holds a lease on what it claimed."""

    # The name of the waiting work in log lines while the database is down.
    work: ClassVar[str]
    # Tables that may create work for it when they change.
    wakes_for: ClassVar[frozenset[str]]

    def __init__(self, deps: Deps, wakeup: Wakeup) -> None:
        self._deps = deps
        self._wakeup = wakeup
        self._lease = secrets.token_hex(8)
        self._outage = Outage(self.work)
        # The last round found more to do than it took.
        self.is_behind = False

    async def run(self, stopping: asyncio.Event) -> None:
        """Works until it is stopped, then finishes current work."""
        clock = asyncio.get_running_loop().time
        while not stopping.is_set():
            started = clock()
            self._wakeup.clear()
            try:
                self.is_behind = await self.run_once(stopping) and await self.has_more()
                self._outage.end()
                if not self.is_behind:
                    await self._rest()
                    await asyncio.sleep(max(0.0, started + _COLLECT_SECONDS - clock()))
            except Unavailable:
                await self._outage.wait(stopping)
        # What cannot be recorded is sent again when its lease is over.
        with suppress(Unavailable):
            await self.drain()

    @abstractmethod
    async def run_once(self, stopping: asyncio.Event | None = None) -> bool:
        """Settles what has finished, claims what is due and sends it; False if there is nothing more to do."""

    async def has_more(self) -> bool:
        """Whether a round that found something left more, which the next one takes as soon as this returns."""
        return True

    @abstractmethod
    async def next_due(self, tx: Transaction, now: Instant) -> Instant | None:
        """When there will be something to do, as far as known."""

    @abstractmethod
    async def drain(self) -> None:
        """Waits for current work and settles it."""

    async def _rest(self) -> None:
        now = self._deps.clock.now()
        async with self._deps.db.read() as tx:
            due = await self.next_due(tx, now)
        rest = _MAX_REST if due is None else min(_MAX_REST, max(_MIN_REST, due - now))
        await self._wakeup.wait(rest / SECOND)


class SingleQueueWorker(QueueWorker, Generic[ItemT]):
    """Claims one item and processes it to its end, which settles it; then the next."""

    queue: SingleQueue[ItemT]
    lease_duration: ClassVar[int]
    _next_due: Instant | None = None

    async def run_once(self, stopping: asyncio.Event | None = None) -> bool:
        now = self._deps.clock.now()
        # Looked up first: an idle worker never writes, and so never wakes itself.
        async with self._deps.db.read() as tx:
            self._next_due = due = await self.queue.next_due(tx)
        if due is None or due > now:
            return False
        async with self._deps.db.write() as tx:
            item = await self.queue.claim(tx, self._lease, Instant(now + self.lease_duration), now)
        if item is None:
            return False
        await self.process(item, stopping)
        return True

    @abstractmethod
    async def process(self, item: ItemT, stopping: asyncio.Event | None) -> None:
        """Does the work of a claimed item, and settles it."""

    async def next_due(self, tx: Transaction, now: Instant) -> Instant | None:
        # As the last look showed.
        return self._next_due

    async def drain(self) -> None:
        """Nothing is left: each round ends with its item."""
