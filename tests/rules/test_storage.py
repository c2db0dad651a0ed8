"""Storage is SQL only: decisions, events and e-mails belong to the services."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

from tests.rules.tree import ROOT, files, name

STORAGE = [
    file
    for file in files("*.py", under=ROOT / "lootkeep/storage")
    if file.name != "__init__.py" and "migrations" not in file.parts
]
# A database that is away, or that cannot be used at all, is not a business error.
OUTAGES = {"Busy", "StartupError", "Unavailable", "Unreachable"}
SENDING = {"outbox.append", "emails.add"}
# A listing is declared in columns and conditions, and its SQL is written by `lists.py`.
NOTATIONS = ("sqlalchemy", "apsw", "asyncpg", "lootkeep.storage.lists")
# What the SQL of others runs on, or is written by.
WITHOUT_SQL = {
    "lootkeep/storage/engine/collected_writes.py": "puts statements together",
    "lootkeep/storage/engine/database.py": "the protocol that both engines fulfil",
    "lootkeep/storage/engine/postgres_notices.py": "sends a notification on a connection of the pool",
    "lootkeep/storage/totals/changes.py": "applies the statements of the declared totals",
}


def test_every_module_holds_sql() -> None:
    without = {name(file) for file in STORAGE if not any(module.startswith(NOTATIONS) for module, _ in _imports(file))}
    assert without == set(WITHOUT_SQL), "What holds no SQL belongs to domain/ or services/, unless it is named here."


def test_no_module_raises_a_business_error() -> None:
    errors = {
        name(file): imported
        for file in STORAGE
        for module, imported in _imports(file)
        if module == "lootkeep.kernel.errors" and not imported <= OUTAGES
    }
    assert not errors, f"Return what was found and let the service refuse: {errors}"


def test_no_module_imports_a_function_of_the_domain() -> None:
    """What a record is, storage has to know; what follows from it, a service asks the domain."""
    functions = {
        f"{name(file)}: {module}.{imported}"
        for file in STORAGE
        for module, names in _imports(file)
        if module == "lootkeep.domain" or module.startswith("lootkeep.domain.")
        for imported in names
        if isinstance(getattr(import_module(module), imported, None), FunctionType | ModuleType)
    }
    assert not functions, f"A decision is the services' to ask for: {sorted(functions)}"


def test_no_module_appends_an_event_or_queues_an_email() -> None:
    senders = [name(file) for file in STORAGE if SENDING & set(_calls(file))]
    assert not senders, f"Events and e-mails are the services' work: {senders}"


def test_every_table_that_wakes_a_worker_is_announced() -> None:
    announced = {
        argument.value
        for file in STORAGE
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "tx.wake"
        for argument in node.args
        if isinstance(argument, ast.Constant)
    }
    awaited = {
        constant.value
        for file in files("*.py", under=ROOT / "lootkeep/worker")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "wakes_for"
        for constant in ast.walk(node.value)
        if isinstance(constant, ast.Constant)
    }
    assert awaited
    assert not awaited - announced, "Nothing calls tx.wake with these."


def _imports(file: Path) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, set()


def _calls(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield ast.unparse(node.func)
