"""Plain lists: addresses and networks one to a line, Tor's exit files, FireHOL's sets, and domains of mail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from lootkeep.domain.fraud.facts import Network
from lootkeep.engines.intelligence.addresses import Address, Span, span
from lootkeep.engines.intelligence.opening import Opened
from lootkeep.engines.intelligence.ranges import AddressSet
from lootkeep.engines.intelligence.sources import RANK_TABLE, Need, Rejected, Source
from lootkeep.kernel.clock import Instant, instant

# A typo in a long list costs its line; more than one line in so many, and it is no list of ours.
LINES_PER_MISTAKE = 100
# A list that names half of all addresses is a mishap.
_MOST_OF_V4 = 1 << 31

FLAGS: dict[Need, Network] = {
    "vpn": Network(is_vpn=True),
    "proxy": Network(is_proxy=True),
    "tor": Network(is_tor=True),
    "datacenter": Network(is_datacenter=True),
}
# Lines of Tor's exit file that name no address.
_TOR_WORDS = ("ExitNode ", "Published ", "LastStatus ")
_TOR_EXIT = "ExitAddress "
_FIREHOL_DATE = re.compile(r"# (?:Source File Date|This File Date) *: \w{3} (\w{3} +\d+ \d+:\d+:\d+) UTC (\d{4})")
_DOMAIN = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}")
# Where everybody has mail: a list that names one of them is not what it says.
_EVERYBODY = frozenset({"gmail.com", "outlook.com", "hotmail.com", "yahoo.com", "icloud.com", "proton.me", "gmx.de"})


def read_addresses(file: Opened, need: Need) -> Source:
    reading = _Reading()
    spans = AddressSet(reading.spans(file))
    reading.check("an address or a network")
    if spans.covered_v4 >= _MOST_OF_V4:
        raise Rejected("names half of all addresses")
    answer = FLAGS[need]

    def look(address: Address) -> Network | None:
        return answer if address in spans else None

    return Source(
        file.name,
        {need: reading.entries},
        look,
        dated=reading.dated or file.dated,
        checksum=file.checksum,
        skipped=reading.mistakes,
        rank=RANK_TABLE,
    )


def read_domains(file: Opened, need: Need) -> Source:
    reading = _Reading()
    domains = frozenset(reading.domains(file))
    reading.check("a domain")
    if known := sorted(domains & _EVERYBODY):
        raise Rejected(f"names {known[0]}, which is not disposable")
    return Source(
        file.name,
        {need: len(domains)},
        domains=domains,
        dated=file.dated,
        checksum=file.checksum,
        skipped=reading.mistakes,
        rank=RANK_TABLE,
    )


class _Reading:
    """Counts what a list holds while its lines go by."""

    def __init__(self) -> None:
        self.entries = 0
        self.mistakes = 0
        self.first_mistake = 0
        self.dated: Instant | None = None

    def spans(self, file: Opened) -> Iterator[Span]:
        for number, line in enumerate(file.lines(), 1):
            text = self._address(line)
            if not text:
                continue
            if found := span(text):
                self.entries += 1
                yield found
            else:
                self._mistake(number)

    def domains(self, file: Opened) -> Iterator[str]:
        for number, line in enumerate(file.lines(), 1):
            text = _bare(line).lower().lstrip("@").removeprefix("*.").rstrip(".")
            if not text:
                continue
            if _DOMAIN.fullmatch(text):
                self.entries += 1
                yield text
            else:
                self._mistake(number)

    def check(self, what: str) -> None:
        if self.mistakes * LINES_PER_MISTAKE > self.entries + self.mistakes:
            raise Rejected(f"does not hold {what} in line {self.first_mistake}")
        if not self.entries:
            raise Rejected("is empty")

    def _address(self, line: str) -> str:
        if line.startswith("#"):
            self._note_date(line)
            return ""
        if line.startswith(_TOR_EXIT):
            _, address, *moment = line.split()
            self._note(" ".join(moment), "%Y-%m-%d %H:%M:%S")
            return address
        return "" if line.startswith(_TOR_WORDS) else _bare(line)

    def _note_date(self, comment: str) -> None:
        if match := _FIREHOL_DATE.match(comment):
            self._note(f"{match[1]} {match[2]}", "%b %d %H:%M:%S %Y")

    def _note(self, text: str, form: str) -> None:
        """The newest moment that the file names is its own date."""
        with suppress(ValueError):
            moment = instant(datetime.strptime(text, form).replace(tzinfo=UTC))
            self.dated = max(moment, self.dated or moment)

    def _mistake(self, number: int) -> None:
        self.mistakes += 1
        self.first_mistake = self.first_mistake or number


def _bare(line: str) -> str:
    """The line without its comment."""
    return line.partition("#")[0].partition(";")[0].strip()
