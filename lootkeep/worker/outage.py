"""A database outage, per kind of work: one log line when it starts, one when it ends, and long pauses."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

import structlog

log = structlog.get_logger(__name__)

_FIRST_PAUSE_SECONDS = 0.5
# Work resumes at most this long after the database is back.
_MAX_PAUSE_SECONDS = 5.0


class Outage:
    """`work` is the name of the waiting work in log lines."""

    def __init__(self, work: str) -> None:
        self._work = work
        self._failures = 0

    def begin(self) -> None:
        if not self._failures:
            log.warning("the database is unavailable, work is paused", work=self._work)
        self._failures += 1

    def end(self) -> None:
        if self._failures:
            log.info("the database is back, work continues", work=self._work)
        self._failures = 0

    async def wait(self, stopping: asyncio.Event) -> None:
        """Longer each time, and randomised: processes must not all come back at once."""
        self.begin()
        await pause(self._failures, stopping)


async def pause(failures: int, stopping: asyncio.Event) -> None:
    seconds = min(_MAX_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2 ** min(failures - 1, 10))
    with suppress(TimeoutError):
        await asyncio.wait_for(stopping.wait(), seconds * random.uniform(0.5, 1))  # noqa: S311  no secret
