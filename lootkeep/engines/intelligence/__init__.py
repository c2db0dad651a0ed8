"""What is known of addresses and mail domains, from data on this machine alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

import msgspec

from lootkeep.domain.fraud.facts import Network
from lootkeep.engines.intelligence import bundled as bundled_lists
from lootkeep.engines.intelligence.folder import Folder, Rejection
from lootkeep.engines.intelligence.knowledge import Knowledge
from lootkeep.engines.intelligence.opening import LARGEST_TEXT
from lootkeep.engines.intelligence.sources import NEEDS, RANK_BUNDLED, Need, Source
from lootkeep.kernel.clock import Clock, Instant


class Served(msgspec.Struct, frozen=True):
    """A source that serves a need."""

    source: str
    entries: int | None
    dated: Instant | None
    checksum: str | None
    skipped: int
    # It came with a package, not from the operator's folder.
    is_bundled: bool


class NeedStatus(msgspec.Struct, frozen=True):
    """A need and who serves it, in the order in which they are asked; nobody: no list is loaded."""

    need: Need
    served_by: tuple[Served, ...]


class Intelligence:
    """Answers from memory in microseconds. Lists are read at the first question or by `refresh_if_changed`."""

    def __init__(
        self,
        folder: Path | None,
        clock: Clock,
        bundled: Callable[[], Sequence[Source]] = bundled_lists.sources,
        largest_text: int = LARGEST_TEXT,
    ) -> None:
        self._clock = clock
        self._bundled = bundled
        self._folder = Folder(folder, largest_text)
        self._known: Knowledge | None = None
        self._loading = Lock()

    def network(self, ip_address: str | None) -> Network:
        """What the lists say of an address; nothing of garbage and of addresses that are not public."""
        known = self._known or self._load()
        return known.network(ip_address, self._clock.now()) if ip_address else Network()

    def is_disposable(self, domain: str) -> bool:
        """Whether mail to this domain, or to one above it, is known to be thrown away."""
        return (self._known or self._load()).is_disposable(domain)

    def status(self) -> list[NeedStatus]:
        sources = (self._known or self._load()).sources
        return [
            NeedStatus(need, tuple(_served(source, need) for source in sources if need in source.entries))
            for need in NEEDS
        ]

    def rejections(self) -> list[Rejection]:
        """Files in the folder that are not used, and why."""
        if self._known is None:
            self._load()
        return self._folder.rejections

    def refresh_if_changed(self) -> None:
        """A look at the folder; new data is read whole and verified before it takes the place of the old."""
        with self._loading:
            if self._folder.look() or self._known is None:
                self._known = Knowledge(self._bundled(), self._folder.sources)

    def _load(self) -> Knowledge:
        """Whoever asks first waits for the lists: an order is not let through because they are still being read."""
        with self._loading:
            if self._known is None:
                self._folder.look()
                self._known = Knowledge(self._bundled(), self._folder.sources)
            return self._known


def _served(source: Source, need: Need) -> Served:
    return Served(
        source.name,
        source.entries[need],
        source.dated,
        source.checksum,
        source.skipped,
        source.rank == RANK_BUNDLED,
    )
