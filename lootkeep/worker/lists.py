"""Reloads the IP lists and e-mail domain lists when their folder changes, and logs the results."""

from __future__ import annotations

import asyncio

import structlog

from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.intelligence.sources import RANK_BUNDLED
from lootkeep.services.health.lists import missing as missing_lists

log = structlog.get_logger(__name__)


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
