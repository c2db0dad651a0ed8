"""Every page of docs/decisions has a number, a title, a date and a status, and its line in the index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rules.tree import ROOT, files

FOLDER = ROOT / "docs/decisions"
PAGES = [page for page in files("*.md", under=FOLDER) if page.name != "index.md"]
STATUS = re.compile(r"Accepted \d{4}-\d\d-\d\d|(Superseded on \d{4}-\d\d-\d\d by \[[^]]+\]\((\d{4}-[a-z0-9-]+\.md)\))")
# What was decided and why it was replaced: a reader of today needs no more.
MAX_SUPERSEDED_LINES = 9


def test_no_number_is_used_twice() -> None:
    """A page that another one replaces may go; its number is not used again."""
    numbers = [page.name[:4] for page in PAGES]
    assert sorted(set(numbers)) == sorted(numbers)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_its_date_and_status_below_the_title(page: Path) -> None:
    lines = page.read_text().splitlines()
    assert lines[0].startswith("# ")
    assert lines[1] == lines[3] == ""
    status = STATUS.fullmatch(lines[2])
    assert status, f"{page.name}: write `Accepted 2026-11-15`, or `Superseded on 2026-11-15 by [title](page)`."
    assert not status[1] or (FOLDER / status[2]).exists()
    assert not status[1] or len(lines) <= MAX_SUPERSEDED_LINES, f"{page.name} is superseded: shorten it."


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_index_and_the_site_have_its_title(page: Path) -> None:
    text = page.read_text()
    title = text.partition("\n")[0].removeprefix("# ")
    mark = " (superseded)" if "\nSuperseded on " in text else ""
    assert f"* [{title}]({page.name}){mark}\n" in (FOLDER / "index.md").read_text()
    assert f"- {title}: decisions/{page.name}\n" in (ROOT / "mkdocs.yml").read_text()
