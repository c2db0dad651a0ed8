"""The data installed with the service, each from its own package; nothing here uses the network."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib import metadata

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence.addresses import ParsedIp
from lootkeep.engines.intelligence.layouts import country
from lootkeep.engines.intelligence.sources import RANK_BUNDLED, Source


@cache
def sources() -> tuple[Source, ...]:
    """Loaded once per process; a missing or damaged package is skipped, and `doctor` reports the gap."""
    result = []
    for load in (_countries, _networks, _disposable_domains):
        # Whatever is wrong with a package, orders continue without it.
        with suppress(Exception):
            result.append(load())
    return tuple(result)


def _countries() -> Source:
    """From the registries: where an address was assigned, which for homes is nearly always where it is used."""
    from iptocc import country_code

    def look(ip: ParsedIp) -> NetworkFacts | None:
        code = country(country_code(ip.text))
        return NetworkFacts(country=code) if code else None

    return Source(_named("iptocc"), {"country": None}, look, rank=RANK_BUNDLED)


def _networks() -> Source:
    """The optional extra: `pip install lootkeep[asn]`."""
    from whereip_network import table

    networks = table()

    def look(ip: ParsedIp) -> NetworkFacts | None:
        # It stores IPv6 by its upper half.
        number = ip.number >> 64 if ip.is_v6 else ip.number
        facts, *_ = networks.lookup(number, ip.is_v6)
        return NetworkFacts(asn_number=facts.asn, asn_name=facts.company or facts.name or None) if facts.asn else None

    return Source(_named("whereip-network"), {"asn": None}, look, rank=RANK_BUNDLED)


def _disposable_domains() -> Source:
    from disposable_email_domains import blocklist

    name, count = _named("disposable-email-domains"), len(blocklist)
    return Source(name, {"disposable": count}, domains=blocklist, rank=RANK_BUNDLED)


def _named(package: str) -> str:
    return f"{package} {metadata.version(package)}"
