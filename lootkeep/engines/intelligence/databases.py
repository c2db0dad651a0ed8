"""MMDB files of any publisher: read from a private copy, so nobody can truncate the file during use."""

from __future__ import annotations

import tempfile
from itertools import islice
from shutil import copyfileobj

import maxminddb

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence.addresses import ParsedIp
from lootkeep.engines.intelligence.layouts import needs_served, network_of
from lootkeep.engines.intelligence.opening import Opened
from lootkeep.engines.intelligence.sources import FLAGS, RANK_DATABASE, Rejected, Source, SourceKind
from lootkeep.kernel.clock import SECOND, Instant

_MAX_BYTES = 2 << 30
# How many networks are read to see what records contain, and how many addresses across IPv4 are tried.
_SAMPLED = 2000
# Databases for these flags contain them only if true: the sample may have missed one.
_FLAG_WORDS = ("anonym", "privacy", "proxy", "vpn")


def read(file: Opened) -> Source:
    reader = _opened_copy(file)
    served = _verified(reader)
    described = reader.metadata()
    reads_v6 = described.ip_version == 6

    def look(ip: ParsedIp) -> NetworkFacts | None:
        if ip.is_v6 and not reads_v6:
            return None
        try:
            return network_of(reader.get(ip.text))
        # One damaged record does not stop a checkout.
        except (ValueError, maxminddb.InvalidDatabaseError):
            return None

    return Source(
        file.name,
        dict.fromkeys(served),
        look,
        dated=Instant(described.build_epoch * SECOND),
        checksum=file.checksum(),
        rank=RANK_DATABASE,
    )


def _opened_copy(file: Opened) -> maxminddb.Reader:
    """The file is mapped into memory: if it were truncated, the next lookup would kill the process."""
    if file.status.st_size > _MAX_BYTES:
        raise Rejected(f"is larger than {_MAX_BYTES >> 30} GiB")
    with tempfile.NamedTemporaryFile(prefix="lootkeep-", suffix=".mmdb") as copy:
        copyfileobj(file.raw, copy)
        copy.flush()
        try:
            return maxminddb.open_database(copy.name)
        except (ValueError, maxminddb.InvalidDatabaseError):
            raise Rejected("is not an MMDB file, or it is truncated or damaged") from None


def _verified(reader: maxminddb.Reader) -> set[SourceKind]:
    """Which needs the records serve, from samples all over the file."""
    described = reader.metadata()
    served: set[SourceKind] = set()
    try:
        for _, record in islice(reader, _SAMPLED):
            served |= needs_served(record)
        for number in range(1 << 24, 224 << 24, (223 << 24) // _SAMPLED):
            served |= needs_served(reader.get(ParsedIp(number).text))
    except (ValueError, maxminddb.InvalidDatabaseError):
        raise Rejected("is damaged: some of its records cannot be read") from None
    if any(word in described.database_type.lower() for word in _FLAG_WORDS):
        served.update(FLAGS)
    if not served:
        raise Rejected("has no known field: no country, city, network or flag")
    return served
