"""The supported text formats: each reader turns a file into rows, a range of addresses and its label."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, partial

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.engines.intelligence.addresses import IpRange, ParsedIp, between, parsed, span
from lootkeep.engines.intelligence.layouts import network_of
from lootkeep.engines.intelligence.opening import Opened
from lootkeep.engines.intelligence.sources import FLAGS, Rejected, SourceKind
from lootkeep.kernel.clock import Instant, instant

# The range is None if a line cannot be read, the label is None if the line has nothing we need.
NetworkRow = tuple[IpRange | None, NetworkFacts | None]
RowReader = Callable[[Opened], Iterator[NetworkRow]]

# Tor's exit file: lines that name no address, and those that do.
_TOR_WORDS = ("ExitNode ", "Published ", "LastStatus ")
_TOR_EXIT = "ExitAddress "
# Where Tor's and FireHOL's files state their date.
_DATES = (
    (re.compile(_TOR_EXIT + r"\S+ (.+)"), "%Y-%m-%d %H:%M:%S"),
    (re.compile(r"# (?:Source|This) File Date *: \w{3} (\w{3} +\d+ \d+:\d+:\d+ UTC \d{4})"), "%b %d %H:%M:%S UTC %Y"),
)
_DOMAIN = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}")

# IP2Proxy's proxy types. Search engines and company networks are left out: they hide nobody.
_PROXY_NEEDS: dict[str, SourceKind] = {
    "VPN": "vpn",
    "CPN": "vpn",
    "TOR": "tor",
    "DCH": "datacenter",
    "PUB": "proxy",
    "WEB": "proxy",
    "RES": "proxy",
}
_PROXY_TYPES = {name: FLAGS[need] for name, need in _PROXY_NEEDS.items()} | dict.fromkeys(("SES", "EPN", "-"))
# The smallest product has no type column: it lists proxies and their country.
_ANY_PROXY = FLAGS["proxy"]
# Decimal numbers above this are IPv6, with IPv4 mapped into it.
_V4_LAST = (1 << 32) - 1


def addresses(need: SourceKind) -> RowReader:
    """A plain list of one kind, including FireHOL's sets and Tor's exit files."""
    return partial(_addresses, label=FLAGS[need])


def _addresses(file: Opened, label: NetworkFacts) -> Iterator[NetworkRow]:
    newest = Instant(0)
    for line in file.lines():
        text = _bare(line)
        if line.startswith(("#", _TOR_EXIT)):
            newest = max(newest, _stated_date(line))
            text = text.removeprefix(_TOR_EXIT).partition(" ")[0]
        if text and not line.startswith(_TOR_WORDS):
            yield span(text), label
    file.dated = newest or file.dated


def domains(file: Opened) -> Iterator[tuple[str | None, None]]:
    for line in file.lines():
        if text := _bare(line).lower().lstrip("@").removeprefix("*.").rstrip("."):
            yield text if _DOMAIN.fullmatch(text) else None, None


def iptoasn(file: Opened) -> Iterator[NetworkRow]:
    """First, last, number, country, name: the country is that of the network operator, not of the address."""
    label = cache(lambda number, name: network_of({"asn": number, "as_name": name}))
    for line in file.lines():
        if text := line.rstrip("\r\n"):
            first, last, number, _, name = (text.split("\t") + [""] * 5)[:5]
            yield _between(first, last), label(number, name)


def ip2proxy(file: Opened) -> Iterator[NetworkRow]:
    for cells in _cells(file):
        first, last, kind = (cells + [""] * 3)[:3]
        yield _between(first, last), _PROXY_TYPES.get(kind, _ANY_PROXY)


def headed(file: Opened) -> Iterator[NetworkRow]:
    """A table with column names in its first row."""
    rows = _cells(file)
    header = [name.strip().lower() for name in next(rows, [])]
    if "network" not in header and not {"start_ip", "end_ip"} <= set(header):
        raise Rejected("has no column `network`, nor `start_ip` and `end_ip`, in its first row")
    names = ("network",) if "network" in header else ("start_ip", "end_ip")
    range_columns = [header.index(name) for name in names]
    columns = [index for index in range(len(header)) if index not in range_columns]
    # Many rows share their other cells: these are parsed once.
    label = cache(
        lambda *values: network_of({header[index]: value for index, value in zip(columns, values, strict=True)})
    )
    where = span if "network" in header else _between
    for cells in rows:
        if len(cells) == len(header):
            yield where(*(cells[index] for index in range_columns)), label(*(cells[index] for index in columns))
        else:
            yield None, None


def _cells(file: Opened) -> Iterator[list[str]]:
    try:
        yield from (cells for cells in csv.reader(file.lines()) if cells)
    except csv.Error:
        raise Rejected("is not a table that can be read") from None


def _between(first: str, last: str) -> IpRange | None:
    return between(_end(first), _end(last))


def _end(text: str) -> ParsedIp | None:
    """An address as text or as a decimal number."""
    if not (text.isascii() and text.isdigit()):
        return parsed(text)
    number = int(text) if len(text) < 40 else 1 << 128
    return ParsedIp(number, number > _V4_LAST) if number >> 128 == 0 else None


def _bare(line: str) -> str:
    """The line without its comment."""
    return line.partition("#")[0].partition(";")[0].strip()


def _stated_date(line: str) -> Instant:
    for pattern, form in _DATES:
        if match := pattern.match(line):
            with suppress(ValueError):
                return instant(datetime.strptime(match[1], form).replace(tzinfo=UTC))
    return Instant(0)
