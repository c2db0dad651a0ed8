"""All lists combined for lookups: immutable, and rebuilt when a list changes."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_network

from lootkeep.domain.addresses import NOT_PUBLIC
from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence.addresses import AddressMap, ParsedIp, parsed, span, unwrapped
from lootkeep.engines.intelligence.hosting import DATED, HOSTING_NETWORKS
from lootkeep.engines.intelligence.sources import RANK_BUNDLED, Source
from lootkeep.kernel.clock import DAY, Instant

_HOSTING = Source("hosting companies' networks", {"datacenter": len(HOSTING_NETWORKS)}, dated=DATED, rank=RANK_BUNDLED)

# No buyer has these addresses, but they can be looked up: lists in tests may contain them, real ones do not.
_DOCUMENTATION = frozenset(
    map(ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"))
)
# Only 2000::/3 of IPv6 is assigned; the rest is unused.
_NOT_GIVEN_OUT = map(ip_network, ("::/3", "4000::/2", "8000::/1"))
_RESERVED = AddressMap(
    (where, True) for network in {*NOT_PUBLIC, *_NOT_GIVEN_OUT} - _DOCUMENTATION if (where := span(str(network)))
)


def judged(text: str) -> ParsedIp | None:
    """The address to look up: the IPv4 address inside an IPv6 one; None if it is invalid or not public."""
    ip = parsed(text.partition("%")[0])
    if ip is None:
        return None
    ip = unwrapped(ip)
    return None if _RESERVED.get(ip) else ip


class Knowledge:
    def __init__(self, bundled: Sequence[Source], own: Sequence[Source]) -> None:
        sources = [*bundled, *own]
        # Our list of hosting companies needs the network of an address.
        if any("asn" in source.entries for source in sources):
            sources.append(_HOSTING)
        # In order of precedence: databases first, the newest first among equals.
        self.sources = sorted(sources, key=lambda source: (source.rank, -(source.dated or 0), source.name))
        self._asked = tuple(source for source in self.sources if not source.domains and source is not _HOSTING)
        self._domains = tuple(source.domains for source in self.sources if source.domains)
        self._newest_tor = max(
            (source.dated for source in self.sources if "tor" in source.entries and source.dated is not None),
            default=None,
        )

    def network(self, text: str, now: Instant) -> NetworkFacts:
        ip = judged(text)
        if ip is None:
            return NetworkFacts()
        country = city = number = name = tor_dated = None
        is_vpn = is_proxy = is_datacenter = is_tor = False
        for source in self._asked:
            label = source.look(ip)
            if label is None:
                continue
            country = country or label.country
            # A city and its country, or a name and its number, always come from the same source.
            if city is None and label.country == country:
                city = label.city
            if number is None:
                number, name = label.asn_number, label.asn_name
            is_vpn |= label.is_vpn
            is_proxy |= label.is_proxy
            is_datacenter |= label.is_datacenter
            if label.is_tor:
                is_tor = True
                tor_dated = max(tor_dated or 0, source.dated or 0)
        return NetworkFacts(
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
    """As in the lists: lower case, and other scripts in ASCII form."""
    lower = domain.lower()
    if lower.isascii():
        return lower
    try:
        return lower.encode("idna").decode("ascii")
    except UnicodeError:
        return lower
