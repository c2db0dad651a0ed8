"""Where the guides are, and their order: the navigation of mkdocs.yml, which the published site has too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import lootkeep

_PACKAGE = Path(lootkeep.__file__).parent
_IN_WHEEL = _PACKAGE / "guides"
# A wheel carries docs/ and mkdocs.yml; in a checkout both are next to the package.
ROOT = _IN_WHEEL if _IN_WHEEL.is_dir() else _PACKAGE.parent
DOCS = ROOT / "docs"
START = "index"

# `- Title: path.md`, `- Title:` above more of them, or `- path.md`, which has the title of what is above it.
_ENTRY = re.compile(r"( +)- (?:(.+):(?: |$))?(\S+\.md)?")


class Entry(NamedTuple):
    """A line of the navigation: a page, or a group of entries."""

    title: str
    # Empty for a group.
    path: str
    # The titles above it.
    trail: tuple[str, ...]
    entries: list[Entry]


def read(navigation: str) -> list[Entry]:
    """The entries below `nav:`, which is the last part of the file."""
    top = Entry("", "", (), [])
    above = [(0, top)]
    for line in navigation.partition("\nnav:\n")[2].splitlines():
        match = _ENTRY.fullmatch(line)
        if match is None:
            raise ValueError(f"A line below `nav` is neither a page nor a group: {line}")
        indent, title, path = len(match[1]), (match[2] or "").strip('"'), match[3] or ""
        while above[-1][0] >= indent:
            above.pop()
        group = above[-1][1]
        trail = (*group.trail, group.title) if group.title else ()
        entry = Entry(title or group.title, path.removesuffix(".md"), trail, [])
        group.entries.append(entry)
        above.append((indent, entry))
    return top.entries


@cache
def entries() -> list[Entry]:
    return read((ROOT / "mkdocs.yml").read_text())


@cache
def pages() -> dict[str, Entry]:
    """By path, in their order."""
    return {entry.path: entry for entry in _flat(entries()) if entry.path}


def markdown(path: str) -> str:
    return (DOCS / f"{path}.md").read_text()


def _flat(below: list[Entry]) -> Iterator[Entry]:
    for entry in below:
        yield entry
        yield from _flat(entry.entries)
