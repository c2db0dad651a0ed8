"""The map of the architecture is the tree: every folder has its line, and every line its folder."""

from __future__ import annotations

import re

import pytest

from tests.rules.tree import ROOT, folders, packages

HEADING = "## Map"
_LINE = re.compile(r"^(?P<indent> *)(?P<name>[\w.-]+/?)  +(?P<words>\S.*)$")
_INDENT = 2


def read_map() -> dict[str, str]:
    """Each path of the map with its words: the first block after the heading, two spaces for each level."""
    _, _, rest = (ROOT / "docs/architecture.md").read_text().partition(f"\n{HEADING}\n")
    assert rest, f"docs/architecture.md has no heading {HEADING!r}."
    entries: dict[str, str] = {}
    above: list[str] = []
    for line in rest.split("```")[1].splitlines()[1:]:
        match = _LINE.match(line)
        assert match, f"The map in docs/architecture.md has a line that is no `name  words`: {line!r}"
        above = [*above[: len(match["indent"]) // _INDENT], match["name"].rstrip("/")]
        entries["/".join(above)] = match["words"]
    return entries


def test_every_folder_has_a_line() -> None:
    missing = sorted({*folders(), *packages()} - read_map().keys())
    assert not missing, (
        f"The map in docs/architecture.md lacks {', '.join(missing)}: add a line that says what is there."
    )


def test_every_line_has_its_folder_or_file() -> None:
    missing = [path for path in read_map() if not (ROOT / path).exists()]
    assert not missing, f"The map in docs/architecture.md names {', '.join(missing)}, which is not in the tree."


def test_the_ways_of_an_order_and_a_payment_lead_through_files_that_exist() -> None:
    _, _, rest = (ROOT / "docs/architecture.md").read_text().partition("\n### The way of an order\n")
    cells = re.findall(r"^\| (`[^|]*`) \|", rest.partition("\n## ")[0], re.MULTILINE)
    missing = []
    for cell in cells:
        folder = ROOT / "lootkeep"
        for path in re.findall(r"`([^`]+)`", cell):
            # The second of a line may be named without the folder of the first.
            file = (ROOT / "lootkeep" if "/" in path else folder) / path
            folder = file.parent
            missing += [] if file.exists() else [path]
    assert len(cells) > 20
    assert not missing, f"docs/architecture.md names {', '.join(missing)}, which is not in the tree."


@pytest.mark.parametrize("name", ["lootkeep/deps.py", "lootkeep/settings"])
def test_the_files_next_to_the_layers_have_a_line_too(name: str) -> None:
    assert name in read_map(), f"The map in docs/architecture.md lacks {name}."
