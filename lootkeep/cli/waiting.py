"""How a service waits at its start for a database that is away or locked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from lootkeep.cli.output import out
from lootkeep.kernel.errors import Busy, Unreachable
from lootkeep.worker.outage import pause

T = TypeVar("T")


async def until_opened(opened: Callable[[], Awaitable[T]], who: str, stopping: asyncio.Event) -> T | None:
    """Tries again, with longer and longer pauses, and says once why; None if it was stopped meanwhile."""
    failures = 0
    while not stopping.is_set():
        try:
            return await opened()
        except (Busy, Unreachable) as error:
            failures += 1
            if failures == 1:
                reason = error if isinstance(error, Unreachable) else "Another process has locked the database."
                out.print(f"{reason} {who} waits for it.", markup=False)
            await pause(failures, stopping)
    return None
