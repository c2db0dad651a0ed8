"""MMDB files, whoever made them: read from a private copy, so that nobody can pull the file away underneath."""

from __future__ import annotations

import tempfile
from itertools import islice
from typing import TYPE_CHECKING

from lootkeep.domain.fraud.facts import Network
from lootkeep.engines.intelligence.addresses import Address
from lootkeep.engines.intelligence.layouts import fields_served, network_of
from lootkeep.engines.intelligence.opening import LARGEST_DATABASE, Opened
from lootkeep.engines.intelligence.sources import NEEDS, RANK_DATABASE, Need, Rejected, Source
from lootkeep.kernel.clock import SECOND, Instant

if TYPE_CHECKING:
    from maxminddb import Reader

# Stands before the description at the end of every MMDB file, within so many bytes.
_MARK = b"\xab\xcd\xefMaxMind.com"
_DESCRIPTION_BYTES = 128 << 10
# Networks that are read to see what the records hold, and addresses across all of IPv4 that are tried.
_SAMPLED = 2000
# Databases made for these flags name them only where they are true: the sample may have missed one.
_FLAG_WORDS = ("anonym", "privacy", "proxy", "vpn")
_FLAG_NEEDS: tuple[Need, ...] = ("datacenter", "vpn", "proxy", "tor")


def is_database(file: Opened) -> bool:
    return file.name.lower().endswith(".mmdb") or _MARK in file.tail(_DESCRIPTION_BYTES)


def read_database(file: Opened) -> Source:
    reader = _opened_copy(file)
    served = _verified(reader)
    described = reader.metadata()
    reads_v6 = described.ip_version == 6

    def look(address: Address) -> Network | None:
        if address.is_v6 and not reads_v6:
            return None
        try:
            return network_of(reader.get(address.text))
        # One damaged record does not stop a checkout.
        except (ValueError, _broken()):
            return None

    return Source(
        file.name,
        dict.fromkeys(served),
        look,
        dated=Instant(described.build_epoch * SECOND),
        checksum=file.checksum,
        rank=RANK_DATABASE,
    )


def _opened_copy(file: Opened) -> Reader:
    """The file is mapped into memory: were it cut short meanwhile, the next look-up would end the process."""
    # Loaded only where it is used.
    import maxminddb

    if file.status.st_size > LARGEST_DATABASE:
        raise Rejected(f"is larger than {LARGEST_DATABASE >> 30} GiB")
    with tempfile.NamedTemporaryFile(prefix="lootkeep-", suffix=".mmdb") as copy:
        for block in file.blocks():
            copy.write(block)
        copy.flush()
        try:
            return maxminddb.open_database(copy.name)
        except (ValueError, _broken()):
            raise Rejected("is not an MMDB file, or it is cut short or damaged") from None


def _verified(reader: Reader) -> tuple[Need, ...]:
    """Which needs the records serve, after a look all over the file."""
    described = reader.metadata()
    served: set[str] = set()
    try:
        for _, record in islice(reader, _SAMPLED):
            served |= fields_served(record)
        for number in range(1 << 24, 224 << 24, (223 << 24) // _SAMPLED):
            served |= fields_served(reader.get(Address(number).text))
    except (ValueError, _broken()):
        raise Rejected("is damaged: some of its records cannot be read") from None
    if any(word in described.database_type.lower() for word in _FLAG_WORDS):
        served.update(_FLAG_NEEDS)
    if not served:
        raise Rejected("has no field that is known here: no country, city, network or flag")
    return tuple(need for need in NEEDS if need in served)


def _broken() -> type[Exception]:
    from maxminddb import InvalidDatabaseError

    return InvalidDatabaseError
