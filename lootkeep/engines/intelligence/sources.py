"""A list after reading: the needs it serves, its labels for addresses, and its age."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import Literal, get_args

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence.addresses import ParsedIp
from lootkeep.kernel.clock import Instant

SourceKind = Literal["country", "city", "asn", "datacenter", "vpn", "proxy", "tor", "disposable"]
NEEDS: tuple[SourceKind, ...] = get_args(SourceKind)
# The label of an address for each boolean need.
FLAGS: dict[SourceKind, NetworkFacts] = {
    "datacenter": NetworkFacts(is_datacenter=True),
    "vpn": NetworkFacts(is_vpn=True),
    "proxy": NetworkFacts(is_proxy=True),
    "tor": NetworkFacts(is_tor=True),
}

# A database takes precedence over tables, and the operator's files over the bundled data.
RANK_DATABASE, RANK_TABLE, RANK_BUNDLED = range(3)


class Rejected(Exception):
    """A file that is not used; the sentence gives the reason and continues after the file's name."""


class FileChanging(Rejected):
    """A file that changed while it was read: it is read again at the next check."""


@dataclass(frozen=True, slots=True)
class Source:
    name: str
    # The needs it serves, with the number of entries where that is known.
    entries: Mapping[SourceKind, int | None]
    look: Callable[[ParsedIp], NetworkFacts | None] = lambda _: None
    domains: Set[str] = field(default=frozenset(), repr=False)
    dated: Instant | None = None
    checksum: str | None = None
    # Unreadable lines, few enough to use the rest.
    skipped: int = 0
    rank: int = RANK_TABLE


def needs_of(network: NetworkFacts) -> set[SourceKind]:
    """The needs for which a label has an answer."""
    values: dict[SourceKind, object] = {"country": network.country, "city": network.city, "asn": network.asn_number}
    values |= {need: getattr(network, f"is_{need}") for need in FLAGS}
    return {need for need, value in values.items() if value}
