"""Where the demo's buyers connect from: documentation IP addresses, and our own lists of them."""

from __future__ import annotations

import ipaddress
from random import Random

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.intelligence.addresses import ParsedIp
from lootkeep.engines.intelligence.sources import RANK_BUNDLED, Source, SourceKind
from lootkeep.kernel.clock import Clock
from lootkeep.toolbox.demo_store.names import COUNTRIES

# The demo uses no real address: these ranges are reserved for documentation, and no real list contains them.
_HOME_V6 = int(ipaddress.ip_address("2001:db8::"))
_HOME_V4 = tuple(int(ipaddress.ip_address(text)) for text in ("192.0.2.0", "203.0.113.0"))
_BLOCK = 16

# The blocks of sixteen addresses that are not homes in the countries of most buyers.
VPN, PROXY, TOR, DATACENTER = "198.51.100.0", "198.51.100.64", "198.51.100.128", "198.51.100.192"
SANCTIONED, HIGH_RISK, BLOCKED = "203.0.113.160", "203.0.113.176", "203.0.113.192"
SANCTIONED_COUNTRY, HIGH_RISK_COUNTRY, BLOCKED_COUNTRY = "CU", "HT", "AQ"

# The domain of disposable mailboxes.
DISPOSABLE = "ten-minutes.example"

_SPECIAL = {
    VPN: NetworkFacts(country="NL", city="Utrecht", asn_number=64500, asn_name="Veil VPN (demo)", is_vpn=True),
    PROXY: NetworkFacts(country="US", city="Boise", asn_number=64501, asn_name="Open Relay (demo)", is_proxy=True),
    TOR: NetworkFacts(country="DE", city="Kassel", asn_number=64502, asn_name="Onion Exit (demo)", is_tor=True),
    DATACENTER: NetworkFacts(
        country="US", city="Reno", asn_number=64503, asn_name="Rack and Stack Hosting (demo)", is_datacenter=True
    ),
    SANCTIONED: NetworkFacts(country=SANCTIONED_COUNTRY, asn_number=64504, asn_name="Island Telecom (demo)"),
    HIGH_RISK: NetworkFacts(country=HIGH_RISK_COUNTRY, asn_number=64505, asn_name="Harbour Net (demo)"),
    BLOCKED: NetworkFacts(country=BLOCKED_COUNTRY, asn_number=64506, asn_name="Polar Station (demo)"),
}
_HOMES = tuple(
    NetworkFacts(
        country=country.code, city=country.city, asn_number=64510 + index, asn_name=f"{country.city} Fibre (demo)"
    )
    for index, country in enumerate(COUNTRIES)
)


def _home_block(index: int) -> int:
    return _HOME_V4[index // _BLOCK] + index % _BLOCK * _BLOCK


_BLOCKS = {int(ipaddress.ip_address(text)) // _BLOCK: network for text, network in _SPECIAL.items()} | {
    _home_block(index) // _BLOCK: network for index, network in enumerate(_HOMES)
}


def home(index: int, rng: Random) -> str:
    """An IP address of the country with this number; the few IPv4 addresses are shared, as with many providers."""
    if rng.random() < 0.3:
        return str(ipaddress.ip_address(_home_block(index) + rng.randrange(_BLOCK)))
    return str(ipaddress.ip_address(_HOME_V6 | index << 80 | rng.getrandbits(32) << 48 | 1))


def special(start: str, rng: Random) -> str:
    """An IP address from one of the blocks above."""
    return str(ipaddress.ip_address(int(ipaddress.ip_address(start)) + rng.randrange(_BLOCK)))


def intelligence(clock: Clock) -> Intelligence:
    """Knows only the demo's IP addresses: the operator's lists are neither read nor written."""
    return Intelligence(None, clock, bundled=_sources)


def _sources() -> list[Source]:
    needs: dict[SourceKind, int | None] = {
        "country": len(_BLOCKS) + len(_HOMES),
        "asn": len(_BLOCKS) + len(_HOMES),
        "vpn": 1,
        "proxy": 1,
        "tor": 1,
        "datacenter": 1,
    }
    ip_source = Source("the demo's addresses", needs, _look, rank=RANK_BUNDLED)
    return [
        ip_source,
        Source("the demo's mail domains", {"disposable": 1}, domains=frozenset({DISPOSABLE}), rank=RANK_BUNDLED),
    ]


def _look(ip: ParsedIp) -> NetworkFacts | None:
    if not ip.is_v6:
        return _BLOCKS.get(ip.number // _BLOCK)
    index = ip.number >> 80 & 0xFFFF
    return _HOMES[index] if index < len(_HOMES) else None
