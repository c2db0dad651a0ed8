"""Work that comes round again and again: each chore in a task of its own, one failure never ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import structlog

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Chore:
    name: str
    every_seconds: float
    run: Callable[[], Awaitable[None]]


class Worker:
    """Runs its chores until it is stopped; each runs once more then, so that nothing waits for the next start."""

    def __init__(self, chores: tuple[Chore, ...]) -> None:
        self._chores = chores
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._repeat(chore), name=chore.name) for chore in self._chores]

    async def is_alive(self) -> bool:
        return bool(self._tasks) and not any(task.done() for task in self._tasks)

    async def stop(self) -> None:
        self._stopping.set()
        await asyncio.gather(*self._tasks)

    async def _repeat(self, chore: Chore) -> None:
        while not self._stopping.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), chore.every_seconds)
            try:
                await chore.run()
            except Exception:
                log.exception("chore failed", chore=chore.name)
