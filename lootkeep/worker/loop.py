"""Runs the queue workers and periodic tasks of a process, each independently: one failure never ends the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import structlog

from lootkeep.kernel.errors import Unavailable
from lootkeep.worker.outage import Outage

log = structlog.get_logger(__name__)

_PAUSE_SECONDS = 1.0
# More than any request to a receiver takes, and less than a process has to stop.
_GRACE_SECONDS = 12.0


@dataclass(frozen=True, slots=True)
class PeriodicTask:
    name: str
    every_seconds: float
    run: Callable[[], Awaitable[object]]
    # Also when the worker starts, not only after the first interval.
    at_start: bool = False


Loop = Callable[[asyncio.Event], Awaitable[None]]


class Worker:
    """Runs its periodic tasks until it is stopped, and each once more then, so nothing waits for the next start.

    A loop is work with its own pace; it ends when its event is set.
    """

    def __init__(
        self,
        periodic_tasks: tuple[PeriodicTask, ...],
        loops: tuple[Loop, ...] = (),
        grace_seconds: float = _GRACE_SECONDS,
        is_behind: Callable[[], bool] = lambda: False,
    ) -> None:
        self._periodic_tasks = periodic_tasks
        self._loops = loops
        self._grace_seconds = grace_seconds
        self.is_behind = is_behind
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self.add(self._periodic_tasks, self._loops)

    def add(self, periodic_tasks: tuple[PeriodicTask, ...], loops: tuple[Loop, ...] = ()) -> None:
        """Starts more work next to what is already running."""
        self._tasks += [asyncio.create_task(self._repeat(periodic), name=periodic.name) for periodic in periodic_tasks]
        self._tasks += [asyncio.create_task(self._restart(loop)) for loop in loops]

    async def is_alive(self) -> bool:
        return bool(self._tasks) and not any(task.done() for task in self._tasks)

    async def stop(self) -> None:
        """Lets everything finish, and cancels what does not: its transaction or lease is given up."""
        self._stopping.set()
        if not self._tasks:
            return
        _, unfinished = await asyncio.wait(self._tasks, timeout=self._grace_seconds)
        for task in unfinished:
            log.warning("work was interrupted", work=task.get_name())
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _restart(self, loop: Loop) -> None:
        """A loop that fails is restarted after a moment: deliveries must not stop because of one bad row."""
        while not self._stopping.is_set():
            try:
                await loop(self._stopping)
            except Exception:
                log.exception("worker failed, restarting")
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), _PAUSE_SECONDS)

    async def _repeat(self, periodic: PeriodicTask) -> None:
        outage = Outage(periodic.name)
        pause = 0 if periodic.at_start else periodic.every_seconds
        while not self._stopping.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)
            pause = periodic.every_seconds
            try:
                await periodic.run()
                outage.end()
            except Unavailable:
                outage.begin()
            except Exception:
                log.exception("periodic task failed", task=periodic.name)
