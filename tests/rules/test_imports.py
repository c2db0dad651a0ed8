"""A module that comes from another layer is called by its area and its layer: `orders_db`, `orders_service`."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.rules.tree import ROOT, files, name

SUFFIXES = {"storage": "_db", "services": "_service", "domain": "_rules", "views": "_views"}
# What areas are built on is no area.
BUILDING = {"backup", "engine", "lists", "migrations", "queue", "rows", "schema", "totals"}
# The areas of storage with a folder; totals belong to the areas that they count.
FOLDERS = {
    f"lootkeep.storage.{folder.name}"
    for folder in (ROOT / "lootkeep/storage").iterdir()
    if folder.is_dir() and (folder.name not in BUILDING or folder.name == "totals")
}
# Loaded by the first request, command or setting that needs them.
NEEDED_BY_SOME = {
    *("aiosmtplib", "argon2", "asyncpg", "cryptography", "disposable_email_domains", "duckdb", "email_validator"),
    *("iptocc", "jinja2", "joserfc", "markdown_it", "maxminddb", "mcp", "openpyxl", "redis", "rich.progress", "segno"),
    *(
        "lootkeep.api.external",
        "lootkeep.api.game",
        "lootkeep.api.http.openapi",
        "lootkeep.api.http.reference",
        "lootkeep.api.store",
        "lootkeep.cli.processes",
        "lootkeep.console.pages",
        "lootkeep.toolbox",
        "webauthn",
    ),
}
LAYERS = {f"lootkeep.{layer}" for layer in SUFFIXES}


def test_a_module_of_another_layer_is_named_by_area_and_layer() -> None:
    wrong = [
        f"{name(file)}: {module}.{alias.name} as {' or '.join(names)}"
        for file, module, alias in _imports()
        if (alias.asname or alias.name) not in (names := _names(module, alias.name))
    ]
    assert wrong == []


def test_every_module_of_the_domain_can_be_the_first_that_is_imported() -> None:
    """Modules that need each other work only in the order in which the tests happen to import them."""
    program = """
import importlib, sys
for module in sys.argv[1:]:
    for loaded in [name for name in sys.modules if name.startswith("lootkeep")]:
        del sys.modules[loaded]
    importlib.import_module(module)
"""
    modules = [f"lootkeep.domain.{file.stem}" for file in sorted((ROOT / "lootkeep/domain").glob("[a-z]*.py"))]
    done = subprocess.run([sys.executable, "-c", program, *modules], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""


def test_a_start_loads_nothing_that_only_some_stores_need() -> None:
    """Each of them takes memory in every process, and time at every start."""
    loaded = _loaded("from lootkeep import wiring; from lootkeep.cli import serve; wiring.app(); wiring.router()")
    assert loaded & NEEDED_BY_SOME == set()


def test_a_name_means_one_module_and_a_module_has_one_name() -> None:
    modules, names = defaultdict(set), defaultdict(set)
    for _, module, alias in _imports():
        modules[alias.asname].add(f"{module}.{alias.name}")
        names[f"{module}.{alias.name}"].add(alias.asname)
    assert [(key, values) for key, values in (modules | names).items() if len(values) > 1] == []


def _loaded(program: str) -> set[str]:
    code = f"import sys; {program}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def _imports() -> Iterator[tuple[Path, str, ast.alias]]:
    """The modules of areas that files import from another layer."""
    for folder in ("lootkeep", "tests", "bench", "tools"):
        for file in files("*.py", under=ROOT / folder):
            own = ".".join(file.relative_to(ROOT).parts[:2])
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith(own):
                    for alias in node.names:
                        if _is_area(node.module, alias.name):
                            yield file, node.module, alias


def _is_area(package: str, imported: str) -> bool:
    if package not in FOLDERS and (package not in LAYERS or imported in BUILDING):
        return False
    path = ROOT.joinpath(*package.split("."), imported)
    return path.with_suffix(".py").exists() or path.is_dir()


def _names(module: str, imported: str) -> list[str]:
    """`orders/rows.py` is `orders_db`, `orders/lists.py` is `order_lists_db`; a word that needs no area may lack it."""
    suffix = SUFFIXES[module.split(".")[1]]
    if module not in FOLDERS:
        return [imported if imported.endswith(suffix) else imported + suffix]
    area = module.rpartition(".")[2]
    if imported == "rows":
        return [area + suffix]
    with_area = [f"{area}_{imported}{suffix}", f"{area.removesuffix('s')}_{imported}{suffix}"]
    return with_area if imported in BUILDING else [imported + suffix, *with_area]
