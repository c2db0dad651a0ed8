"""docs/operate/figures.md is the only source of measured figures: README and the guides quote it, with a link."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rules.tree import ROOT, files, name

SOURCE = ROOT / "docs/operate/figures.md"
# Decisions are dated: they say what was measured then.
_DOCS = [page for page in files("*.md", under=ROOT / "docs") if not page.is_symlink()]
PAGES = [page for page in [ROOT / "README.md", *_DOCS] if page != SOURCE and page.parent.name != "decisions"]
# The units of measurements; deadlines and limits are written as words: 10 seconds, 16 KB.
FIGURE = re.compile(r"\d[\d.,]*(?: (?:ms|µs|us|s|MB)\b| times (?:as|what)\b)")
_QUOTE = re.compile(r"\[([^]]*\d[^]]*)\]\([^)\s]*figures\.md#([\w-]+)\)")
_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_SECTION = re.compile(r"^## (.+?)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
SECTIONS = {title.lower().replace(" ", "-"): text for title, text in _SECTION.findall(SOURCE.read_text())}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_quotes_figures_as_they_were_measured(page: Path) -> None:
    text = _CODE.sub("", page.read_text())
    wrong = [figure for figure, section in _QUOTE.findall(text) if not _has(SECTIONS[section], figure)]
    assert not wrong, f"docs/operate/figures.md does not have {wrong}."
    unsourced = FIGURE.findall(_QUOTE.sub("", text))
    assert not unsourced, f"Measured figures are links to docs/operate/figures.md: {unsourced}"


def _has(text: str, figure: str) -> bool:
    return bool(re.search(rf"(?<![\d.,]){re.escape(figure)}\b", text))


def test_the_rule_sees_a_figure() -> None:
    assert FIGURE.findall("It took 0.4 s and 1.1 times what it did.") == ["0.4 s", "1.1 times what"]
    assert _has("took 0.4 s", "0.4 s")
    assert not _has("took 10.4 s", "0.4 s")
    assert any(_QUOTE.search(page.read_text()) for page in PAGES)
