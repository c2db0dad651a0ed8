"""A module that comes from another layer is called by its area and its layer: `orders_db`, `orders_service`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.rules.tree import ROOT, files, name

SUFFIXES = {"storage": "_db", "services": "_service", "domain": "_rules", "views": "_views"}
# Folders of storage that hold areas, too.
AREAS = {*(f"lootkeep.{layer}" for layer in SUFFIXES), "lootkeep.storage.webhooks", "lootkeep.storage.totals"}
# What areas are built on is no area.
BUILDING = {"backup", "by_engine", "engine", "lists", "migrations", "queue", "schema", "totals"}


def test_a_module_of_another_layer_is_named_by_area_and_layer() -> None:
    wrong = [
        f"{name(file)}: {module}.{alias.name} as {expected}"
        for folder in ("lootkeep", "tests", "bench", "tools")
        for file in files("*.py", under=ROOT / folder)
        for module, alias in _imported(file)
        if (alias.asname or alias.name) != (expected := _expected(module, alias.name))
    ]
    assert wrong == []


def _imported(file: Path) -> Iterator[tuple[str, ast.alias]]:
    """The modules of areas that a file imports from another layer."""
    own = ".".join(file.relative_to(ROOT).parts[:2])
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module in AREAS and not node.module.startswith(own):
            for alias in node.names:
                if alias.name not in BUILDING and _is_module(node.module, alias.name):
                    yield node.module, alias


def _is_module(package: str, imported: str) -> bool:
    path = ROOT.joinpath(*package.split("."), imported)
    return path.with_suffix(".py").exists() or path.is_dir()


def _expected(module: str, imported: str) -> str:
    suffix = SUFFIXES[module.split(".")[1]]
    return imported if imported.endswith(suffix) else imported + suffix
