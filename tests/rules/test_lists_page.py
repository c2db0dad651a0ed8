"""The page on lists has every kind of file and every public list."""

from __future__ import annotations

import pytest

from lootkeep.engines.intelligence.fetching import PUBLIC_LISTS, PublicList
from lootkeep.engines.intelligence.recognition import DATABASE_NAMES, KINDS
from lootkeep.engines.intelligence.sources import NEEDS
from tests.rules.tree import ROOT

PAGE = (ROOT / "docs/operate/lists.md").read_text()


@pytest.mark.parametrize("names", [DATABASE_NAMES, *(kind.names for kind in KINDS)])
def test_the_page_has_a_row_for_every_kind_of_file(names: str) -> None:
    assert f"\n| {names} | " in PAGE


@pytest.mark.parametrize("item", PUBLIC_LISTS, ids=lambda item: item.file)
def test_the_page_names_every_public_list_with_its_licence(item: PublicList) -> None:
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{item.file}` | {item.url} | ")]
    assert item.licence.split()[0] in row


@pytest.mark.parametrize("need", NEEDS)
def test_the_page_names_the_bundled_data_for_every_need(need: str) -> None:
    first_cells = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| ")]
    assert any(need in cell.replace(",", " ").split() for cell in first_cells)
