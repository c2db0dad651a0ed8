"""Tables of ranges: iptoasn's TSV, IP2Proxy's CSV and CSV with a header as IPinfo and IPLocate write it."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from lootkeep.domain.fraud.facts import Network
from lootkeep.engines.intelligence.addresses import Address, Span, between, parsed, span
from lootkeep.engines.intelligence.layouts import network_of
from lootkeep.engines.intelligence.lists import LINES_PER_MISTAKE
from lootkeep.engines.intelligence.opening import Opened
from lootkeep.engines.intelligence.ranges import AddressMap
from lootkeep.engines.intelligence.sources import RANK_TABLE, Need, Rejected, Source

# A row's range, and its cells that say something of it.
Row = tuple[Span | None, tuple[str, ...]]
Meaning = Callable[[tuple[str, ...]], Network | None]

# What IP2Proxy calls its kinds. Search engines and companies' own networks are left out: they hide nobody.
_PROXY_TYPES = {
    "VPN": Network(is_vpn=True),
    "CPN": Network(is_vpn=True),
    "TOR": Network(is_tor=True),
    "DCH": Network(is_datacenter=True),
    "PUB": Network(is_proxy=True),
    "WEB": Network(is_proxy=True),
    "RES": Network(is_proxy=True),
    "SES": None,
    "EPN": None,
    "-": None,
}
# The smallest product has no type: it lists proxies and their country.
_ANY_PROXY = Network(is_proxy=True)
# Decimal numbers above this are IPv6, with IPv4 mapped into it.
_V4_LAST = (1 << 32) - 1


def read_iptoasn(file: Opened) -> Source:
    rows = (line.rstrip("\r\n").split("\t") for line in file.lines())
    return _source(file, ((_range(cells), tuple(cells[2:])) for cells in rows if cells != [""]), _iptoasn)


def read_ip2proxy(file: Opened) -> Source:
    return _source(file, ((_range(cells), tuple(cells[2:3])) for cells in _cells(file)), _ip2proxy)


def read_headed(file: Opened) -> Source:
    """A table whose first row names its columns."""
    rows = iter(_cells(file))
    header = [name.strip().lower() for name in next(rows, [])]
    ranges = [header.index(name) for name in ("start_ip", "end_ip") if name in header]
    if "network" in header:
        ranges = [header.index("network")]
    elif len(ranges) < 2:
        raise Rejected("has no column `network`, nor `start_ip` and `end_ip`, in its first row")
    kept = [index for index in range(len(header)) if index not in ranges]
    names = [header[index] for index in kept]

    def split() -> Iterator[Row]:
        for cells in rows:
            if len(cells) != len(header):
                yield None, ()
            else:
                yield _range([cells[index] for index in ranges]), tuple(cells[index] for index in kept)

    return _source(file, split(), lambda cells: network_of(dict(zip(names, cells, strict=True))))


def _source(file: Opened, rows: Iterable[Row], meaning: Meaning) -> Source:
    table = _Table(meaning)
    try:
        known = AddressMap(table.read(rows), table.values)
    except csv.Error:
        raise Rejected("is not a table that can be read") from None
    table.check()

    def look(address: Address) -> Network | None:
        return known.get(address)

    return Source(
        file.name,
        dict(table.entries),
        look,
        dated=file.dated,
        checksum=file.checksum,
        skipped=table.mistakes,
        rank=RANK_TABLE,
    )


class _Table:
    """Equal rows share one answer; entries are counted by what they serve."""

    def __init__(self, meaning: Meaning) -> None:
        self.values: list[Network] = []
        self.mistakes = 0
        self._meaning = meaning
        self._indexes: dict[tuple[str, ...], int | None] = {}
        self._rows: Counter[int] = Counter()
        self._total = 0

    def read(self, rows: Iterable[Row]) -> Iterator[tuple[Span, int]]:
        for where, cells in rows:
            self._total += 1
            if where is None:
                self.mistakes += 1
                continue
            index = self._index(cells)
            if index is not None:
                self._rows[index] += 1
                yield where, index

    @property
    def entries(self) -> Counter[Need]:
        counted: Counter[Need] = Counter()
        for index, rows in self._rows.items():
            for need in _needs(self.values[index]):
                counted[need] += rows
        return counted

    def check(self) -> None:
        if self.mistakes * LINES_PER_MISTAKE > self._total:
            raise Rejected("has rows that are no range of addresses")
        if not self.entries:
            raise Rejected("tells nothing of any address")

    def _index(self, cells: tuple[str, ...]) -> int | None:
        if cells not in self._indexes:
            network = self._meaning(cells)
            self._indexes[cells] = None if network is None else len(self.values)
            if network is not None:
                self.values.append(network)
        return self._indexes[cells]


def _needs(network: Network) -> Iterator[Need]:
    said: dict[Need, object] = {
        "country": network.country,
        "city": network.city,
        "asn": network.asn_number,
        "datacenter": network.is_datacenter,
        "vpn": network.is_vpn,
        "proxy": network.is_proxy,
        "tor": network.is_tor,
    }
    yield from (need for need, value in said.items() if value)


def _iptoasn(cells: tuple[str, ...]) -> Network | None:
    """Number, country, name: the country is the operator's, not the address's."""
    return network_of({"asn": cells[0], "as_name": cells[-1] if len(cells) > 2 else ""}) if cells else None


def _ip2proxy(cells: tuple[str, ...]) -> Network | None:
    return _PROXY_TYPES.get(cells[0], _ANY_PROXY) if cells else None


def _cells(file: Opened) -> Iterator[list[str]]:
    return (cells for cells in csv.reader(file.lines()) if cells)


def _range(cells: Sequence[str]) -> Span | None:
    """A network in one cell, or the first and the last address in two, as text or as numbers."""
    if len(cells) == 1:
        return span(cells[0])
    return between(_end(cells[0]), _end(cells[1])) if cells else None


def _end(text: str) -> Address | None:
    if not (text.isascii() and text.isdigit()):
        return parsed(text)
    number = int(text) if len(text) < 40 else 1 << 128
    return Address(number, number > _V4_LAST) if number >> 128 == 0 else None
