"""Files and functions stay small enough to be read at once, and each file says what it is for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.rules.tree import ROOT, files, name

LONGEST_FILE = 300
LONGEST_FUNCTION = 40
# A migration is a list of statements in order; parting it would not make it clearer.
LISTS_OF_STATEMENTS = "lootkeep/storage/migrations/versions/"

FOLDERS = [folder for folder in ("lootkeep", "client", "bench", "tools") if (ROOT / folder).is_dir()]
SOURCES = [file for folder in FOLDERS for file in files("*.py", under=ROOT / folder)]
TESTS = [file for file in files("*.py", under=ROOT / "tests") if file.stat().st_size]

Function = ast.FunctionDef | ast.AsyncFunctionDef


@pytest.mark.parametrize("file", [*SOURCES, *TESTS], ids=name)
def test_a_file_is_not_too_long(file: Path) -> None:
    lines = len(file.read_text().splitlines())
    assert lines <= LONGEST_FILE, f"{name(file)} has {lines} lines: make a package of it, one file per subject."


@pytest.mark.parametrize("file", SOURCES, ids=name)
def test_a_function_is_not_too_long(file: Path) -> None:
    if name(file).startswith(LISTS_OF_STATEMENTS):
        return
    functions = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, Function)]
    long = {node.name: _lines(node) for node in functions if _lines(node) > LONGEST_FUNCTION}
    assert not long, f"{name(file)} has functions of more than {LONGEST_FUNCTION} lines: {long}"


@pytest.mark.parametrize("file", [*SOURCES, *TESTS], ids=name)
def test_a_file_opens_with_a_sentence_that_says_what_it_is_for(file: Path) -> None:
    opening = (ast.get_docstring(ast.parse(file.read_text())) or "").partition("\n")[0]
    assert opening.endswith((".", "`", ">")), f"{name(file)} must open with a docstring whose first line is a sentence."


def _lines(node: Function) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1
