"""Lookups of IP addresses and e-mail domains, in data on this machine only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence import bundled as bundled_lists
from lootkeep.engines.intelligence.folder import Folder, Rejection
from lootkeep.engines.intelligence.knowledge import Knowledge
from lootkeep.engines.intelligence.opening import MAX_TEXT
from lootkeep.engines.intelligence.sources import NEEDS, Source, SourceKind
from lootkeep.kernel.clock import Clock


class Intelligence:
    """Answers from memory in microseconds. Lists are read at the first lookup or by `refresh_if_changed`."""

    def __init__(
        self,
        folder: Path | None,
        clock: Clock,
        bundled: Callable[[], Sequence[Source]] = bundled_lists.sources,
        max_text: int = MAX_TEXT,
    ) -> None:
        self._clock = clock
        self._bundled = bundled
        self._folder = Folder(folder, max_text)
        self._known: Knowledge | None = None
        self._loading = Lock()

    def network(self, ip_address: str | None) -> NetworkFacts:
        """What the lists say about an IP address; nothing if it is invalid or not public."""
        knowledge = self._known or self._load()
        return knowledge.network(ip_address, self._clock.now()) if ip_address else NetworkFacts()

    def is_disposable(self, domain: str) -> bool:
        """Whether this domain, or a parent domain, is a known disposable e-mail provider."""
        return (self._known or self._load()).is_disposable(domain)

    def status(self) -> dict[SourceKind, list[Source]]:
        """Each need with its sources, in order of precedence; empty if no list is loaded."""
        sources = (self._known or self._load()).sources
        return {need: [source for source in sources if need in source.entries] for need in NEEDS}

    def rejections(self) -> list[Rejection]:
        """Files in the folder that are not used, and why."""
        if self._known is None:
            self._load()
        return self._folder.rejections

    def refresh_if_changed(self) -> None:
        """Checks the folder; new data is read completely and verified before it replaces the old."""
        with self._loading:
            if self._folder.look() or self._known is None:
                self._known = Knowledge(self._bundled(), self._folder.sources)

    def _load(self) -> Knowledge:
        """The first caller waits for the lists: no order passes because they are still being read."""
        with self._loading:
            if self._known is None:
                self._folder.look()
                self._known = Knowledge(self._bundled(), self._folder.sources)
            return self._known
