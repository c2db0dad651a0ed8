"""`make docs` builds the site without a warning, every link in it leads somewhere, and it fetches nothing."""

from __future__ import annotations

import os
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.rules.tree import ROOT

# What a browser fetches by itself, without anyone following a link.
FETCHED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}


class SitePage(HTMLParser):
    """The anchors of a page, where its links lead, and what it fetches."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("id", "name"):
                self.anchors.add(value)
            if value and (tag, name) == ("a", "href"):
                self.links.append(value)
            if value and (tag, name) in FETCHED:
                self.fetched.append(value)


@pytest.mark.timeout(900)
def test_the_site_is_built_and_every_link_in_it_leads_somewhere(tmp_path: Path) -> None:
    _run("tools/setup.sh", ".venv-docs", "locks/docs.txt")
    _run(".venv-docs/bin/mkdocs", "build", "--strict", "--site-dir", str(tmp_path))
    pages = {file: SitePage(file.read_text()) for file in tmp_path.rglob("*.html")}
    assert len(pages) > len(list((ROOT / "docs").rglob("*.md")))
    broken = [
        f"{file.relative_to(tmp_path)}: {link}"
        for file, page in pages.items()
        for link in (*page.links, *page.fetched)
        if not _is_whole(file, link, pages)
    ]
    assert broken == []
    foreign = {link for page in pages.values() for link in page.fetched if urlsplit(link).netloc}
    assert foreign == set()


def _is_whole(file: Path, link: str, pages: dict[Path, SitePage]) -> bool:
    url = urlsplit(link)
    # The page for what is not found has absolute links, since it is shown anywhere.
    if url.scheme or url.netloc or url.path.startswith("/"):
        return True
    target = (file.parent / unquote(url.path)).resolve() if url.path else file
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return False
    return not url.fragment or target not in pages or unquote(url.fragment) in pages[target].anchors


def _run(*command: str) -> None:
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
