"""What a list is once it is read: what it serves, what it answers, and how old it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from lootkeep.domain.fraud.facts import Network
from lootkeep.engines.intelligence.addresses import Address
from lootkeep.kernel.clock import Instant

Need = Literal["country", "city", "asn", "datacenter", "vpn", "proxy", "tor", "disposable"]
NEEDS: tuple[Need, ...] = get_args(Need)

Look = Callable[[Address], Network | None]


class Rejected(Exception):
    """A file that is not used; the sentence says why and goes on after the file's name."""


class Unsettled(Rejected):
    """A file that changed while it was read: it is read again at the next look."""


def nothing(_: Address) -> Network | None:
    return None


@dataclass(frozen=True, slots=True)
class Source:
    name: str
    # What it serves, and with how many entries where that can be told.
    entries: Mapping[Need, int | None]
    look: Look = nothing
    domains: frozenset[str] = field(default=frozenset(), repr=False)
    dated: Instant | None = None
    checksum: str | None = None
    # Lines that could not be read, few enough to use the rest.
    skipped: int = 0
    # Of several sources the lower rank is asked first.
    rank: int = 0


# A database made for look-ups goes before tables, and what the operator brings before what came along.
RANK_DATABASE, RANK_TABLE, RANK_BUNDLED = range(3)
