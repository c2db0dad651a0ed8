"""What is built when it is first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Late(Generic[T]):
    """Built in a thread for the first who asks; who asks meanwhile shares it, and a failure is tried again."""

    def __init__(self, build: Callable[[], T]) -> None:
        self._build = build
        self._built: asyncio.Task[T] | None = None

    async def get(self) -> T:
        if self._built is None or has_failed(self._built):
            self._built = asyncio.create_task(asyncio.to_thread(self._build))
        # Who leaves must not take it away from the others.
        return await asyncio.shield(self._built)


def has_failed(future: asyncio.Future[T]) -> bool:
    return future.done() and (future.cancelled() or future.exception() is not None)
