"""Wakes a worker before its next poll: only a hint, so losing it loses nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Set
from contextlib import contextmanager


class Wakeup:
    """Only changes of the given tables end the wait; without any, all do."""

    def __init__(self, tables: Collection[str] = ()) -> None:
        self._tables = frozenset(tables)
        self._event = asyncio.Event()
        # What ended the wait, until someone takes it; the empty name is any table.
        self._changed: set[str] = set()
        self._followers: list[Wakeup] = []

    def follower(self, tables: Collection[str] = ()) -> Wakeup:
        """Another object to wait on, for a second loop: each receives every call, even if the other is busy."""
        follower = Wakeup(tables)
        self._followers.append(follower)
        return follower

    @contextmanager
    def following(self, tables: Collection[str] = ()) -> Iterator[Wakeup]:
        """A follower inside the block, for these tables or else for the same."""
        follower = self.follower(tables or self._tables)
        try:
            yield follower
        finally:
            self._followers.remove(follower)

    def add(self, follower: Wakeup) -> None:
        self._followers.append(follower)

    def nudge(self) -> None:
        """Wakes only the loop that waits here."""
        self._event.set()

    def clear(self) -> None:
        self._event.clear()

    def wake(self, changed: Set[str] | None = None) -> None:
        """Wakes the loops that may be affected by a change of these tables; None means any table."""
        if changed is None or not self._tables or not self._tables.isdisjoint(changed):
            self._changed |= {""} if changed is None else changed
            self.nudge()
        for follower in self._followers:
            follower.wake(changed)

    def take(self) -> Set[str]:
        """The tables that have changed since the last call."""
        taken, self._changed = self._changed, set()
        return taken

    async def wait(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._event.wait(), seconds)
        except TimeoutError:
            return
        # Not if the wait was cancelled: a call that came meanwhile is for the next wait.
        self._event.clear()
