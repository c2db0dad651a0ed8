"""Which file is which: by its name first, by what it holds where the name does not tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from lootkeep.engines.intelligence import databases, lists, tables
from lootkeep.engines.intelligence.opening import Opened
from lootkeep.engines.intelligence.sources import Need, Rejected, Source

Read = Callable[[Opened], Source]


class Kind(NamedTuple):
    """Files of one sort. The table in docs/operate/lists.md has a row for each."""

    names: str
    read: Read
    pattern: re.Pattern[str]
    # Files with other names that begin with this are of the sort too.
    content: re.Pattern[bytes] | None = None


def _addresses(need: Need) -> Read:
    return partial(lists.read_addresses, need=need)


_LIST = r"[^/]*(\.(txt|list|netset|ipset|conf|csv)(\.gz)?)?"

KINDS = (
    Kind("`*.tsv`, `*.tsv.gz`", tables.read_iptoasn, re.compile(r".*\.tsv(\.gz)?")),
    Kind("`*ip2proxy*.csv`", tables.read_ip2proxy, re.compile(r".*ip2proxy.*\.csv(\.gz)?")),
    Kind(
        "any other `*.csv`, `*.csv.gz`",
        tables.read_headed,
        re.compile(r".*\.csv(\.gz)?"),
        re.compile(rb'"?(network|start_ip)"?,'),
    ),
    Kind(
        "`disposable*.txt`, `disposable*.conf`",
        partial(lists.read_domains, need="disposable"),
        re.compile(r"disposable.*\.(txt|conf|list)(\.gz)?"),
    ),
    Kind(
        "`tor.txt`, `*tor_*`, `*_tor*`, `torbulkexitlist`, `exit-addresses`",
        _addresses("tor"),
        re.compile(rf"((.*[^a-z])?tor([^a-z]{_LIST})?|torbulkexitlist.*|exit-addresses.*)"),
        re.compile(rb"(ExitNode|ExitAddress) "),
    ),
    Kind("`vpn.txt`, `*vpn*`", _addresses("vpn"), re.compile(rf".*vpn{_LIST}")),
    Kind(
        "`proxy.txt`, `*proxy*`, `*proxies*`, `*anonymous*`, `*socks*`",
        _addresses("proxy"),
        re.compile(rf".*(proxy|proxies|anonymous|socks|xroxy){_LIST}"),
        re.compile(rb"(?s)#.*\n# Category *: anonymizers"),
    ),
    Kind(
        "`datacenter.txt`, `*datacenter*`, `*hosting*`",
        _addresses("datacenter"),
        re.compile(rf".*(datacenter|datacentre|hosting){_LIST}"),
    ),
)
DATABASE_NAMES = "`*.mmdb`"

# What lies beside lists: notes, checksums, drafts.
_IGNORED = re.compile(r"\..*|.*(\.md|\.sha256|\.sha256sum|\.tmp|\.part|~)|(readme|license|licence|notice|copying).*")


def is_ignored(name: str) -> bool:
    return bool(_IGNORED.fullmatch(name.lower()))


def read(file: Opened) -> Source:
    if databases.is_database(file):
        return databases.read_database(file)
    name = file.name.lower()
    head = file.head()
    found = next((kind for kind in KINDS if kind.pattern.fullmatch(name)), None)
    found = found or next((kind for kind in KINDS if kind.content and kind.content.match(head)), None)
    if found is None:
        raise Rejected("has a name that does not tell what it lists: see docs/operate/lists.md")
    return found.read(file)
