"""bench/RESULTS.md and docs/operate/figures.md are the only sources of figures: the guides quote them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import report
from bench.__main__ import PAGE_SECTIONS
from tests.rules.tree import ROOT, files, name

# By how links name them; the site has the first as results.md.
SOURCES = {"results.md": report.PAGE, "figures.md": ROOT / "docs/operate/figures.md"}
# Decisions are dated: they say what was measured then.
_DOCS = [page for page in files("*.md", under=ROOT / "docs") if not page.is_symlink()]
PAGES = [
    page for page in [ROOT / "README.md", *_DOCS] if page not in SOURCES.values() and page.parent.name != "decisions"
]
# The units of measurements; deadlines and limits are written as words: 10 seconds, 16 KB.
FIGURE = re.compile(r"\d[\d.,]*(?: (?:ms|µs|us|s|MB)\b| times (?:as|what)\b)")
_QUOTE = re.compile(r"\[([^]]*\d[^]]*)\]\([^)\s]*((?:figures|results)\.md)#([\w-]+)\)", re.IGNORECASE)
_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_SECTION = re.compile(r"^## (.+?)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
SECTIONS = {
    (source, title.lower().replace(" ", "-")): text
    for source, page in SOURCES.items()
    for title, text in _SECTION.findall(page.read_text())
}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_quotes_figures_as_they_were_measured(page: Path) -> None:
    text = _CODE.sub("", page.read_text())
    quotes = _QUOTE.findall(text)
    wrong = [figure for figure, page, section in quotes if not _has(SECTIONS[page.lower(), section], figure)]
    assert not wrong, f"The pages of figures do not have {wrong}."
    unsourced = FIGURE.findall(_QUOTE.sub("", text))
    assert not unsourced, f"Measured figures are links to bench/RESULTS.md or docs/operate/figures.md: {unsourced}"


def test_readme_has_no_figures() -> None:
    text = (ROOT / "README.md").read_text()
    assert (_QUOTE.findall(text), FIGURE.findall(text)) == ([], [])


def test_the_page_of_the_benchmark_says_what_was_measured() -> None:
    pages = report.pages(report.read(), PAGE_SECTIONS)
    wrong = [name(path) for path, text in pages.items() if not path.exists() or path.read_text() != text]
    assert not wrong, f"Write {wrong} again: .venv/bin/python -m bench --write"
    left = sorted(set(report.PLOTS.glob("*")) - pages.keys())
    assert not left, f"No section has these plots: {left}"


def _has(text: str, figure: str) -> bool:
    return bool(re.search(rf"(?<![\d.,]){re.escape(figure)}\b", text))


def test_the_rule_sees_a_figure() -> None:
    assert FIGURE.findall("It took 0.4 s and 1.1 times what it did.") == ["0.4 s", "1.1 times what"]
    assert _has("took 0.4 s", "0.4 s")
    assert not _has("took 10.4 s", "0.4 s")
    assert any(_QUOTE.search(page.read_text()) for page in PAGES)
