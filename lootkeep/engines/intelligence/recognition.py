"""Recognises files by name, or else by content, and turns their rows into a source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from lootkeep.engines.intelligence import readers
from lootkeep.engines.intelligence.addresses import AddressMap
from lootkeep.engines.intelligence.opening import Opened
from lootkeep.engines.intelligence.readers import RowReader
from lootkeep.engines.intelligence.sources import FLAGS, Rejected, Source, SourceKind, needs_of

K = TypeVar("K")
V = TypeVar("V")

# A typo in a long list costs its line; with more than one in this number of lines, the file is something else.
LINES_PER_MISTAKE = 100
# A list of one flag that covers half of all IP addresses is a mistake.
_MAX_FLAGGED_V4 = 1 << 31
# Large mail providers: a list that contains one of them is not a list of disposable domains.
_EVERYBODY = frozenset({"gmail.com", "outlook.com", "hotmail.com", "yahoo.com", "icloud.com", "proton.me", "gmx.de"})


class FileKind(NamedTuple):
    """Files of one format. The table in docs/operate/lists.md has a row for each."""

    names: str
    pattern: str
    # None: a list of mail domains.
    reader: RowReader | None
    # Files with other names that start with this have the format too.
    content: bytes | None = None


_LIST = r"[^/]*(\.(txt|list|netset|ipset|conf|csv)(\.gz)?)?"

KINDS = (
    FileKind("`*.tsv`, `*.tsv.gz`", r".*\.tsv(\.gz)?", readers.iptoasn),
    FileKind("`*ip2proxy*.csv`", r".*ip2proxy.*\.csv(\.gz)?", readers.ip2proxy),
    FileKind("any other `*.csv`, `*.csv.gz`", r".*\.csv(\.gz)?", readers.headed, content=rb'"?(network|start_ip)"?,'),
    FileKind("`disposable*.txt`, `disposable*.conf`", r"disposable.*\.(txt|conf|list)(\.gz)?", None),
    FileKind(
        "`tor.txt`, `*tor_*`, `*_tor*`, `torbulkexitlist`, `exit-addresses`",
        rf"((.*[^a-z])?tor([^a-z]{_LIST})?|torbulkexitlist.*|exit-addresses.*)",
        readers.addresses("tor"),
        content=rb"(ExitNode|ExitAddress) ",
    ),
    FileKind("`vpn.txt`, `*vpn*`", rf".*vpn{_LIST}", readers.addresses("vpn")),
    FileKind(
        "`proxy.txt`, `*proxy*`, `*proxies*`, `*anonymous*`, `*socks*`",
        rf".*(proxy|proxies|anonymous|socks){_LIST}",
        readers.addresses("proxy"),
        content=rb"(?s)#.*\n# Category *: anonymizers",
    ),
    FileKind(
        "`datacenter.txt`, `*datacenter*`, `*hosting*`",
        rf".*(datacenter|hosting){_LIST}",
        readers.addresses("datacenter"),
    ),
)
DATABASE_NAMES = "`*.mmdb`"
# Precedes the description at the end of every MMDB file, within this number of bytes.
_DATABASE_MARK = b"\xab\xcd\xefMaxMind.com"
_DESCRIPTION_BYTES = 128 << 10

# Other files in the folder: notes, checksums, drafts.
_IGNORED = re.compile(r"\..*|.*(\.md|\.sha256|\.tmp|\.part)|(readme|license).*")


def is_ignored(name: str) -> bool:
    return bool(_IGNORED.fullmatch(name.lower()))


def read(file: Opened) -> Source:
    if file.name.lower().endswith(".mmdb") or _DATABASE_MARK in file.tail(_DESCRIPTION_BYTES):
        # Loaded only where it is used: it takes a tenth of a second.
        from lootkeep.engines.intelligence import databases

        return databases.read(file)
    reader = _kind(file).reader
    return _read_domains(file) if reader is None else _read_addresses(file, reader)


def _kind(file: Opened) -> FileKind:
    name, head = file.name.lower(), file.head()
    for kind in KINDS:
        if re.fullmatch(kind.pattern, name):
            return kind
    for kind in KINDS:
        if kind.content and re.match(kind.content, head):
            return kind
    raise Rejected("has an unknown name: see the guide at /docs/guides/operate/lists")


def _read_addresses(file: Opened, reader: RowReader) -> Source:
    rows = _Rows(file)
    labels = AddressMap((where, label) for where, label in rows.readable(reader(file)) if label is not None)
    rows.check("an IP address or a network")
    entries: Counter[SourceKind] = Counter()
    for label, count in labels.rows.items():
        entries.update(dict.fromkeys(needs_of(label), count))
    if not entries:
        raise Rejected("has no entries")
    if entries.keys() <= FLAGS.keys() and labels.covered_v4 >= _MAX_FLAGGED_V4:
        raise Rejected("covers half of all IP addresses")
    return Source(file.name, entries, labels.get, dated=file.dated, checksum=file.checksum(), skipped=rows.mistakes)


def _read_domains(file: Opened) -> Source:
    rows = _Rows(file)
    domains = frozenset(domain for domain, _ in rows.readable(readers.domains(file)))
    rows.check("a domain")
    if ordinary := sorted(domains & _EVERYBODY):
        raise Rejected(f"contains {ordinary[0]}, which is not disposable")
    return Source(
        file.name,
        {"disposable": len(domains)},
        domains=domains,
        dated=file.dated,
        checksum=file.checksum(),
        skipped=rows.mistakes,
    )


class _Rows:
    """Counts rows, and unreadable rows, while they pass."""

    def __init__(self, file: Opened) -> None:
        self.mistakes = 0
        self._file = file
        self._total = 0
        self._first_mistake = 0

    def readable(self, rows: Iterable[tuple[K | None, V]]) -> Iterator[tuple[K, V]]:
        for key, value in rows:
            self._total += 1
            if key is None:
                self.mistakes += 1
                self._first_mistake = self._first_mistake or self._file.line_number
            else:
                yield key, value

    def check(self, content: str) -> None:
        if self.mistakes * LINES_PER_MISTAKE > self._total:
            raise Rejected(f"does not have {content} in line {self._first_mistake}")
        if not self._total:
            raise Rejected("is empty")
