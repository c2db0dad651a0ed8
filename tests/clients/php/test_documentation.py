"""The examples of the PHP client's documentation are PHP, and name methods that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lootkeep.api.http.openapi.client_names import camel_case, client_method
from tests.api.openapi import ALL_ROWS
from tests.clients.php.programs import run
from tests.rules.tree import ROOT

PAGES = ("docs/php.md", "clients/php/README.md", "clients/php/example/shop.php")
MAX_README_LINES = 50
METHODS = {camel_case(client_method(prefix, route)) for prefix, route in ALL_ROWS}
_BLOCK = re.compile(r"```php\n(.*?)```", re.DOTALL)
_NAMED = re.compile(r"\$client((?:->\w+)+)\(")


async def test_every_example_can_be_compiled(tmp_path: Path) -> None:
    blocks = [block for page in PAGES for block in _BLOCK.findall((ROOT / page).read_text())]
    files = [tmp_path / f"{number}.php" for number in range(len(blocks))]
    for file, block in zip(files, blocks, strict=True):
        file.write_text(f"<?php\n\n{block}")
    assert len(await run("syntax.php", list(map(str, files)))) == len(blocks) > 5


@pytest.mark.parametrize("page", PAGES)
def test_every_method_named_in_an_example_exists(page: str) -> None:
    named = {name.removeprefix("->").replace("->", ".") for name in _NAMED.findall((ROOT / page).read_text())}
    assert named
    assert named <= METHODS


def test_the_readme_fits_on_a_screen() -> None:
    assert len((ROOT / "clients/php/README.md").read_text().splitlines()) <= MAX_README_LINES
