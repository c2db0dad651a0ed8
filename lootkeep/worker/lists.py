"""Downloads the public lists now and then, reloads all lists when their folder changes, and logs the results."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import structlog

from lootkeep.engines.intelligence import Intelligence, fetching
from lootkeep.engines.intelligence.sources import RANK_BUNDLED
from lootkeep.kernel.clock import HOUR, SECOND, Clock
from lootkeep.services.health.lists import missing as missing_lists

log = structlog.get_logger(__name__)

# How often a process looks whether a list is due; one that failed is tried again then.
_LOOK_SECONDS = 3600.0


class ListKeeper:
    """Logs each problem once: a file that stays invalid is not news every half minute."""

    def __init__(self, intelligence: Intelligence) -> None:
        self._intelligence = intelligence
        self._said: set[tuple[str, str]] = set()

    async def reload(self) -> None:
        """In a thread: a large table takes seconds to read, and orders continue meanwhile."""
        await asyncio.to_thread(self._intelligence.refresh_if_changed)
        rejected = {(item.file, item.sentence) for item in self._intelligence.rejections()}
        own = (source for sources in self._intelligence.status().values() for source in sources)
        used = {(source.name, source.checksum or "") for source in own if source.rank != RANK_BUNDLED}
        for file, sentence in sorted(rejected - self._said):
            log.warning("list rejected", file=file, reason=sentence)
        missing = {("", ", ".join(missing_lists(self._intelligence)))}
        for _, needs in missing - self._said:
            log.warning("lists are missing, run `lootkeep fraud lists refresh`", needs=needs)
        for source, checksum in sorted(used - self._said):
            log.info("list in use", source=source, checksum=checksum)
        self._said = rejected | used | missing


class ListRefresher:
    """Downloads the public lists that are missing or too old. Processes that share a folder find them new."""

    def __init__(
        self, folder: Path, clock: Clock, hours: int, lists: Sequence[fetching.PublicList] = fetching.PUBLIC_LISTS
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._max_age = hours * HOUR
        self._lists = lists

    async def run(self, stopping: asyncio.Event) -> None:
        while not stopping.is_set():
            await self.refresh()
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), _LOOK_SECONDS)

    async def refresh(self) -> None:
        due = [item for item in self._lists if self._is_due(self._folder / item.file)]
        for outcome in await fetching.refresh(self._folder, self._clock, due) if due else ():
            line = log.info if outcome.is_good else log.warning
            line(
                "list downloaded" if outcome.is_good else "list not downloaded",
                file=outcome.file,
                result=outcome.sentence,
            )

    def _is_due(self, file: Path) -> bool:
        """By when it was written: what it says about its own age depends on its maker."""
        try:
            return self._clock.now() - file.stat().st_mtime * SECOND >= self._max_age
        except OSError:
            return True
