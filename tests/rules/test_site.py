"""The site has a place for every page, and every page's links stay within the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os.path import normpath
from pathlib import Path
from typing import Any

import yaml

from tests.rules.tree import ROOT, files, name

DOCS = ROOT / "docs"
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
PAGES = files("*.md", under=DOCS)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_BLOCK = re.compile(r"```.*?```", re.DOTALL)


def _paths(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        for below in entry.values():
            yield from _paths(below)
    else:
        for below in entry:
            yield from _paths(below)


def test_every_page_has_its_place_in_the_navigation() -> None:
    placed = list(_paths(SITE["nav"]))
    there = [page.relative_to(DOCS).as_posix() for page in PAGES]
    missing = [path for path in there if path not in placed]
    gone = [path for path in placed if not (DOCS / path).exists()]
    assert not missing, f"mkdocs.yml has no line below `nav` for {', '.join(missing)}."
    assert not gone, f"mkdocs.yml names {', '.join(gone)}, which is not in docs/."
    assert len(placed) == len(set(placed)), "mkdocs.yml names a page twice."


def test_links_of_every_page_stay_within_the_site() -> None:
    outside = {name(page): links for page in PAGES if (links := _links_out(page))}
    assert not outside, f"The site does not have what these pages link to: {outside}"


def _links_out(page: Path) -> list[str]:
    links = [link.partition("#")[0] for link in _LINK.findall(_BLOCK.sub("", page.read_text())) if "://" not in link]
    # Not resolved: the changelog is a link that leads out of docs/, but the site has it.
    return [link for link in links if link and not Path(normpath(page.parent / link)).is_relative_to(DOCS)]


def test_nothing_is_fetched_from_elsewhere() -> None:
    assert SITE["theme"]["font"] is False
    assert not {"extra_css", "extra_javascript"} & SITE.keys()
    # The theme's own plugin for reading offline would put a script of another host into every page.
    assert SITE["plugins"] == ["search"]
