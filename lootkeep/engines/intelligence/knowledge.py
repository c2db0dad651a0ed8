"""All lists together, as they are asked: made anew when a list changes, never changed."""

from __future__ import annotations

from collections.abc import Sequence

from lootkeep.domain.fraud.facts import Network
from lootkeep.engines.intelligence.folder import rank
from lootkeep.engines.intelligence.hosting import DATED, HOSTING_NETWORKS
from lootkeep.engines.intelligence.reserved import judged
from lootkeep.engines.intelligence.sources import RANK_BUNDLED, Source
from lootkeep.kernel.clock import DAY, Instant

_HOSTING = Source("hosting companies' networks", {"datacenter": len(HOSTING_NETWORKS)}, dated=DATED, rank=RANK_BUNDLED)


class Knowledge:
    def __init__(self, bundled: Sequence[Source], own: Sequence[Source]) -> None:
        sources = [*bundled, *own]
        # Our list of hosting companies needs to know the network of an address.
        if any("asn" in source.entries for source in sources):
            sources.append(_HOSTING)
        self.sources = rank(sources)
        self._asked = tuple(source for source in self.sources if not source.domains and source is not _HOSTING)
        self._domains = tuple(source.domains for source in self.sources if source.domains)
        self._newest_tor = max(
            (source.dated for source in self.sources if "tor" in source.entries and source.dated is not None),
            default=None,
        )

    def network(self, text: str, now: Instant) -> Network:
        address = judged(text)
        if address is None:
            return Network()
        country = city = number = name = tor_dated = None
        is_vpn = is_proxy = is_datacenter = is_tor = False
        for source in self._asked:
            found = source.look(address)
            if found is None:
                continue
            country = country or found.country
            # A city belongs to its country, a name to its number: never one from here and one from there.
            if city is None and found.country == country:
                city = found.city
            if number is None:
                number, name = found.asn_number, found.asn_name
            is_vpn |= found.is_vpn
            is_proxy |= found.is_proxy
            is_datacenter |= found.is_datacenter
            if found.is_tor:
                is_tor = True
                tor_dated = max(tor_dated or 0, source.dated or 0)
        return Network(
            country=country,
            city=city,
            asn_number=number,
            asn_name=name,
            is_vpn=is_vpn,
            is_proxy=is_proxy,
            is_datacenter=is_datacenter or number in HOSTING_NETWORKS,
            is_tor=is_tor,
            tor_list_days=_days(tor_dated or self._newest_tor, now),
        )

    def is_disposable(self, domain: str) -> bool:
        labels = _ascii(domain).strip(".").split(".")
        return any(".".join(labels[start:]) in domains for start in range(len(labels) - 1) for domains in self._domains)


def _days(dated: int | None, now: Instant) -> int | None:
    return None if dated is None else max(0, now - dated) // DAY


def _ascii(domain: str) -> str:
    """As lists have it: lower case, and other scripts in their ASCII form."""
    lower = domain.lower()
    if lower.isascii():
        return lower
    try:
        return lower.encode("idna").decode("ascii")
    except UnicodeError:
        return lower
